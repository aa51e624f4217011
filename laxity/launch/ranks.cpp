#include "laxity/launch/ranks.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <sstream>
#include <string>

#include "laxity/error.hpp"

namespace laxity {
namespace {

// The outcome of a step of agree() on one rank, sent as plain bytes.
struct Outcome {
  enum class Kind : std::uint32_t { done, usage_error, error } kind = Kind::done;
  std::array<char, 1020> what{};

  void fail(Kind failure, const char* text) noexcept {
    kind = failure;
    std::strncpy(what.data(), text, what.size() - 1);
  }
};

}  // namespace

int RankMap::hosts() const noexcept { return 1 + std::ranges::max(host_of_rank); }

std::vector<int> RankMap::ranks_of(int host) const {
  std::vector<int> found;
  for (int candidate = 0; candidate < ranks(); ++candidate)
    if (host_of_rank[static_cast<std::size_t>(candidate)] == host) found.push_back(candidate);
  return found;
}

void Ranks::agree(const std::function<void()>& step) {
  Outcome mine;
  try {
    step();
  } catch (const UsageError& error) {
    mine.fail(Outcome::Kind::usage_error, error.what());
  } catch (const std::exception& error) {
    mine.fail(Outcome::Kind::error, error.what());
  }
  for (const Outcome& outcome : allgather_values(mine)) {
    if (outcome.kind == Outcome::Kind::done) continue;
    agreed_to_fail_ = true;
    if (outcome.kind == Outcome::Kind::usage_error) throw UsageError(outcome.what.data());
    throw Error(outcome.what.data());
  }
}

void at_first_rank(Ranks* ranks, const std::function<void()>& step) {
  if (ranks == nullptr || ranks->has_lost_a_rank()) return step();  // after a loss there is no collective any more
  ranks->agree([&] {
    if (ranks->is_first()) step();
  });
}

void require_equal_on_ranks(Ranks& ranks, const std::vector<Fact>& facts) {
  std::string text;
  for (const auto& [name, value] : facts) text.append(name).append(" = ").append(value).push_back('\n');
  const std::vector<std::vector<std::byte>> of_ranks = ranks.gatherv(std::as_bytes(std::span(text)));
  at_first_rank(&ranks, [&] {
    for (std::size_t rank = 1; rank < of_ranks.size(); ++rank) {
      const std::string other(reinterpret_cast<const char*>(of_ranks[rank].data()), of_ranks[rank].size());
      if (other == text) continue;
      std::istringstream here_lines(text), there_lines(other);
      std::string here, there;
      do {
        if (!std::getline(here_lines, here)) here = "nothing more";
        if (!std::getline(there_lines, there)) there = "nothing more";
      } while (here == there);
      std::string what = "the ranks disagree: rank 0 has ";
      what.append(here).append(", rank ").append(std::to_string(rank)).append(" has ").append(there);
      throw UsageError(what);
    }
  });
}

}  // namespace laxity

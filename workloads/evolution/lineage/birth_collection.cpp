#include "workloads/evolution/lineage/birth_collection.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include "laxity/error.hpp"

namespace laxity::evolution {
namespace {

using Birth = BirthRecord::Birth;
static_assert(std::is_trivially_copyable_v<Birth>);

void append(std::vector<std::byte>& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

}  // namespace

BirthCollection::BirthCollection(int workers) {
  for (int worker = 0; worker < workers; ++worker) {
    files_.emplace_back(std::tmpfile());
    if (files_.back() == nullptr) throw SystemError("tmpfile (for a record of births)", errno);
  }
}

void BirthCollection::put(int worker, const BirthRecord& record) const {
  std::FILE* const file = files_[static_cast<std::size_t>(worker)].get();
  const auto births = record.births();
  if (std::fwrite(births.data(), sizeof(Birth), births.size(), file) != births.size() || std::fflush(file) != 0) {
    throw SystemError("write (a record of births)", errno);
  }
}

std::vector<Birth> BirthCollection::read(int worker) const {
  std::FILE* const file = files_[static_cast<std::size_t>(worker)].get();
  if (std::fseek(file, 0, SEEK_END) != 0) throw SystemError("seek (a record of births)", errno);
  std::vector<Birth> births(static_cast<std::size_t>(std::ftell(file)) / sizeof(Birth));
  std::rewind(file);
  if (std::fread(births.data(), sizeof(Birth), births.size(), file) != births.size()) {
    throw SystemError("read (a record of births)", errno);
  }
  return births;
}

std::vector<std::vector<Birth>> BirthCollection::take(Ranks* ranks, int threads) const {
  std::vector<std::vector<Birth>> all;
  if (ranks == nullptr) {
    for (std::size_t worker = 0; worker < files_.size(); ++worker) all.push_back(read(static_cast<int>(worker)));
    return all;
  }
  std::vector<std::byte> mine;  // of each thread of this rank: a number of births, then the births
  for (int thread = 0; thread < threads; ++thread) {
    const std::vector<Birth> births = read(ranks->map().rank * threads + thread);
    const std::uint64_t count = births.size();
    append(mine, std::as_bytes(std::span(&count, 1)));
    append(mine, std::as_bytes(std::span(births)));
  }
  for (const std::vector<std::byte>& bytes : ranks->gatherv(mine)) {
    for (std::size_t at = 0; at < bytes.size();) {
      std::uint64_t count = 0;
      std::memcpy(&count, bytes.data() + at, sizeof count);
      at += sizeof count;
      std::vector<Birth>& births = all.emplace_back(count);
      if (count != 0) std::memcpy(births.data(), bytes.data() + at, count * sizeof(Birth));
      at += count * sizeof(Birth);
    }
  }
  return all;
}

}  // namespace laxity::evolution

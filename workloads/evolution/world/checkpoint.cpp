#include "workloads/evolution/world/checkpoint.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "laxity/check.hpp"
#include "laxity/error.hpp"
#include "laxity/metrics/csv_table.hpp"
#include "laxity/text_scanner.hpp"
#include "workloads/evolution/world/digest.hpp"
#include "workloads/evolution/world/parameters_file.hpp"

namespace laxity::evolution {
namespace {

constexpr std::array<char, 8> magic{'l', 'a', 'x', 'w', 'o', 'r', 'l', 'd'};
constexpr std::uint32_t format_version = 1;

struct PartHeader {
  std::array<char, 8> magic = evolution::magic;
  std::uint32_t version = format_version;
  std::uint32_t worker = 0;
  std::uint64_t workers = 0;
  std::uint64_t layout = 0;    ///< of the state in memory
  std::uint64_t identity = 0;  ///< of the world
  std::uint64_t number = 0;    ///< of the checkpoint
  std::uint64_t bytes = 0;     ///< of the state, which follows
  std::uint64_t digest = 0;    ///< of the state
};
static_assert(std::has_unique_object_representations_v<PartHeader>);

std::uint64_t layout_of_state() noexcept {
  Digest digest;
  for (const std::size_t bytes : {sizeof(Cell), sizeof(VirtualCpu::Core), sizeof(CardinalState), sizeof(GenomeHeader),
                                  sizeof(Quorum), sizeof(RoundTrips), sizeof(ResourceAccount), sizeof(Tallies)}) {
    digest.add(std::uint64_t{bytes});
  }
  return digest.value();
}

std::uint64_t digest_of(std::span<const std::byte> bytes) noexcept {
  Digest digest;
  digest.add(bytes);
  return digest.value();
}

// The header of a file that has one.
std::optional<PartHeader> header_of(std::string_view file) noexcept {
  PartHeader header;
  if (file.size() < sizeof header) return {};
  std::memcpy(&header, file.data(), sizeof header);
  if (header.magic != magic) return {};
  return header;
}

}  // namespace

std::uint64_t identity_of_world(const Parameters& parameters, std::uint64_t seed, bool records_births) {
  Digest digest;
  const std::string text = format_parameters(parameters);
  digest.add(std::as_bytes(std::span(text)));
  digest.add(seed);
  digest.add(std::uint64_t{records_births});
  return digest.value();
}

std::filesystem::path CheckpointDirectory::part(std::uint32_t worker, std::uint64_t number) const {
  return path_ / ("worker-" + std::to_string(worker) + (number % 2 == 0 ? ".even" : ".odd"));
}

std::uint64_t CheckpointDirectory::newest() const {
  const std::filesystem::path file = number_file();
  if (!std::filesystem::exists(file)) return 0;
  const std::string text = laxity::detail::read_whole_file(file.string());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number == 0 || std::string_view(end) != "\n") {
    throw Error(file.string() + ": is not the number of a checkpoint");
  }
  return number;
}

void CheckpointDirectory::write(World& world, std::uint64_t number) const {
  Archive sizer = Archive::sizer();
  world.serialize(sizer);
  std::vector<std::byte> file(sizeof(PartHeader) + sizer.bytes());
  const std::span state = std::span(file).subspan(sizeof(PartHeader));
  Archive writer = Archive::writer(state);
  world.serialize(writer);
  LAXITY_CHECK(writer.is_complete());
  const std::uint32_t worker = world.part().worker();
  const PartHeader header{.worker = worker,
                          .workers = workers_,
                          .layout = layout_of_state(),
                          .identity = identity_,
                          .number = number,
                          .bytes = state.size(),
                          .digest = digest_of(state)};
  std::memcpy(file.data(), &header, sizeof header);
  std::filesystem::create_directories(path_);
  replace_file(part(worker, number), {reinterpret_cast<const char*>(file.data()), file.size()});
}

bool CheckpointDirectory::publish(std::uint64_t number) const {
  for (std::uint32_t worker = 0; worker < workers_; ++worker) {
    std::string text(sizeof(PartHeader), '\0');
    std::ifstream(part(worker, number), std::ios::binary).read(text.data(), sizeof(PartHeader));
    const std::optional<PartHeader> header = header_of(text);
    if (!header || header->number != number || header->identity != identity_) return false;
  }
  replace_file(number_file(), std::to_string(number) + "\n");
  return true;
}

std::vector<std::byte> CheckpointDirectory::read(std::uint32_t worker) const {
  const std::uint64_t number = newest();
  if (number == 0) throw Error(path_.string() + ": has no complete checkpoint of a world");
  const std::string name = part(worker, number).string();
  const std::string text = laxity::detail::read_whole_file(name);
  const std::optional<PartHeader> header = header_of(text);
  const std::span state = std::as_bytes(std::span(text)).subspan(header ? sizeof(PartHeader) : 0);
  const auto refuse = [&](bool is_wrong, const std::string& what) {
    if (is_wrong) throw Error(name + ": " + what);
  };
  refuse(!header, "is not part of a checkpoint of a world");
  refuse(header->version != format_version, "is of version " + std::to_string(header->version) +
                                                " of the format, this program reads version " +
                                                std::to_string(format_version));
  refuse(header->layout != layout_of_state(), "was written by another build of the program");
  refuse(header->workers != workers_,
         "is of a world of " + std::to_string(header->workers) + " workers, not " + std::to_string(workers_));
  refuse(header->worker != worker, "is the part of worker " + std::to_string(header->worker));
  refuse(header->identity != identity_,
         "is of another world: parameters, seed and recording of births must be the same");
  refuse(header->number != number,
         "is of checkpoint " + std::to_string(header->number) + ", the complete one is " + std::to_string(number));
  refuse(header->bytes != state.size(),
         "is torn: it has " + std::to_string(state.size()) + " of " + std::to_string(header->bytes) + " bytes");
  refuse(header->digest != digest_of(state), "is damaged: its digest is another one");
  return {state.begin(), state.end()};
}

void read_state(World& world, std::vector<std::byte>& state) {
  Archive reader = Archive::reader(state);
  world.serialize(reader);
  LAXITY_CHECK(reader.is_complete());
}

}  // namespace laxity::evolution

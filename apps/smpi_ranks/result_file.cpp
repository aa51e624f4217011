#include "apps/smpi_ranks/result_file.hpp"

#include <array>
#include <cstring>
#include <fstream>
#include <type_traits>

#include "laxity/error.hpp"

namespace laxity {
namespace {

struct Head {
  std::array<char, 16> magic{"laxity ranks 2"};
  std::uint64_t worker_bytes = sizeof(ColoringWorkerResult);
  std::uint64_t snapshot_bytes = sizeof(LinkSnapshot);
  std::uint64_t frame_bytes = sizeof(LoggedFrame);
  std::uint64_t workers = 0, nodes = 0, snapshots = 0, messages = 0, conflicts = 0;
};

template <class T>
void write(std::ofstream& file, const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
}

template <class T>
void read(std::ifstream& file, std::vector<T>& values, std::uint64_t count) {
  values.resize(count);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
}

}  // namespace

void write_result(const std::string& path, const ColoringResult& result) {
  Head head;
  head.workers = result.workers.size();
  head.nodes = result.after.size();
  head.snapshots = result.snapshots.size();
  head.messages = result.messages.size();
  head.conflicts = result.conflicts;
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&head), sizeof head);
  write(file, result.workers);
  write(file, result.before);
  write(file, result.after);
  write(file, result.snapshots);
  write(file, result.messages);
  if (!file.flush()) throw Error(path + " cannot be written");
}

ColoringResult read_result(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Head head, ours;
  file.read(reinterpret_cast<char*>(&head), sizeof head);
  if (!file || head.magic != ours.magic || head.worker_bytes != ours.worker_bytes ||
      head.snapshot_bytes != ours.snapshot_bytes || head.frame_bytes != ours.frame_bytes)
    throw Error(path + " is no result of this build; build the target smpi_ranks again");
  ColoringResult result;
  result.conflicts = head.conflicts;
  read(file, result.workers, head.workers);
  read(file, result.before, head.nodes);
  read(file, result.after, head.nodes);
  read(file, result.snapshots, head.snapshots);
  read(file, result.messages, head.messages);
  if (!file) throw Error(path + " is cut short");
  return result;
}

}  // namespace laxity

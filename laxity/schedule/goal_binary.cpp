// The binary form of GOAL.
//
// Layout, all numbers little endian and without padding:
//   u64 4223 (the form's mark), u32 ranks, u8 processors, u8 interfaces (of a rank, at least);
//   for each rank u64 begin, u64 end of its part, counted from behind the mark;
//   for each rank: u32 operations, u32 roots, then the numbers of the roots (operations that wait for nothing), u32
//     each; for each operation 39 bytes: u32 number of operations that it waits for, u8 action (1 send, 2 receive, 3
//       compute), u32 peer, u64 size, u32 tag, u8 processor, u8 interface, u32 count and u32 begin of those that wait
//       for its end, u32 count and u32 begin of those that wait for its start;
//     the numbers of those that wait, u32 each, which `begin` counts.
#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "laxity/error.hpp"
#include "laxity/schedule/goal_file.hpp"
#include "laxity/text_scanner.hpp"

namespace laxity::schedule {
namespace {

constexpr std::uint64_t mark = 4223;
constexpr std::size_t op_bytes = 39;

template <class T>
void append(std::string& bytes, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint8_t code_of(Action action) { return action == Action::send ? 1 : action == Action::receive ? 2 : 3; }

void append_rank(std::string& bytes, std::span<const Op> ops, std::span<const Edge> edges) {
  // Those that wait, by the operation that they wait for: for its end first, then for its start.
  std::vector<Edge> sorted(edges.begin(), edges.end());
  std::ranges::stable_sort(sorted, [](const Edge& a, const Edge& b) {
    return a.before != b.before ? a.before < b.before : a.start < b.start;
  });
  std::vector<std::uint32_t> waits_for(ops.size());
  for (const Edge& edge : edges) ++waits_for[edge.after];
  append(bytes, static_cast<std::uint32_t>(ops.size()));
  append(bytes, static_cast<std::uint32_t>(std::ranges::count(waits_for, 0U)));
  for (OpId id = 0; id < ops.size(); ++id)
    if (waits_for[id] == 0) append(bytes, id);
  auto edge = sorted.begin();
  for (OpId id = 0; id < ops.size(); ++id) {
    const Op& op = ops[id];
    append(bytes, waits_for[id]);
    append(bytes, code_of(op.action));
    append(bytes, op.peer);
    append(bytes, op.size);
    append(bytes, op.tag);
    append(bytes, op.cpu);
    append(bytes, op.nic);
    for (const bool start : {false, true}) {
      const auto first = edge;
      while (edge != sorted.end() && edge->before == id && edge->start == start) ++edge;
      append(bytes, static_cast<std::uint32_t>(edge - first));
      append(bytes, static_cast<std::uint32_t>(first - sorted.begin()));
    }
  }
  for (const Edge& each : sorted) append(bytes, each.after);
}

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  template <class T>
  T read() {
    need(sizeof(T));
    T value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
      value = static_cast<T>(value |
                             static_cast<T>(static_cast<T>(static_cast<unsigned char>(bytes_[at_ + i])) << (8 * i)));
    at_ += sizeof(T);
    return value;
  }
  /// Refuses before anything of that size is made.
  void need(std::uint64_t bytes) const {
    if (bytes > bytes_.size() - at_) fail("the file ends too early");
  }
  void seek(std::uint64_t offset) {
    if (offset > bytes_.size()) fail("a part lies behind the end of the file");
    at_ = static_cast<std::size_t>(offset);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(file_ + ", byte " + std::to_string(at_) + ": " + what);
  }

 private:
  std::string_view bytes_;
  const std::string& file_;
  std::size_t at_ = 0;
};

struct Waiting {
  std::uint32_t count = 0;
  std::uint32_t begin = 0;
};

void read_rank(Reader& reader, Schedule& schedule) {
  const auto ops = reader.read<std::uint32_t>();
  const auto roots = reader.read<std::uint32_t>();
  reader.need(std::uint64_t{roots} * 4 + std::uint64_t{ops} * op_bytes);
  for (std::uint32_t root = 0; root < roots; ++root)
    if (reader.read<std::uint32_t>() >= ops) reader.fail("no operation of the rank has this number");
  std::vector<Waiting> waiting;
  std::uint64_t total = 0;
  for (OpId id = 0; id < ops; ++id) {
    static_cast<void>(reader.read<std::uint32_t>());  // how many it waits for follows from the lists
    Op op;
    const auto action = reader.read<std::uint8_t>();
    if (action < 1 || action > 3) reader.fail("action " + std::to_string(action) + ": 1, 2 or 3 are known");
    op.action = action == 1 ? Action::send : action == 2 ? Action::receive : Action::compute;
    op.peer = reader.read<std::uint32_t>();
    op.size = reader.read<std::uint64_t>();
    op.tag = reader.read<std::uint32_t>();
    op.cpu = reader.read<std::uint8_t>();
    op.nic = reader.read<std::uint8_t>();
    if (op.size > std::uint64_t{1} << 60) reader.fail("a size of more than 2^60");
    if (op.action == Action::compute) op.peer = 0;
    for (int kind = 0; kind < 2; ++kind) {
      Waiting list;
      list.count = reader.read<std::uint32_t>();
      list.begin = reader.read<std::uint32_t>();
      total = std::max(total, list.count == 0 ? 0 : std::uint64_t{list.begin} + list.count);
      waiting.push_back(list);
    }
    static_cast<void>(schedule.add(op, {}));
  }
  reader.need(total * 4);
  std::vector<std::uint32_t> numbers(total);
  for (std::uint32_t& number : numbers) number = reader.read<std::uint32_t>();
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    for (std::uint32_t k = 0; k < waiting[i].count; ++k) {
      const Edge edge{static_cast<OpId>(i / 2), numbers[waiting[i].begin + k], i % 2 == 1};
      if (edge.after >= ops || edge.after == edge.before) reader.fail("no operation of the rank can have this number");
      schedule.require(edge);
    }
  }
}

}  // namespace

std::string format_goal_binary(const Schedule& schedule) {
  std::uint8_t cpus = 0, nics = 0;
  for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
    for (const Op& op : schedule.ops(rank)) cpus = std::max(cpus, op.cpu), nics = std::max(nics, op.nic);
  }
  std::string head;
  append(head, schedule.ranks());
  append(head, static_cast<std::uint8_t>(cpus + 1));
  append(head, static_cast<std::uint8_t>(nics + 1));
  const std::size_t table_end = head.size() + std::size_t{schedule.ranks()} * 16;
  std::string parts;
  for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
    append(head, static_cast<std::uint64_t>(table_end + parts.size()));
    append_rank(parts, schedule.ops(rank), schedule.edges(rank));
    append(head, static_cast<std::uint64_t>(table_end + parts.size()));
  }
  std::string bytes;
  append(bytes, mark);
  return bytes + head + parts;
}

Schedule parse_goal_binary(std::string_view bytes, const std::string& file) {
  Reader reader(bytes, file);
  if (reader.read<std::uint64_t>() != mark) reader.fail("not a binary GOAL schedule");
  const auto ranks = reader.read<std::uint32_t>();
  if (ranks == 0 || ranks > std::uint32_t{1} << 24) reader.fail(std::to_string(ranks) + " ranks");
  reader.need(2 + std::uint64_t{ranks} * 16);
  static_cast<void>(reader.read<std::uint16_t>());  // processors and interfaces follow from the operations
  std::vector<std::uint64_t> begins;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    begins.push_back(reader.read<std::uint64_t>());
    static_cast<void>(reader.read<std::uint64_t>());
  }
  Schedule schedule(ranks);
  for (const std::uint64_t begin : begins) {
    if (begin > bytes.size()) reader.fail("a part lies behind the end of the file");
    reader.seek(begin + sizeof mark);
    schedule.begin_rank();
    read_rank(reader, schedule);
  }
  return schedule;
}

Schedule read_goal_file(const std::string& path) {
  const std::string bytes = laxity::detail::read_whole_file(path);
  std::string start;
  append(start, mark);
  return bytes.starts_with(start) ? parse_goal_binary(bytes, path) : parse_goal(bytes, path);
}

}  // namespace laxity::schedule

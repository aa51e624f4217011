// Trace files: records are read back at any moment; any input gives a trace or an error.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>

#include "laxity/error.hpp"
#include "tests/effort.hpp"
#include "tests/property/largest_allocation.hpp"
#include "tests/unit/trace/written_trace.hpp"

namespace laxity::trace {
namespace {

void write_definitions(Writer& writer, const ProcessTrace& trace) {
  ASSERT_TRUE(writer.process(trace.process));
  ASSERT_TRUE(writer.clock({.at_ns = 1100, .offset_ns = -2.5, .slope = 1e-6, .synchronized = true, .error_ns = 250}));
  ASSERT_TRUE(writer.communicator(trace.communicators[0]));
  ASSERT_TRUE(writer.site(trace.sites[0]));
}

Call remarkable_call(std::uint64_t sequence) {
  Call call = blocking(static_cast<Kind>(sequence % kind_names.size()), sequence,
                       2000 + 50 * static_cast<int>(sequence), 2030 + 50 * static_cast<int>(sequence));
  call.in_place = sequence % 2 == 0;
  call.failed = sequence % 5 == 0;
  call.root = static_cast<std::int32_t>(sequence % 7) - 3;
  call.thread = static_cast<std::uint32_t>(sequence % 3) * 100;
  call.bytes_sent = sequence << (sequence % 40);
  call.bytes_received = ~call.bytes_sent;
  return call;
}

void expect_equal(const Call& read, const Call& written) {
  EXPECT_EQ(read.kind, written.kind);
  EXPECT_EQ(read.in_place, written.in_place);
  EXPECT_EQ(read.failed, written.failed);
  EXPECT_EQ(read.thread, written.thread);
  EXPECT_EQ(read.root, written.root);
  EXPECT_EQ(read.sequence, written.sequence);
  EXPECT_EQ(read.bytes_sent, written.bytes_sent);
  EXPECT_EQ(read.bytes_received, written.bytes_received);
  EXPECT_EQ(read.arrival_ns, written.arrival_ns);
  EXPECT_EQ(read.exit_ns, written.exit_ns);
}

TEST(TraceFile, ReturnsTheRecordsOfManyBlocks) {
  const Folder folder("laxity_trace_file");
  constexpr std::uint64_t calls = 20'000;  // some 6 blocks
  Writer writer;
  ASSERT_TRUE(writer.create((folder / "a.lxtrace").c_str()));
  write_definitions(writer, process(3, 8));
  for (std::uint64_t i = 0; i < calls; ++i) ASSERT_TRUE(writer.call(remarkable_call(i)));
  ASSERT_TRUE(writer.end({.at_ns = 9'000'000, .calls = calls + 1, .recorded = calls}));
  writer.close();

  const ProcessTrace read = read_all(TraceReader(folder / "a.lxtrace"));
  EXPECT_GT(std::filesystem::file_size(folder / "a.lxtrace"), 3 * block_bytes);
  EXPECT_EQ(read.process.rank, 3U);
  EXPECT_EQ(read.process.clock, 5U);
  EXPECT_EQ(read.process.program, "/bin/app");
  ASSERT_EQ(read.clock.size(), 1U);
  EXPECT_EQ(read.clock[0].at_ns, 1100);
  EXPECT_EQ(read.clock[0].offset_ns, -2.5);
  EXPECT_EQ(read.clock[0].error_ns, 250);
  EXPECT_EQ(read.sites.at(0), process(3, 8).sites[0]);
  ASSERT_EQ(read.calls.size(), calls);
  for (std::uint64_t i = 0; i < calls; ++i) expect_equal(read.calls[i], remarkable_call(i));
  ASSERT_TRUE(read.end.has_value());
  EXPECT_EQ(read.end->calls, calls + 1);
}

TEST(TraceFile, ReturnsExtremeTimesAndNumbers) {
  const Folder folder("laxity_trace_range");
  Writer writer;
  ASSERT_TRUE(writer.create((folder / "a.lxtrace").c_str()));
  write_definitions(writer, process(0, 1));
  Call call = blocking(Kind::alltoallw, std::numeric_limits<std::uint64_t>::max(), 0, 1);
  call.arrival_ns = std::numeric_limits<std::int64_t>::max() / 2;
  call.return_ns = call.exit_ns = -call.arrival_ns;
  call.root = std::numeric_limits<std::int32_t>::max();
  call.bytes_sent = std::numeric_limits<std::uint64_t>::max();
  ASSERT_TRUE(writer.call(call));
  writer.close();
  expect_equal(read_all(TraceReader(folder / "a.lxtrace")).calls.at(0), call);
}

TEST(TraceFile, JoinsCompletionsToTheirCalls) {
  const Folder folder("laxity_trace_completion");
  Writer writer;
  ASSERT_TRUE(writer.create((folder / "a.lxtrace").c_str()));
  write_definitions(writer, process(0, 1));
  for (const std::uint64_t sequence : {0UL, 1UL, 2UL}) {
    Call call = blocking(Kind::allreduce, sequence, 100, 110);
    call.start = Start::nonblocking;
    ASSERT_TRUE(writer.call(call));
  }
  ASSERT_TRUE(writer.completion({.thread = 3, .sequence = 1, .completing_ns = 500, .exit_ns = 600}));
  ASSERT_TRUE(writer.completion({.failed = true, .sequence = 0, .completing_ns = 300, .exit_ns = 400}));
  writer.close();
  const auto read = read_all(TraceReader(folder / "a.lxtrace"));
  const auto& calls = read.calls;
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0].sequence, 1U) << "in the order of completions";
  EXPECT_EQ(calls[0].exit_ns, 600);
  EXPECT_EQ(calls[0].completing_thread, 3U);
  EXPECT_EQ(read.threads, 4U);
  EXPECT_TRUE(calls[1].completed && calls[1].failed);
  EXPECT_EQ(calls[1].completing_ns, 300);
  EXPECT_EQ(calls[1].exit_ns, 400);
  EXPECT_EQ(calls[1].return_ns, 110);
  EXPECT_FALSE(calls[2].completed);
}

TEST(TraceFile, IsReadableAfterItsWriterWasKilled) {
  const Folder folder("laxity_trace_killed");
  const std::string path = folder / "a.lxtrace";
  const pid_t child = ::fork();
  if (child == 0) {
    Writer writer;
    if (!writer.create(path.c_str())) ::_exit(1);
    write_definitions(writer, process(0, 1));
    for (std::uint64_t i = 0; i < 5000; ++i) writer.call(remarkable_call(i));
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const ProcessTrace read = read_all(TraceReader(path));
  ASSERT_EQ(read.calls.size(), 5000U);
  expect_equal(read.calls.back(), remarkable_call(4999));
  EXPECT_FALSE(read.end.has_value());
}

TEST(TraceFile, IsReadableWhileItGrows) {
  const Folder folder("laxity_trace_growing");
  Writer writer;
  ASSERT_TRUE(writer.create((folder / "a.lxtrace").c_str()));
  write_definitions(writer, process(0, 1));
  for (std::uint64_t i = 0; i < 10; ++i) {
    ASSERT_TRUE(writer.call(remarkable_call(i)));
    EXPECT_EQ(read_all(TraceReader(folder / "a.lxtrace")).calls.size(), i + 1);
  }
}

TEST(TraceFile, IsNotOverwritten) {
  const Folder folder("laxity_trace_twice");
  Writer first;
  ASSERT_TRUE(first.create((folder / "a.lxtrace").c_str()));
  Writer second;
  EXPECT_FALSE(second.create((folder / "a.lxtrace").c_str()));
  EXPECT_EQ(second.error(), EEXIST);
  EXPECT_FALSE(second.call(remarkable_call(1)));
}

TEST(TraceFile, TruncatesLongTexts) {
  const Folder folder("laxity_trace_long");
  ProcessTrace trace = process(0, 1);
  trace.process.host = trace.process.mpi = trace.process.program = std::string(100'000, 'x');
  Writer writer;
  ASSERT_TRUE(writer.create((folder / "a.lxtrace").c_str()));
  write_definitions(writer, trace);
  writer.close();
  EXPECT_EQ(read_all(TraceReader(folder / "a.lxtrace")).process.program, std::string(max_text_bytes, 'x'));
}

/// Parses the bytes. Any exception other than Error propagates.
bool is_trace(const std::vector<unsigned char>& bytes) {
  static_cast<void>(take_largest_allocation());
  try {
    const ProcessTrace trace = read_all({bytes, "sample"});
    EXPECT_LE(take_largest_allocation(), allocation_for(bytes.size()));
    EXPECT_LE(trace.calls.size() * 10, bytes.size());
    for (const Call& call : trace.calls) {
      EXPECT_LT(call.communicator, trace.communicators.size());
      EXPECT_LT(call.site, trace.sites.size());
    }
    return true;
  } catch (const Error& error) {
    EXPECT_LE(take_largest_allocation(), allocation_for(bytes.size()));
    EXPECT_TRUE(std::string(error.what()).starts_with("sample, byte ")) << error.what();
    return false;
  }
}

std::vector<unsigned char> small_trace() {
  const Folder folder("laxity_trace_small");
  Writer writer;
  EXPECT_TRUE(writer.create((folder / "a.lxtrace").c_str()));
  write_definitions(writer, process(0, 1));
  writer.setting("I_MPI_ADJUST_REDUCE", "5");
  for (std::uint64_t i = 0; i < 20; ++i) {
    Call call = remarkable_call(i);
    call.start = i % 3 == 0 ? Start::nonblocking : Start::blocking;
    writer.call(call);
    if (i % 3 == 0)
      writer.completion({.sequence = i, .completing_ns = call.arrival_ns + 100, .exit_ns = call.arrival_ns + 200});
  }
  writer.end({.at_ns = 10'000, .calls = 20, .recorded = 20});
  writer.close();
  return bytes_of(folder / "a.lxtrace");
}

TEST(TraceFile, TruncatedFilesAreErrors) {
  const auto whole = small_trace();
  ASSERT_TRUE(is_trace(whole));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(is_trace({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)})) << size;
  }
}

TEST(TraceFile, AnyInputGivesATraceOrAnError) {
  const auto whole = small_trace();
  std::mt19937_64 random(20240607);
  const unsigned rounds = 20'000 * effort();
  for (unsigned round = 0; round < rounds; ++round) {
    auto bytes = whole;
    for (auto changes = 1 + random() % 8; changes > 0; --changes) {
      // Half of the changes are after the header, where parsing goes on longer.
      const std::size_t from = random() % 2 == 0 ? sizeof(BlockHeader) : 0;
      bytes[from + random() % (bytes.size() - from)] = static_cast<unsigned char>(random());
    }
    is_trace(bytes);
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random());
    if (round % 100 == 0) {
      EXPECT_FALSE(is_trace(bytes));
    }
  }
}

TEST(TraceFile, Format1WithoutThreadsIsReadable) {
  std::vector<unsigned char> bytes(sizeof(BlockHeader) + 1000);
  Encoder out(bytes.data() + sizeof(BlockHeader));
  const auto numbers = [&out](std::initializer_list<std::uint64_t> values) {
    for (const std::uint64_t value : values) out.number(value);
  };
  out.byte(static_cast<std::uint8_t>(Tag::process));
  numbers({7, 0, 1, 100, 1, 0, 5});
  for (const char* text : {"host", "Some MPI", "/bin/app"}) out.text(text);
  out.byte(static_cast<std::uint8_t>(Tag::communicator));
  numbers({77, 1, 0, 0});
  out.byte(static_cast<std::uint8_t>(Tag::site));
  out.text("/bin/app");
  numbers({16, 0});
  out.byte(static_cast<std::uint8_t>(Tag::call));
  numbers({static_cast<std::uint8_t>(Kind::allreduce), 0, 0, 0, 1, 3, 64, 65, 200, 20});  // times are in zigzag form
  BlockHeader header{.magic = {}, .version = 1, .block_bytes = block_bytes, .index = 0, .used = 0, .base_ns = 1000};
  std::memcpy(header.magic, magic, sizeof magic);
  header.used = static_cast<std::uint32_t>(out.at() - bytes.data()) - std::uint32_t{sizeof header};
  std::memcpy(bytes.data(), &header, sizeof header);
  const ProcessTrace read = read_all({bytes, "old"});
  ASSERT_EQ(read.calls.size(), 1U);
  EXPECT_EQ(read.calls[0].kind, Kind::allreduce);
  EXPECT_EQ(read.calls[0].thread, 0U);
  EXPECT_EQ(read.calls[0].sequence, 3U);
  EXPECT_EQ(read.calls[0].bytes_received, 65U);
  EXPECT_EQ(read.calls[0].exit_ns, 1110);
}

TEST(TraceFile, ErrorsNameTheByte) {
  auto bytes = small_trace();
  bytes[8] = 99;
  try {
    static_cast<void>(read_all({bytes, "x.lxtrace"}));
    FAIL() << "another version was accepted";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "x.lxtrace, byte 8: format 99; this laxity reads formats 1 to 3");
  }
}

}  // namespace
}  // namespace laxity::trace

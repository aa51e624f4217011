// The C interface: the same events on every engine and in every class of sizes, each committed once; errors in one
// line.
#include "laxity/timewarp/c_model.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct Token {
  std::uint64_t hops;
};
struct Stop {
  std::uint64_t seen;
};

// Tokens that wander at random; `extra` bytes of an event repeat its hops, so that a torn event would be seen.
struct Walk {
  std::size_t extra = 0;
  std::atomic<std::uint64_t>* committed = nullptr;
};

void send_token(laxity_context* context, const Walk& walk, std::uint64_t hops) {
  std::array<unsigned char, 1024> event{};
  std::memcpy(event.data(), &hops, sizeof hops);
  std::memset(event.data() + sizeof hops, static_cast<unsigned char>(hops), walk.extra);
  const std::uint32_t to = laxity_random_below(context, laxity_logical_processes(context));
  laxity_send(context, to, 0.5 + laxity_random_unit(context), event.data());
}

void start(laxity_context* context, void*, const void* parameters) {
  for (int token = 0; token < 3; ++token) send_token(context, *static_cast<const Walk*>(parameters), 0);
}

void pass_on(laxity_context* context, void* state, const void* event, const void* parameters) {
  const auto& walk = *static_cast<const Walk*>(parameters);
  Token token{};
  std::memcpy(&token, event, sizeof token);
  for (std::size_t place = 0; place < walk.extra; ++place) {
    if (static_cast<const unsigned char*>(event)[sizeof token + place] != static_cast<unsigned char>(token.hops))
      laxity_fail(context, "a torn event");
  }
  ++static_cast<Stop*>(state)->seen;
  send_token(context, walk, token.hops + 1);
}

void count(std::uint32_t, double, const void*, const void* parameters) {
  static_cast<const Walk*>(parameters)->committed->fetch_add(1, std::memory_order_relaxed);
}

laxity_model model_of(const Walk& walk) {
  return {.event_bytes = sizeof(Token) + walk.extra,
          .state_bytes = sizeof(Stop),
          .lookahead = 0.5,
          .parameters = &walk,
          .init = start,
          .handle = pass_on,
          .commit = walk.committed != nullptr ? count : nullptr,
          .reverse = nullptr};
}

// A state that is too large to be copied in little time, of which an event changes one counter.
struct LargeStop {
  std::array<std::uint64_t, 100> seen;
};

void pass_on_in_large(laxity_context* context, void* state, const void* event, const void* parameters) {
  Token token{};
  std::memcpy(&token, event, sizeof token);
  ++static_cast<LargeStop*>(state)->seen[token.hops % 100];
  send_token(context, *static_cast<const Walk*>(parameters), token.hops + 1);
}

std::atomic<std::uint64_t> reversed = 0;

void reverse_in_large(laxity_context*, void* state, const void* event, const void*) {
  Token token{};
  std::memcpy(&token, event, sizeof token);
  --static_cast<LargeStop*>(state)->seen[token.hops % 100];
  reversed.fetch_add(1, std::memory_order_relaxed);
}

laxity_model large_model_of(const Walk& walk) {
  laxity_model model = model_of(walk);
  model.state_bytes = sizeof(LargeStop);
  model.handle = pass_on_in_large;
  model.reverse = reverse_in_large;
  return model;
}

laxity_run run_with(int threads, int processes) {
  return {.logical_processes = 20, .end_time = 50, .seed = 7, .threads = threads, .processes = processes, .digest = 1};
}

std::string message_of(const laxity_model& model, const laxity_run& run, int code = -1) {
  laxity_result result{};
  char message[512] = "";
  EXPECT_EQ(laxity_simulate(&model, &run, nullptr, &result, message, sizeof message), code);
  return message;
}

TEST(CModel, EveryEngineCommitsTheSameEventsOnce) {
  std::atomic<std::uint64_t> committed = 0;
  const Walk walk{.extra = 8, .committed = &committed};
  const laxity_model model = model_of(walk);
  laxity_result first{};
  char message[512];
  for (const auto& run : {run_with(0, 0), run_with(1, 0), run_with(2, 0)}) {
    committed = 0;
    laxity_result result{};
    std::vector<Stop> states(run.logical_processes);
    ASSERT_EQ(laxity_simulate(&model, &run, states.data(), &result, message, sizeof message), 0) << message;
    if (first.committed == 0) first = result;
    EXPECT_GT(result.committed, 1000U);
    EXPECT_EQ(result.committed, committed);
    EXPECT_EQ(result.digest, first.digest);
    EXPECT_EQ(result.processed, result.committed + result.rolled_back);
    std::uint64_t seen = 0;
    for (const Stop& state : states) seen += state.seen;
    EXPECT_EQ(seen, result.committed);
  }
}

TEST(CModel, EventsOfEveryClassArriveWhole) {
  for (const std::size_t event_bytes : {8U, 40U, 41U, 256U, 257U, 1024U}) {
    const Walk walk{.extra = event_bytes - sizeof(Token)};
    laxity_result result{};
    char message[512];
    const laxity_model model = model_of(walk);
    const laxity_run run = run_with(2, 0);
    ASSERT_EQ(laxity_simulate(&model, &run, nullptr, &result, message, sizeof message), 0) << message;
    EXPECT_GT(result.committed, 1000U);
  }
}

TEST(CModel, AReverseFunctionRestoresStates) {
  const Walk walk{.extra = 8};
  const laxity_model model = large_model_of(walk);
  laxity_model copied = model;
  copied.reverse = nullptr;
  reversed = 0;
  std::uint64_t rolled_back = 0;
  for (const auto& run : {run_with(0, 0), run_with(2, 0), run_with(3, 0)}) {
    std::vector<LargeStop> states(run.logical_processes), expected(run.logical_processes);
    laxity_result result{}, with_copies{};
    char message[512];
    ASSERT_EQ(laxity_simulate(&model, &run, states.data(), &result, message, sizeof message), 0) << message;
    ASSERT_EQ(laxity_simulate(&copied, &run, expected.data(), &with_copies, message, sizeof message), 0) << message;
    EXPECT_EQ(result.digest, with_copies.digest);
    EXPECT_EQ(std::memcmp(states.data(), expected.data(), states.size() * sizeof(LargeStop)), 0);
    rolled_back += result.rolled_back;
  }
  EXPECT_EQ(reversed, rolled_back);
}

TEST(CModel, CheckFindsWhatARollbackDoesNotRestore) {
  const Walk walk{.extra = 8};
  const laxity_run run = run_with(0, 0);
  char message[512] = "";
  laxity_model model = large_model_of(walk);
  reversed = 0;
  EXPECT_EQ(laxity_check(&model, &run, message, sizeof message), 0) << message;
  EXPECT_GT(reversed, 1000U);

  model.reverse = [](laxity_context*, void*, const void*, const void*) {};
  EXPECT_EQ(laxity_check(&model, &run, message, sizeof message), -1);
  EXPECT_NE(std::string(message).find("does not restore the state"), std::string::npos) << message;

  model = model_of(walk);
  EXPECT_EQ(laxity_check(&model, &run, message, sizeof message), 0) << message;
  static std::uint64_t calls = 0;
  model.handle = [](laxity_context*, void* state, const void*, const void*) {
    static_cast<Stop*>(state)->seen = ++calls;
  };
  EXPECT_EQ(laxity_check(&model, &run, message, sizeof message), -1);
  EXPECT_NE(std::string(message).find("handled twice from the same state"), std::string::npos) << message;

  laxity_run none = run;
  none.logical_processes = 0;
  EXPECT_EQ(laxity_check(&model, &none, message, sizeof message), -1);
  EXPECT_NE(std::string(message).find("logical_processes = 0"), std::string::npos) << message;
}

TEST(CModel, ErrorsAreOneLine) {
  const Walk walk;
  laxity_model model = model_of(walk);
  model.handle = [](laxity_context* context, void*, const void* event, const void*) {
    EXPECT_EQ(laxity_send(context, 99, 1, event), -1);
  };
  for (const int threads : {0, 2}) {
    const std::string message = message_of(model, run_with(threads, 0));
    EXPECT_NE(message.find("sends to 99: there is no such process"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
  model.handle = [](laxity_context* context, void*, const void*, const void*) { laxity_fail(context, "mine"); };
  EXPECT_NE(message_of(model, run_with(0, 0)).find(": mine"), std::string::npos);
}

TEST(CModel, OptionsThatMakeNoSenseAreNamed) {
  const Walk walk;
  const laxity_model good = model_of(walk);
  const laxity_run run = run_with(0, 0);
  laxity_model model = good;
  model.init = nullptr;
  EXPECT_EQ(message_of(model, run).find("init: "), 0U);
  model = good;
  model.handle = nullptr;
  EXPECT_EQ(message_of(model, run).find("handle: "), 0U);
  model = good;
  model.event_bytes = 1025;
  EXPECT_EQ(message_of(model, run), "event_bytes = 1025: must be at most 1024");
  model = good;
  model.state_bytes = 4097;
  EXPECT_EQ(message_of(model, run), "state_bytes = 4097: must be at most 4096");
  model = good;
  model.lookahead = -1;
  EXPECT_NE(message_of(model, run).find("lookahead"), std::string::npos);
  laxity_run without = run;
  without.logical_processes = 0;
  EXPECT_EQ(message_of(good, without).find("logical_processes = 0"), 0U);
}

TEST(CModel, AMessageThatDoesNotFitIsCut) {
  const Walk walk;
  laxity_model model = model_of(walk);
  model.init = nullptr;
  const laxity_run run = run_with(0, 0);
  laxity_result result{};
  char message[5] = "????";
  EXPECT_EQ(laxity_simulate(&model, &run, nullptr, &result, message, sizeof message), -1);
  EXPECT_STREQ(message, "init");
  EXPECT_EQ(laxity_simulate(&model, &run, nullptr, &result, nullptr, 0), -1);
}

}  // namespace

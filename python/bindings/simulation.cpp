#include "python/bindings/simulation.hpp"

#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "laxity/timewarp/c_model.h"
#include "python/bindings/array_type.hpp"
#include "python/bindings/commit_log.hpp"
#include "python/bindings/writable_bytes.hpp"

namespace laxity::python {
namespace {

nb::dict dict_of(const laxity_result& result) {
  nb::dict made;
  made["committed"] = result.committed;
  made["processed"] = result.processed;
  made["rolled_back"] = result.rolled_back;
  made["rollbacks"] = result.rollbacks;
  made["gvt_rounds"] = result.gvt_rounds;
  made["digest"] = result.digest;
  made["seconds"] = result.seconds;
  return made;
}

// The model's commit function, which fills a row of the log.
struct Commits {
  void (*function)(std::uint32_t process, double time, const void* event, void* record);
  CommitLog* log;

  static void add(std::uint32_t process, double time, const void* event, const void* parameters) {
    const auto* self = static_cast<const Commits*>(parameters);
    if (std::byte* record = self->log->append(process, time)) self->function(process, time, event, record);
  }
};

// All rows, as an array of bytes.
nb::bytearray rows_of(const CommitLog& log) {
  std::size_t bytes = 0;
  log.for_each([&](const std::byte*) { bytes += log.row_bytes(); });
  nb::bytearray rows;
  rows.resize(bytes);
  auto* to = static_cast<std::byte*>(rows.data());
  log.for_each([&](const std::byte* row) {
    std::memcpy(to, row, log.row_bytes());
    to += log.row_bytes();
  });
  return rows;
}

// A model by the addresses of its functions; 0: none. `parameters` is what its commit function gets.
laxity_model model_of(std::size_t event_bytes, std::size_t state_bytes, double lookahead, std::uintptr_t init,
                      std::uintptr_t handle, std::uintptr_t reverse, const Commits* commits) {
  // NOLINTBEGIN(performance-no-int-to-ptr): numba and ctypes name functions by their addresses
  return {.event_bytes = event_bytes,
          .state_bytes = state_bytes,
          .lookahead = lookahead,
          .parameters = commits,
          .init = reinterpret_cast<decltype(laxity_model::init)>(init),
          .handle = reinterpret_cast<decltype(laxity_model::handle)>(handle),
          .commit = commits != nullptr ? Commits::add : nullptr,
          .reverse = reinterpret_cast<decltype(laxity_model::reverse)>(reverse)};
  // NOLINTEND(performance-no-int-to-ptr)
}

void raise_unless_done(int code, const char* message) {
  if (code == 0) return;
  if (code == -1) raise("ModelError", message);
  PyErr_SetString(PyExc_KeyboardInterrupt, message);
  throw nb::python_error();
}

void check(std::size_t event_bytes, std::size_t state_bytes, double lookahead, std::uintptr_t init,
           std::uintptr_t handle, std::uintptr_t reverse, std::uint32_t logical_processes, double end_time,
           std::uint64_t seed) {
  const laxity_model model = model_of(event_bytes, state_bytes, lookahead, init, handle, reverse, nullptr);
  const laxity_run run{.logical_processes = logical_processes,
                       .end_time = end_time,
                       .seed = seed,
                       .threads = 0,
                       .processes = 0,
                       .digest = 0};
  char message[1024];
  int code = 0;
  {
    const nb::gil_scoped_release unlocked;
    code = laxity_check(&model, &run, message, sizeof message);
  }
  raise_unless_done(code, message);
}

nb::dict simulate(std::size_t event_bytes, std::size_t state_bytes, double lookahead, std::uintptr_t init,
                  std::uintptr_t handle, std::uintptr_t reverse, std::uintptr_t commit, std::size_t record_bytes,
                  std::uint32_t logical_processes, double end_time, std::uint64_t seed, int threads, int processes,
                  bool digest, nb::handle states) {
  std::optional<CommitLog> log;
  std::optional<Commits> commits;
  if (commit != 0) {
    log.emplace(record_bytes);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): as above
    commits = Commits{.function = reinterpret_cast<decltype(Commits::function)>(commit), .log = &*log};
  }
  const laxity_model model =
      model_of(event_bytes, state_bytes, lookahead, init, handle, reverse, commits ? &*commits : nullptr);
  const laxity_run run{.logical_processes = logical_processes,
                       .end_time = end_time,
                       .seed = seed,
                       .threads = threads,
                       .processes = processes,
                       .digest = digest ? 1 : 0};
  const WritableBytes bytes(states);
  laxity_result result{};
  char message[1024];
  int code = 0;
  {
    const nb::gil_scoped_release unlocked;
    code = laxity_simulate(&model, &run, bytes.data(), &result, message, sizeof message);
  }
  raise_unless_done(code, message);
  nb::dict made = dict_of(result);
  if (!log) return made;
  if (log->is_full()) raise("ModelError", "there is no memory for the records of all committed events");
  made["commits"] = rows_of(*log);
  return made;
}

// The addresses of the functions that handlers call.
nb::dict context_functions() {
  nb::dict addresses;
  const auto add = [&](const char* name, auto* function) {
    addresses[name] = reinterpret_cast<std::uintptr_t>(function);
  };
  add("self", laxity_self);
  add("logical_processes", laxity_logical_processes);
  add("now", laxity_now);
  add("send", laxity_send);
  add("fail", laxity_fail);
  add("random_bits", laxity_random_bits);
  add("random_unit", laxity_random_unit);
  add("random_below", laxity_random_below);
  return addresses;
}

}  // namespace

void bind_simulations(nb::module_& module) {
  module.def("simulate", &simulate, nb::arg("event_bytes"), nb::arg("state_bytes"), nb::arg("lookahead"),
             nb::arg("init"), nb::arg("handle"), nb::arg("reverse"), nb::arg("commit"), nb::arg("record_bytes"),
             nb::arg("logical_processes"), nb::arg("end_time"), nb::arg("seed"), nb::arg("threads"),
             nb::arg("processes"), nb::arg("digest"), nb::arg("states"));
  module.def("check", &check, nb::arg("event_bytes"), nb::arg("state_bytes"), nb::arg("lookahead"), nb::arg("init"),
             nb::arg("handle"), nb::arg("reverse"), nb::arg("logical_processes"), nb::arg("end_time"), nb::arg("seed"));
  module.def("context_functions", &context_functions);
}

}  // namespace laxity::python

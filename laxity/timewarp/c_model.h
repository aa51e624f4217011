/* Models for the Time Warp engine as C functions, for programs in C, and in languages that can call C and be called
 * from it (Fortran, Julia, Rust, Python compiled by numba).
 *
 *   struct laxity_model model = {.event_bytes = sizeof(struct arrival), .state_bytes = sizeof(struct shop),
 *                                .init = open_shop, .handle = serve};
 *   struct laxity_run run = {.logical_processes = 100, .end_time = 600, .seed = 1, .threads = 2};
 *   struct laxity_result result;
 *   char message[256];
 *   if (laxity_simulate(&model, &run, shops, &result, message, sizeof message) != 0) puts(message);
 *
 * The rules are those of a model in C++ (model.hpp): a handler may be rolled back, so it changes its state and sends
 * events, and has no other effects. States begin as zeros, then init() is called. Events and states are plain bytes,
 * copied as such. Every engine commits the same events.
 *
 * Errors: laxity_simulate() returns -1, or -2 after Ctrl-C, and writes one line. laxity_send() returns -1 for an event
 * that may not be sent; the run then fails when its sender is committed. Functions of a model must not throw or
 * jump out.
 * Threads: several call the functions of one model at the same time. One run at a time in a process.
 * Elsewhere: the engines (sequential.hpp, run.hpp), an example (examples/c_model).
 */
#ifndef LAXITY_TIMEWARP_C_MODEL_H
#define LAXITY_TIMEWARP_C_MODEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a function of a model can ask and do; valid during the call. */
struct laxity_context;

struct laxity_model {
  size_t event_bytes;     /* at most 1024 */
  size_t state_bytes;     /* at most 4096 */
  double lookahead;       /* minimum delay of events sent to another process; 0: unknown */
  const void* parameters; /* passed to the functions; the same for all */
  /* Sends the first events of a process. */
  void (*init)(struct laxity_context* context, void* state, const void* parameters);
  void (*handle)(struct laxity_context* context, void* state, const void* event, const void* parameters);
  /* Called once for every committed event, in the order of keys for each process; NULL: none. */
  void (*commit)(uint32_t process, double time, const void* event, const void* parameters);
  /* Reverses what handle() has done to the state, with the context as it was then; the engine restores the random
   * numbers and cancels the events sent. Called instead of copying states of more than 512 bytes; NULL: they are
   * copied. A handler that fails then ends the run even if its event would have been rolled back. laxity_check() tests
   * this function. */
  void (*reverse)(struct laxity_context* context, void* state, const void* event, const void* parameters);
};

struct laxity_run {
  uint32_t logical_processes; /* at least 1 */
  double end_time;            /* events at or past it are dropped */
  uint64_t seed;
  int threads;   /* of each process; 0, and no processes: the sequential engine, in a thread of its own */
  int processes; /* forked; 0: the workers are threads of this process */
  int digest;    /* not 0: hash all committed events */
};

struct laxity_result {
  uint64_t committed;   /* events */
  uint64_t processed;   /* events, those that were rolled back later included */
  uint64_t rolled_back; /* events */
  uint64_t rollbacks;
  uint64_t gvt_rounds;
  uint64_t digest; /* equal if two runs have committed the same events */
  double seconds;  /* from the first event to the last, without set-up */
};

/* Runs a simulation. Writes the states at its end to `states`, logical_processes times state_bytes, unless it is NULL.
 * Returns 0; or -1, and -2 if a signal has ended the run, with a line in `message`, of message_bytes with its end. */
int laxity_simulate(const struct laxity_model* model, const struct laxity_run* run, void* states,
                    struct laxity_result* result, char* message, size_t message_bytes);

/* Runs a simulation on the sequential engine, rolls every event back and handles it again; by reverse(), if the model
 * has it. Calls no commit(). Returns 0; or -1 with a line in `message` that names the first event whose state is not
 * restored, or that has another effect when it is handled again. */
int laxity_check(const struct laxity_model* model, const struct laxity_run* run, char* message, size_t message_bytes);

/* The logical process that handles the event, their number, and the time of the event; 0 in init(). */
uint32_t laxity_self(const struct laxity_context* context);
uint32_t laxity_logical_processes(const struct laxity_context* context);
double laxity_now(const struct laxity_context* context);

/* Sends an event that `to` handles after `delay`, which is positive. The event is copied. Returns 0, or -1. */
int laxity_send(struct laxity_context* context, uint32_t to, double delay, const void* event);

/* Ends the run with this message, unless the event is rolled back. */
void laxity_fail(struct laxity_context* context, const char* message);

/* Random numbers of this process, the same in every run of a seed: 64 bits; uniform in [0, 1); in 0 .. bound - 1,
 * uniform too, where bound is at least 1. */
uint64_t laxity_random_bits(struct laxity_context* context);
double laxity_random_unit(struct laxity_context* context);
uint32_t laxity_random_below(struct laxity_context* context, uint32_t bound);

#ifdef __cplusplus
}
#endif

#endif

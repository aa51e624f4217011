/* The ring of shops of examples/time_warp_model in C: two threads process events ahead of one another, roll back those
 * that were processed too early, and end with the result of one thread. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "laxity/timewarp/c_model.h"

struct shop { /* rolled back with its events */
  int64_t served;
  double free_at; /* minutes */
};

struct arrival {
  int64_t customer;
};

static void open_shop(struct laxity_context* context, void* state, const void* parameters) {
  const struct arrival first = {laxity_self(context)};
  (void)state, (void)parameters;
  laxity_send(context, laxity_self(context), 1 + laxity_random_unit(context), &first);
}

static void serve(struct laxity_context* context, void* state, const void* event, const void* parameters) {
  struct shop* shop = state;
  const double now = laxity_now(context);
  const double begin = shop->free_at > now ? shop->free_at : now;
  const double browsing = -5 * log(1 - laxity_random_unit(context));
  (void)parameters;
  shop->free_at = begin + 2; /* minutes at the counter */
  ++shop->served;
  laxity_send(context, (laxity_self(context) + 1) % laxity_logical_processes(context), begin + 2 + browsing - now,
              event);
}

int main(void) {
  const struct laxity_model day = {
      .event_bytes = sizeof(struct arrival), .state_bytes = sizeof(struct shop), .init = open_shop, .handle = serve};
  struct laxity_result alone, together;
  struct shop shops[100];
  char message[256];
  struct laxity_run run = {.logical_processes = 100, .end_time = 600, .seed = 1, .digest = 1};
  if (laxity_simulate(&day, &run, NULL, &alone, message, sizeof message) != 0) return puts(message), 1;
  run.threads = 2;
  if (laxity_simulate(&day, &run, shops, &together, message, sizeof message) != 0) return puts(message), 1;
  printf("%" PRIu64 " customers served, %" PRId64 " in shop 0; %s as in one thread\n", together.committed,
         shops[0].served, together.digest == alone.digest ? "the same" : "not the same");
  return 0;
}

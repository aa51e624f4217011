// A ring of shops: a customer is served, looks at goods, and walks to the next shop. Two threads without a barrier: each
// processes its events ahead of the other thread, and rolls back those that were processed too early. The result equals
// that of one thread.
#include <algorithm>
#include <cmath>
#include <iostream>

#include "laxity/timewarp/run.hpp"
#include "laxity/timewarp/sequential.hpp"

struct Shops {
  using Time = double;  // minutes
  struct State {        // of one shop; copied before every event, so that it can be rolled back
    long served = 0;
    double free_at = 0;
  };
  struct Event {  // a customer arrives
    int customer;
  };
  using Shop = laxity::timewarp::Context<Shops>;

  void init(Shop& shop) const { shop.send(shop.self(), 1 + shop.random().unit(), {static_cast<int>(shop.self())}); }

  void handle(Shop& shop, const Event& event) const {
    const double begin = std::max(shop.now(), shop.state().free_at);
    shop.state().free_at = begin + 2;  // minutes at the counter
    ++shop.state().served;
    const double browsing = -5 * std::log(1 - shop.random().unit());
    shop.send((shop.self() + 1) % shop.logical_processes(), begin + 2 + browsing - shop.now(), event);
  }
};

int main() {
  const laxity::timewarp::Simulation<Shops> day{.model = {}, .bounds = {.logical_processes = 100, .end_time = 600.0}};
  const auto alone = laxity::timewarp::run_sequential(day, {.digest = true});
  const auto together = laxity::timewarp::run(day, {.threads = 2, .worker = {.digest = true}});  // or .processes = 2
  std::cout << together.total().committed << " customers served, " << together.states[0].served << " in shop 0; "
            << (together.digest == alone.digest ? "the same" : "not the same") << " as in one thread\n";
}

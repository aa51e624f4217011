// The model check reports the first event whose handler cannot be rolled back.
#include "laxity/timewarp/model_check.hpp"

#include <gtest/gtest.h>

#include <string>

namespace laxity::timewarp {
namespace {

enum class Fault { none, global_state, global_send, forgetful_reverse };
int global = 0;

template <Fault fault>
struct Chain {
  using Time = double;
  static constexpr StateSaving state_saving = StateSaving::reverse;
  struct State {
    long long sum = 0;
    long long handled = 0;
  };
  struct Event {
    long long value;
  };
  void init(Context<Chain>& lp) const {
    global = 0;
    lp.send(lp.self(), 1.0 + lp.self(), {1});
  }
  void handle(Context<Chain>& lp, const Event& event) const {
    lp.state().sum += event.value;
    if (fault == Fault::global_state && lp.now() > 5) lp.state().sum += ++global;
    ++lp.state().handled;
    const bool changes = fault == Fault::global_send && lp.now() > 5;
    lp.send((lp.self() + 1) % lp.logical_processes(), 1.0 + lp.random().unit(), {changes ? ++global : 1});
  }
  void reverse(Context<Chain>& lp, const Event& event) const {
    lp.state().sum -= event.value;
    if (fault != Fault::forgetful_reverse || lp.now() <= 5) --lp.state().handled;
  }
};

template <Fault fault>
std::string error_of(Check check) {
  const Simulation<Chain<fault>> simulation{{}, {3, 50.0}, 1};
  try {
    EXPECT_GT(check_model(simulation, check), 50U);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(ModelCheck, AValidModelPasses) {
  EXPECT_EQ(error_of<Fault::none>(Check::purity), "");
  EXPECT_EQ(error_of<Fault::none>(Check::rollback), "");
}

TEST(ModelCheck, DetectsGlobalVariables) {
  EXPECT_NE(error_of<Fault::global_state>(Check::purity).find("leaves different states"), std::string::npos);
  EXPECT_NE(error_of<Fault::global_send>(Check::purity).find("sends different events"), std::string::npos);
}

TEST(ModelCheck, DetectsAnIncompleteReverseHandler) {
  EXPECT_EQ(error_of<Fault::forgetful_reverse>(Check::purity), "");
  const std::string error = error_of<Fault::forgetful_reverse>(Check::rollback);
  EXPECT_NE(error.find("does not restore the state"), std::string::npos) << error;
  EXPECT_EQ(error.rfind("logical process ", 0), 0U);
}

TEST(ModelCheck, ChecksAtMostTheGivenNumberOfEvents) {
  EXPECT_EQ(check_model(Simulation<Chain<Fault::none>>{{}, {3, 50.0}, 1}, Check::purity, 7), 7U);
}

}  // namespace
}  // namespace laxity::timewarp

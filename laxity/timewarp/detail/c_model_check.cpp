#include "laxity/timewarp/detail/c_model_run.hpp"
#include "laxity/timewarp/model_check.hpp"

namespace laxity::timewarp::detail {

void check_c_model(const laxity_model& model, const laxity_run& run) {
  if (model.reverse == nullptr) {
    check_model(simulation_of<CModel<1024, 4096, StateSaving::copy>>(model, run), Check::purity);
  } else {
    check_model(simulation_of<CModel<1024, 4096, StateSaving::reverse>>(model, run), Check::rollback);
  }
}

}  // namespace laxity::timewarp::detail

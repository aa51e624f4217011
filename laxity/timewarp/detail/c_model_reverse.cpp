#include "laxity/timewarp/detail/c_model_run.hpp"

namespace laxity::timewarp::detail {

template void run_c_model<1024, 4096, StateSaving::reverse>(const laxity_model&, const laxity_run&, void*,
                                                            laxity_result&);

}  // namespace laxity::timewarp::detail

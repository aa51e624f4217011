#include "laxity/cli/run_name.hpp"

#include "laxity/metrics/manifest.hpp"

namespace laxity::cli {

std::string default_output(const std::string& name) {
  std::string time = utc_now();  // 2021-05-23T10:02:51Z
  std::erase_if(time, [](char letter) { return letter == ':' || letter == '-'; });
  return "runs/" + name + "-" + time;
}

}  // namespace laxity::cli

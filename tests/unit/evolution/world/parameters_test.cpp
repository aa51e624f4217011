#include "workloads/evolution/world/parameters.hpp"

#include <string>

#include "gtest/gtest.h"
#include "laxity/error.hpp"
#include "workloads/evolution/world/parameters_file.hpp"

namespace laxity::evolution {
namespace {

Parameters parse(const std::string& text) {
  Parameters parameters;
  parse_parameters("world.toml", text, parameters);
  return parameters;
}

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parse(text));
  } catch (const ParseError& error) {
    return error.what();
  }
  return "none";
}

TEST(Parameters, EveryPresetSurvivesItsFile) {
  for (const char* preset : {"benchmark", "life"}) {
    const std::string text = format_parameters(parameters_of_preset(preset));
    Parameters read = parameters_of_preset("benchmark");
    parse_parameters("world.toml", text, read);
    EXPECT_EQ(format_parameters(read), text);
    check(read);
  }
  EXPECT_NE(format_parameters(parameters_of_preset("life")), format_parameters(parameters_of_preset("benchmark")));
  EXPECT_THROW(static_cast<void>(parameters_of_preset("death")), UsageError);
}

TEST(Parameters, AFileReplacesWhatItNames) {
  const Parameters read = parse("# a comment\r\n\n[groups]\nbest_size = [ 3 ,4 ] # two levels\n[resource]\nkeep=0.5");
  EXPECT_EQ(read.best_group_size[0], 3U);
  EXPECT_EQ(read.best_group_size[1], 4U);
  EXPECT_EQ(read.resource.keep, 0.5);
  EXPECT_EQ(read.resource.base_harvest, Parameters{}.resource.base_harvest);
}

TEST(Parameters, ErrorsHaveLineAndColumn) {
  EXPECT_EQ(error_of("[resource]\nkeep = 1.5"), "world.toml:2:8: expected a number from 0 to 1");
  EXPECT_EQ(error_of("[resource]\nkeep = ten"), "world.toml:2:8: expected a number from 0 to 1");
  EXPECT_EQ(error_of("[cpu]\n\n  cores = 2.5"), "world.toml:3:11: expected a whole number from 1 to 255");
  EXPECT_EQ(error_of("[cpu]\ncores = 99999999999"), "world.toml:2:9: expected a whole number from 1 to 255");
  EXPECT_EQ(error_of("[food]"), "world.toml:1:2: 'food' is no section");
  EXPECT_EQ(error_of("[cpu"), "world.toml:1:5: expected ']'");
  EXPECT_EQ(error_of("[cpu]\nkeep = 1"), "world.toml:2:1: 'keep' is no parameter of section [cpu]");
  EXPECT_EQ(error_of("[cpu]\ncores 4"), "world.toml:2:7: expected '='");
  EXPECT_EQ(error_of("[cpu]\ncores = 4 5"), "world.toml:2:11: expected the end of the line or a comment");
  EXPECT_EQ(error_of("[cpu]\ncores = 4\ncores = 5"), "world.toml:3:1: 'cores' is given twice");
  EXPECT_EQ(error_of("[groups]\nbest_size = [1]"), "world.toml:2:15: expected ','");
  EXPECT_EQ(error_of("cores = 4"), "world.toml:1:1: 'cores' is no parameter of section []");
}

TEST(Parameters, ThoseThatContradictEachOtherAreRefused) {
  EXPECT_THROW(check(parse("[periods]\nexchange = 12")), UsageError);
  EXPECT_THROW(check(parse("[resource]\nstart_min = 2")), UsageError);
  EXPECT_THROW(check(parse("[world]\nprogram_length = 2000")), UsageError);
}

}  // namespace
}  // namespace laxity::evolution

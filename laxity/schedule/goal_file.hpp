// Schedules in GOAL, the format of LogGOPSim and ATLAHS, as text and in its binary form.
//
//   num_ranks 2
//   rank 0 {
//   l0: calc 100
//   l1: send 8b to 1 tag 3 cpu 0 nic 0
//   l1 requires l0
//   }
//   rank 1 {
//   l0: recv 8b from 0 tag 3
//   }
//
// Sizes are bytes, the time of `calc` is nanoseconds, `irequires` waits for the start of an operation, -1 is a wildcard
// of source and tag, and // and /* */ enclose comments. Ranks follow in ascending order.
// Source: Hoefler, Schneider, Lumsdaine: LogGOPSim, LSAP 2010. The binary form is that of its converter txt2bin: little
//   endian, unaligned; its layout is described beside the writer (goal_binary.cpp).
// Errors: any bytes give a schedule or an error that names line and column (text) or the offset (binary). Time and
//   memory are linear in the file's size.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "laxity/schedule/schedule.hpp"

namespace laxity::schedule {

[[nodiscard]] std::string format_goal(const Schedule& schedule);
[[nodiscard]] std::string format_goal_binary(const Schedule& schedule);

/// `file` stands in errors where a file's name would. Throws ParseError.
[[nodiscard]] Schedule parse_goal(std::string_view text, const std::string& file);
/// Throws Error that names file and offset.
[[nodiscard]] Schedule parse_goal_binary(std::string_view bytes, const std::string& file);

/// Reads a file in either form, which it recognizes by its first bytes. Throws as the above; SystemError if the file
/// cannot be read; UsageError if it is no regular file.
[[nodiscard]] Schedule read_goal_file(const std::string& path);

}  // namespace laxity::schedule

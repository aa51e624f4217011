// Machines in TOML files.
//
//   name = "cluster"
//   eager_limit_bytes = 65536        # optional; 0: no limit
//
//   [[level]]                        # from the innermost to the outermost
//   name = "host"
//   ranks = 32                       # in a group, here the cores of a host; the outermost level has none
//   latency_us = 1.0
//   overhead_us = 0.1                # optional, like the others below: 0
//   gap_us = 0.1
//   gap_per_byte_ns = 0.8
//
//   [[level]]
//   name = "network"
//   latency_us = 2.0
//   gap_per_byte_ns = 0.8
//
// Errors: any bytes give a machine or an error that names line and column.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "laxity/schedule/machine.hpp"

namespace laxity::schedule {

/// `file` stands in errors where a file's name would. Throws ParseError; UsageError as require_valid().
[[nodiscard]] Machine parse_machine(std::string_view text, const std::string& file);

/// Throws as parse_machine(); SystemError if the file cannot be read.
[[nodiscard]] Machine read_machine_file(const std::string& path);

/// The machines that come with the library: paper, the platform of Salimi Beni, Cosenza and Hunold (III-A), and typical
/// clusters. Their files are in laxity/schedule/machines/.
[[nodiscard]] std::vector<std::string> shipped_machine_names();

/// A machine that comes with the library, or the machine in a file. Throws as read_machine_file(); where there is no
/// such file, SystemError.
[[nodiscard]] Machine machine_named(const std::string& name_or_path);

/// The text of a file that reads back as this machine.
[[nodiscard]] std::string format_machine(const Machine& machine);

}  // namespace laxity::schedule

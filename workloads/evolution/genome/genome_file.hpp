// Genomes as text files, which are read back bit by bit, and as JSON for other programs.
//
// Format: a line with name and version, one line for each number of the descent and each event's tag, then a line of 24
// hexadecimal digits for each instruction: opcode byte, three arguments, tag. What follows a semicolon is a comment; the
// writer puts the instruction's meaning there.
#pragma once

#include <string>
#include <string_view>

#include "workloads/evolution/genome/genome.hpp"

namespace laxity::evolution {

/// The name of an event in files: "always", "kin_match_0".
[[nodiscard]] std::string_view name_of(Event event) noexcept;

[[nodiscard]] std::string format_genome(const Genome& genome);
[[nodiscard]] std::string format_genome_json(const Genome& genome);

/// `name` is that of the file, in errors. Throws ParseError with line and column.
[[nodiscard]] Genome parse_genome(const std::string& name, std::string_view text);
/// Throws SystemError if the file cannot be read, ParseError if it is not a genome.
[[nodiscard]] Genome read_genome_file(const std::string& path);

}  // namespace laxity::evolution

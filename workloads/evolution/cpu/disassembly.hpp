// Instructions as text.
#pragma once

#include <string>

#include "workloads/evolution/cpu/instruction.hpp"

namespace laxity::evolution {

/// A tag as 16 hexadecimal digits.
[[nodiscard]] std::string text_of_tag(Tag tag);

/// An instruction as one line: its name, the registers that it uses, and its tag or constant if it has one.
[[nodiscard]] std::string disassemble(const Instruction& instruction);

}  // namespace laxity::evolution

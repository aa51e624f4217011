#include "workloads/evolution/cpu/instruction.hpp"

#include <algorithm>

namespace laxity::evolution {
namespace {

// In the order of Opcode.
constexpr std::array<OpcodeDescription, opcode_count> descriptions{{
    {"Fork If", 1, true, 1, "if a: requests a core at the global anchor that matches the tag, for when this core ends"},
    {"Nop A", 0, false, 1, "nothing"},
    {"Nop B", 0, false, 1, "nothing"},
    {"Nop C", 0, false, 1, "nothing"},
    {"Terminate If", 1, false, 1, "if a: ends the core"},
    {"Add", 3, false, 1, "a = b + c"},
    {"Divide", 3, false, 1, "a = b / c"},
    {"Modulo", 3, false, 1, "a = remainder of b / c, with the sign of b"},
    {"Multiply", 3, false, 1, "a = b * c"},
    {"Subtract", 3, false, 1, "a = b - c"},
    {"Bitwise And", 3, false, 1, "a = bits of b and bits of c"},
    {"Bitwise Not", 2, false, 1, "a = bits of b, inverted"},
    {"Bitwise Or", 3, false, 1, "a = bits of b or bits of c"},
    {"Bitwise Shift", 3, false, 1, "a = bits of b, shifted left by c, or right by -c"},
    {"Bitwise Xor", 3, false, 1, "a = bits of b exclusive-or bits of c"},
    {"Count Ones", 2, false, 1, "a = number of ones in the bits of b"},
    {"Random Fill", 1, false, 1, "a = 32 random bits"},
    {"Equal", 3, false, 1, "a = 1 if b = c, else 0"},
    {"Greater Than", 3, false, 1, "a = 1 if b > c, else 0"},
    {"Less Than", 3, false, 1, "a = 1 if b < c, else 0"},
    {"Logical And", 3, false, 1, "a = 1 if b and c are not 0, else 0"},
    {"Logical Or", 3, false, 1, "a = 1 if b or c is not 0, else 0"},
    {"Not Equal", 3, false, 1, "a = 1 if b and c differ, else 0"},
    {"Global Anchor", 0, true, 15, "begins a module; ends the core if the current module has local anchors"},
    {"Global Jump If", 1, true, 1, "if a: jumps to the global anchor that matches the tag, or ends the core"},
    {"Global Jump If Not", 1, true, 1, "if not a: jumps to the global anchor that matches the tag, or ends the core"},
    {"Adjust Global Regulator", 1, true, 1, "adds a to the regulator of the global anchor that matches the tag"},
    {"Decay Global Regulator", 1, true, 1, "takes a from the countdown of the global anchor that matches the tag"},
    {"Get Global Regulator", 1, true, 1, "a = regulator of the global anchor that matches the tag"},
    {"Set Global Regulator", 1, true, 1, "regulator of the global anchor that matches the tag = a"},
    {"Local Anchor", 0, true, 20, "a target of local jumps in its module"},
    {"Local Jump If", 1, true, 1, "if a: jumps to the local anchor that matches the tag, if there is one"},
    {"Local Jump If Not", 1, true, 1, "if not a: jumps to the local anchor that matches the tag, if there is one"},
    {"Adjust Local Regulator", 1, true, 1, "adds a to the regulator of the local anchor that matches the tag"},
    {"Decay Local Regulator", 1, true, 1, "takes a from the countdown of the local anchor that matches the tag"},
    {"Get Local Regulator", 1, true, 1, "a = regulator of the local anchor that matches the tag"},
    {"Set Local Regulator", 1, true, 1, "regulator of the local anchor that matches the tag = a"},
    {"Decrement", 1, false, 1, "a = a - 1"},
    {"Increment", 1, false, 1, "a = a + 1"},
    {"Negate", 1, false, 1, "a = -a"},
    {"Not", 1, false, 1, "a = 1 if a = 0, else 0"},
    {"Random Bool", 1, true, 1, "a = 1 with the probability tag / (2^64 - 1), else 0"},
    {"Random Draw", 1, false, 1, "a = constant of a random tag"},
    {"Load Constant", 1, true, 50, "a = constant of the tag"},
    {"Adjust Exposed Regulator", 1, true, 1, "adds a to the regulator of the exposed anchor that matches the tag"},
    {"Decay Exposed Regulator", 1, true, 1, "takes a from the countdown of the exposed anchor that matches the tag"},
    {"Get Exposed Regulator", 1, true, 1, "a = regulator of the exposed anchor that matches the tag"},
    {"Set Exposed Regulator", 1, true, 1, "regulator of the exposed anchor that matches the tag = a"},
    {"Add To Own State", 1, true, 1, "adds a to the writable state that the tag selects"},
    {"Broadcast In Cell If", 1, true, 1, "if a: sends tag and registers to the other cardinals of the cell"},
    {"Multiply Own State", 1, true, 1, "multiplies the writable state that the tag selects by a"},
    {"Read Neighbor State", 1, true, 10, "a = state of the neighbor that the tag selects"},
    {"Read Own State", 1, true, 1, "a = own state that the tag selects"},
    {"Send To Neighbor If", 1, true, 5, "if a: sends tag and registers to the neighbor"},
    {"Send In Cell If", 3, true, 1, "if a: sends tag and registers to the cardinal number a + b + c"},
    {"Write Own State If", 1, true, 1, "if a: the writable state that the tag selects = a"},
}};

constexpr std::size_t byte_count = 256;
using ByteTable = std::array<Opcode, byte_count>;

// Divides the bytes among the opcodes by prevalence; what rounding leaves jumps to the largest remainders (Hamilton's
// method), the earlier opcode first.
constexpr ByteTable byte_table = [] {
  std::size_t total = 0;
  for (const OpcodeDescription& description : descriptions) total += static_cast<std::size_t>(description.prevalence);
  std::array<std::size_t, opcode_count> share{};
  std::array<std::size_t, opcode_count> remainder{};
  std::size_t divided = 0;
  for (std::size_t i = 0; i < opcode_count; ++i) {
    const std::size_t scaled = byte_count * static_cast<std::size_t>(descriptions[i].prevalence);
    share[i] = scaled / total;
    remainder[i] = scaled % total;
    divided += share[i];
  }
  for (; divided < byte_count; ++divided) {
    const auto largest = std::max_element(remainder.begin(), remainder.end()) - remainder.begin();
    ++share[static_cast<std::size_t>(largest)];
    remainder[static_cast<std::size_t>(largest)] = 0;
  }
  ByteTable table{};
  std::size_t byte = 0;
  for (std::size_t i = 0; i < opcode_count; ++i) {
    for (std::size_t n = 0; n < share[i]; ++n) table[byte++] = static_cast<Opcode>(i);
  }
  return table;
}();

}  // namespace

const OpcodeDescription& describe(Opcode opcode) noexcept { return descriptions[static_cast<std::size_t>(opcode)]; }

Opcode opcode_of_byte(std::uint8_t byte) noexcept { return byte_table[byte]; }

std::uint8_t byte_of_opcode(Opcode opcode) noexcept {
  return static_cast<std::uint8_t>(std::find(byte_table.begin(), byte_table.end(), opcode) - byte_table.begin());
}

std::optional<Opcode> opcode_of_name(std::string_view name) noexcept {
  const auto found = std::find_if(descriptions.begin(), descriptions.end(),
                                  [&](const OpcodeDescription& description) { return description.name == name; });
  if (found == descriptions.end()) return std::nullopt;
  return static_cast<Opcode>(found - descriptions.begin());
}

float constant_of_tag(Tag tag) noexcept {
  const double between = static_cast<double>(tag) / 0x1p64 * 2 - 1;  // in [-1, 1]
  return static_cast<float>(tag % 2 == 0 ? between : 1 / (between * between * between));
}

}  // namespace laxity::evolution

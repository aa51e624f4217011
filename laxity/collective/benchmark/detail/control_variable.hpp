// A whole-number control variable of the MPI tool interface: how a library lets its settings be changed while it runs.
//
// Source: MPI 4.0, 15.3.6. Names and values of the variables are the libraries' own.
// Threads: one at a time.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace laxity::collective::detail {

/// Between construction and destruction the tool interface may be used. `keep_open`: do not close it at the end. MPICH 4.0
/// knows no variables any more after the interface was closed and opened again; Open MPI, on the other hand, leaves the
/// end of its components undone for as long as it is open.
class ToolInterface {
 public:
  explicit ToolInterface(bool keep_open);
  ToolInterface(const ToolInterface&) = delete;
  ToolInterface& operator=(const ToolInterface&) = delete;
  ~ToolInterface();

 private:
  bool keep_open_;
};

class ControlVariable {
 public:
  /// The interface must be open. Nothing if the library has no variable of this name, or it is not a whole number or truth value, or is bound to
  /// an object.
  static std::optional<ControlVariable> find(const std::string& name);
  ControlVariable(ControlVariable&& other) noexcept;
  ControlVariable& operator=(ControlVariable&&) = delete;
  ~ControlVariable();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& description() const noexcept { return description_; }
  /// The values that have a name, in the library's order; empty if it gives none.
  [[nodiscard]] const std::vector<std::pair<int, std::string>>& items() const noexcept { return items_; }

  /// Throw Error naming the variable and what the library answered.
  [[nodiscard]] int read() const;
  void write(int value) const;

 private:
  ControlVariable() = default;

  std::string name_;
  std::string description_;
  std::vector<std::pair<int, std::string>> items_;
  MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
  bool is_byte_ = false;  // a truth value of one byte, which some libraries announce and fill as such
};

}  // namespace laxity::collective::detail

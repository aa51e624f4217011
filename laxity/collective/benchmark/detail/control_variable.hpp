// An integer control variable of the MPI tool interface: a setting of the library that can be changed at run time.
//
// Source: MPI 4.0, 15.3.6. Names and values of the variables are specific to a library.
// Threads: one at a time.
#pragma once

#include <mpi.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace laxity::collective::detail {

/// Initializes the tool interface. The destructor finalizes it unless `keep_open` is true: MPICH 4.0 loses its
/// variables when the interface is finalized and initialized again, while Open MPI does not finalize its components
/// before the interface is.
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
  /// Requires an initialized interface. Empty if the library has no variable of this name, or if the variable is
  /// neither integer nor boolean, or is bound to an object.
  static std::optional<ControlVariable> find(const std::string& name);
  ControlVariable(ControlVariable&& other) noexcept;
  ControlVariable& operator=(ControlVariable&&) = delete;
  ~ControlVariable();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& description() const noexcept { return description_; }
  /// The named values, in the library's order; empty if the library names none.
  [[nodiscard]] const std::vector<std::pair<int, std::string>>& items() const noexcept { return items_; }

  /// Both throw Error naming the variable and the error code.
  [[nodiscard]] int read() const;
  void write(int value) const;

 private:
  ControlVariable() = default;

  std::string name_;
  std::string description_;
  std::vector<std::pair<int, std::string>> items_;
  MPI_T_cvar_handle handle_ = MPI_T_CVAR_HANDLE_NULL;
  bool is_byte_ = false;  // a boolean of one byte, the width that some libraries read and write
};

}  // namespace laxity::collective::detail

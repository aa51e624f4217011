#include "laxity/collective/benchmark/detail/control_variable.hpp"

#include <cstring>

#include "laxity/error.hpp"
#include "laxity/mpi_call.hpp"

namespace laxity::collective::detail {
namespace {

constexpr int max_text_bytes = 8192;

// The tool interface has its own error codes, which MPI_Error_string() does not translate.
void check(const char* operation, int code, const std::string& variable = {}) {
  if (code == MPI_SUCCESS) return;
  throw Error(std::string(operation) + (variable.empty() ? "" : "(" + variable + ")") +
              ": the MPI tool interface failed with error code " + std::to_string(code));
}

// `filled` counts the terminating zero.
std::string text_of(const char* buffer, int filled) { return {buffer, strnlen(buffer, static_cast<size_t>(filled))}; }

std::vector<std::pair<int, std::string>> items_of(MPI_T_enum enumeration) {
  std::vector<std::pair<int, std::string>> items;
  if (enumeration == MPI_T_ENUM_NULL) return items;
  char name[max_text_bytes];
  int count = 0;
  int length = max_text_bytes;
  check("MPI_T_enum_get_info", MPI_T_enum_get_info(enumeration, &count, name, &length));
  for (int i = 0; i < count; ++i) {
    int value = 0;
    length = max_text_bytes;
    check("MPI_T_enum_get_item", MPI_T_enum_get_item(enumeration, i, &value, name, &length));
    items.emplace_back(value, text_of(name, length));
  }
  return items;
}

}  // namespace

ToolInterface::ToolInterface(bool keep_open) : keep_open_(keep_open) {
  int granted = 0;
  check("MPI_T_init_thread", MPI_T_init_thread(MPI_THREAD_SINGLE, &granted));
}

ToolInterface::~ToolInterface() {
  if (!keep_open_) mpi::report("MPI_T_finalize", MPI_T_finalize());
}

std::optional<ControlVariable> ControlVariable::find(const std::string& name) {
  int index = 0;
  const mpi::Result lookup{"MPI_T_cvar_get_index", MPI_T_cvar_get_index(name.c_str(), &index)};
  if (!lookup.succeeded()) return std::nullopt;
  char found[max_text_bytes];
  char description[max_text_bytes];
  int name_length = max_text_bytes;
  int description_length = max_text_bytes;
  int verbosity = 0;
  int bind = 0;
  int scope = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum enumeration = MPI_T_ENUM_NULL;
  check("MPI_T_cvar_get_info",
        MPI_T_cvar_get_info(index, found, &name_length, &verbosity, &type, &enumeration, description,
                            &description_length, &bind, &scope),
        name);
  const bool is_byte = type == MPI_C_BOOL || type == MPI_CXX_BOOL;
  if ((type != MPI_INT && type != MPI_UNSIGNED && !is_byte) || bind != MPI_T_BIND_NO_OBJECT) return std::nullopt;

  ControlVariable variable;
  variable.name_ = name;
  variable.description_ = text_of(description, description_length);
  variable.items_ = items_of(enumeration);
  variable.is_byte_ = is_byte;
  int count = 0;
  check("MPI_T_cvar_handle_alloc", MPI_T_cvar_handle_alloc(index, nullptr, &variable.handle_, &count), name);
  return variable;
}

ControlVariable::ControlVariable(ControlVariable&& other) noexcept
    : name_(std::move(other.name_)),
      description_(std::move(other.description_)),
      items_(std::move(other.items_)),
      handle_(std::exchange(other.handle_, MPI_T_CVAR_HANDLE_NULL)),
      is_byte_(other.is_byte_) {}

ControlVariable::~ControlVariable() {
  if (handle_ != MPI_T_CVAR_HANDLE_NULL) mpi::report("MPI_T_cvar_handle_free", MPI_T_cvar_handle_free(&handle_));
}

int ControlVariable::read() const {
  int value[2] = {0, 0};  // wider than any integer that the library may write
  check("MPI_T_cvar_read", MPI_T_cvar_read(handle_, value), name_);
  if (!is_byte_) return value[0];
  unsigned char boolean = 0;
  std::memcpy(&boolean, value, 1);
  return boolean != 0 ? 1 : 0;
}

void ControlVariable::write(int value) const {
  const unsigned char boolean = value != 0 ? 1 : 0;
  const void* const from = is_byte_ ? static_cast<const void*>(&boolean) : static_cast<const void*>(&value);
  check("MPI_T_cvar_write", MPI_T_cvar_write(handle_, from), name_);
}

}  // namespace laxity::collective::detail

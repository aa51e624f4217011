// Errors of the environment (files, memory, system calls, invalid input): thrown in set-up and I/O, never on a hot
// path.
//
// Threads: any. Elsewhere: bugs of the library, which abort (check.hpp); failed calls of MPI (mpi_call.hpp).
#pragma once

#include <stdexcept>
#include <string>

namespace laxity {

/// The message is one line that names what failed, where, and what to do.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Invalid input: an option, a file, a combination of them. The command line ends with exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// A malformed file, with the position of the error. Line and column count from 1.
class ParseError : public Error {
 public:
  ParseError(const std::string& file, long line, long column, const std::string& what)
      : Error(file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " + what),
        line_(line),
        column_(column) {}
  [[nodiscard]] long line() const noexcept { return line_; }
  [[nodiscard]] long column() const noexcept { return column_; }

 private:
  long line_;
  long column_;
};

/// The limit of this process that a failed system call with this error has probably reached, and how to raise it:
/// " (the limit of address space is 500000 KiB: ulimit -v)". Empty if there is none.
[[nodiscard]] std::string limit_behind(int error_number);

/// A system call that failed, with the limit behind it: "mmap(4096 bytes): Cannot allocate memory".
class SystemError : public Error {
 public:
  SystemError(const std::string& call, int error_number);
  [[nodiscard]] int error_number() const noexcept { return error_number_; }

 private:
  int error_number_;
};

}  // namespace laxity

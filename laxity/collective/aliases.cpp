#include "laxity/collective/aliases.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace laxity::collective {
namespace {

struct Size {
  std::size_t processes;
  std::size_t elements;
};

struct Fallback {
  Collective collective;
  std::string_view name;
  std::string_view runs;
  bool (*holds)(Size size);
  std::string_view why;
};

constexpr std::size_t default_fanout = 4;  // of Open MPI's chains, and the radix of its knomial trees

bool always(Size /*size*/) { return true; }
bool fewer_elements_than_processes(Size size) { return size.elements < size.processes; }
bool fewer_elements_than_a_power(Size size) { return size.elements < std::bit_floor(size.processes); }
bool one_element(Size size) { return size.elements < 2; }
bool no_power_of_two(Size size) { return !std::has_single_bit(size.processes); }
bool odd(Size size) { return size.processes % 2 == 1; }
bool two(Size size) { return size.processes <= 2; }
bool three(Size size) { return size.processes <= 3; }
bool four(Size size) { return size.processes == 4; }
bool one_radix(Size size) { return size.processes <= default_fanout; }
bool chains_of_one(Size size) { return size.processes <= default_fanout + 1; }

constexpr std::string_view few_elements = "the message has fewer elements than there are processes";
constexpr std::string_view star = "its tree is a star for this few processes";

constexpr std::array<Fallback, 23> open_mpi{{
    {Collective::allgather, "recursive_doubling", "bruck", no_power_of_two,
     "the number of processes is not a power of two"},
    {Collective::allgather, "neighbor", "ring", odd, "the number of processes is odd"},
    {Collective::allreduce, "ring", "recursive_doubling", fewer_elements_than_processes, few_elements},
    {Collective::allreduce, "segmented_ring", "recursive_doubling", fewer_elements_than_processes, few_elements},
    {Collective::allreduce, "segmented_ring", "ring", always, "no segment size is set"},
    {Collective::allreduce, "rabenseifner", "basic_linear", fewer_elements_than_a_power, few_elements},
    {Collective::bcast, "scatter_allgather", "basic_linear", fewer_elements_than_processes, few_elements},
    {Collective::bcast, "scatter_allgather_ring", "basic_linear", fewer_elements_than_processes, few_elements},
    {Collective::bcast, "pipeline", "basic_linear", two, star},
    {Collective::bcast, "split_binary_tree", "basic_linear", [](Size size) { return two(size) && one_element(size); },
     star},
    {Collective::bcast, "split_binary_tree", "pipeline", one_element, "a message of one element cannot be split"},
    {Collective::bcast, "chain", "basic_linear", chains_of_one, star},
    {Collective::bcast, "binary_tree", "basic_linear", three, star},
    {Collective::bcast, "binomial", "basic_linear", three, star},
    {Collective::bcast, "binomial", "binary_tree", four, "both trees have the same shape for four processes"},
    {Collective::bcast, "knomial", "basic_linear", one_radix, star},
    {Collective::gather, "binomial", "basic_linear", three, star},
    {Collective::reduce, "chain", "linear", chains_of_one, star},
    {Collective::reduce, "pipeline", "linear", two, star},
    {Collective::reduce, "binary", "linear", three, star},
    {Collective::reduce, "binomial", "linear", three, star},
    {Collective::reduce, "rabenseifner", "linear", fewer_elements_than_a_power, few_elements},
    {Collective::scatter, "binomial", "basic_linear", three, star},
}};

const Algorithm* named(const std::vector<Algorithm>& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Algorithm& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Alias> aliases(Library library, Collective collective, const std::vector<Algorithm>& all, int processes,
                           std::size_t bytes) {
  std::vector<Alias> found;
  if (library != Library::open_mpi) return found;
  const Size size{static_cast<std::size_t>(processes), bytes % 4 == 0 ? bytes / 4 : bytes};
  for (const Algorithm& algorithm : all) {
    for (const Fallback& rule : open_mpi) {
      if (rule.collective != collective || rule.name != algorithm.name || !rule.holds(size)) continue;
      if (const Algorithm* const runs = named(all, rule.runs)) found.push_back({algorithm, *runs, rule.why});
      break;
    }
  }
  return found;
}

bool is_usable(Library library, std::string_view version, Collective collective, const Algorithm& algorithm,
               int processes) noexcept {
  if (library == Library::open_mpi) return algorithm.name != "two_proc" || processes == 2;
  if (library == Library::mpich && collective == Collective::reduce_scatter && algorithm.name == "noncommutative") {
    return std::has_single_bit(static_cast<unsigned>(processes));
  }
  // On a single host there is no hierarchy: some ranks get an error and the others wait for them forever.
  if (library == Library::mpich && version.starts_with("5.")) return algorithm.name != "smp";
  return true;
}

}  // namespace laxity::collective

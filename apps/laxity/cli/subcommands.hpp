// The subcommands of the laxity command line: the only list of them.
//
// Each function is defined in the folder of its family and adds one subcommand to the program, or to `study`. Its callback does
// the work. It throws laxity::UsageError for input that makes no sense (exit code 2), any other laxity::Error for what failed
// (exit code 1), which main.cpp prints as one line, and Exit to end with a code and without a message.
#pragma once

#include <array>

#include "laxity/cli/command.hpp"

namespace laxity::cli {

/// Adds a subcommand. The command line is for launchers that start it again, and for run directories.
using AddSubcommand = void(Command& program, int argc, const char* const* argv);

AddSubcommand add_color;                ///< graph coloring without a central clock
AddSubcommand add_phold;                ///< optimistic simulation of PHOLD
AddSubcommand add_clock;                ///< accuracy of synchronized clocks
AddSubcommand add_arrival;              ///< collectives under arrival patterns
AddSubcommand add_pattern;              ///< writes and draws arrival patterns
AddSubcommand add_schedule;             ///< message schedules: text, pictures, simulation, GOAL files
AddSubcommand add_trace;                ///< records the collective calls of an MPI program
AddSubcommand add_tune;                 ///< chooses algorithms of collectives; checks and tries rules files
AddSubcommand add_report;               ///< report.html, by the Python package
AddSubcommand add_compare;              ///< compares two studies, by the Python package
AddSubcommand add_export;               ///< a study in other formats, by the Python package
AddSubcommand add_scale;                ///< graph coloring on ranks under SimGrid
AddSubcommand add_study;                ///< studies of many treatments; the next ones are added to it
AddSubcommand add_timewarp_study;       ///< the figures on PHOLD
AddSubcommand add_best_effort_studies;  ///< the experiments of best-effort communication
AddSubcommand add_hosts_study;          ///< ranks on the same and on different hosts
AddSubcommand add_faulty_host_study;    ///< a host that stands still
AddSubcommand add_papers_study;         ///< all studies, and every claim of the papers
AddSubcommand add_evolution_study;      ///< digital evolution in each asynchronicity mode
AddSubcommand add_fft_study;            ///< a Fourier transform with each algorithm of its collective
AddSubcommand add_custom_study;         ///< any program built with the library
AddSubcommand add_timewarp;             ///< tunes engines and compares event logs
AddSubcommand add_epidemic;             ///< models with known theory
AddSubcommand add_pcs;
AddSubcommand add_queueing;
AddSubcommand add_evolve;      ///< genomes of digital evolution
AddSubcommand add_doctor;      ///< what is installed, what works, what to do
AddSubcommand add_top;         ///< the workers of running jobs
AddSubcommand add_clean;       ///< removes shared memory that dead runs left
AddSubcommand add_completion;  ///< shell completion, made from the options
AddSubcommand add_man;         ///< the manual page, made from the options

/// In the order of the help.
inline constexpr std::array subcommands{add_color,
                                        add_phold,
                                        add_clock,
                                        add_arrival,
                                        add_pattern,
                                        add_schedule,
                                        add_trace,
                                        add_tune,
                                        add_report,
                                        add_compare,
                                        add_export,
                                        add_scale,
                                        add_study,
                                        add_timewarp,
                                        add_epidemic,
                                        add_pcs,
                                        add_queueing,
                                        add_timewarp_study,
                                        add_best_effort_studies,
                                        add_hosts_study,
                                        add_faulty_host_study,
                                        add_papers_study,
                                        add_evolution_study,
                                        add_fft_study,
                                        add_custom_study,
                                        add_evolve,
                                        add_doctor,
                                        add_top,
                                        add_clean,
                                        add_completion,
                                        add_man};

}  // namespace laxity::cli

// The subcommands of the laxity command line, one file each. Every function adds its subcommand to the application.
//
// A subcommand does its work in its CLI11 callback. It throws laxity::UsageError for input that makes no sense (exit
// code 2) and any other laxity::Error for what failed (exit code 1); main.cpp turns both into one line.
// CLI::RuntimeError(code) ends with a code and no line.
#pragma once

#include <CLI/CLI.hpp>

namespace laxity::cli {

/// Measures collectives under arrival patterns; the command line goes to the launcher and into the run directory.
void add_arrival(CLI::App& app, int argc, const char* const* argv);
/// Adds the experiments of best-effort communication to `study`, which must be there.
void add_best_effort_studies(CLI::App& app, int argc, const char* const* argv);
/// Adds the study of ranks on the same and on different nodes to `study`.
void add_hosts_study(CLI::App& app, int argc, const char* const* argv);
/// Adds the study of a node that stands still to `study`.
void add_faulty_host_study(CLI::App& app, int argc, const char* const* argv);
/// Adds the study of any program to `study`; the command line goes into the run directory.
void add_custom_study(CLI::App& app, int argc, const char* const* argv);
void add_clean(CLI::App& app);  ///< removes shared memory that dead runs left
/// Measures synchronized clocks; the command line is given to a launcher of MPI where ranks are asked for.
void add_clock(CLI::App& app, int argc, const char* const* argv);
/// Colors a graph; the command line goes into the run directory.
void add_color(CLI::App& app, int argc, const char* const* argv);
void add_compare(CLI::App& app);     ///< compares two studies with the Python package
void add_completion(CLI::App& app);  ///< prints shell completion, made from the options of `app`
void add_doctor(CLI::App& app);      ///< says what is installed, what works, what to do
void add_export(CLI::App& app);      ///< writes a study in other formats with the Python package
void add_man(CLI::App& app);         ///< prints the manual page, made from the options of `app`
void add_pattern(CLI::App& app);     ///< writes arrival patterns, draws them
/// Simulates PHOLD; the command line goes into the run directory.
void add_phold(CLI::App& app, int argc, const char* const* argv);
void add_report(CLI::App& app);  ///< writes report.html with the Python package
/// Colors graphs on simulated ranks; the command line goes into the run directory.
void add_scale(CLI::App& app, int argc, const char* const* argv);
/// Traces an MPI program; the command line goes into the run directory.
void add_trace(CLI::App& app, int argc, const char* const* argv);
void add_tune(CLI::App& app);  ///< chooses algorithms of collectives, checks and tries rules files
/// Runs studies of many treatments; the command line goes into the run directory.
void add_study(CLI::App& app, int argc, const char* const* argv);
void add_top(CLI::App& app);       ///< shows what the workers of running jobs do
void add_timewarp(CLI::App& app);  ///< tunes engines and compares event logs
/// Simulate a model beside theory; the command line goes into the run directory.
void add_epidemic(CLI::App& app, int argc, const char* const* argv);
void add_pcs(CLI::App& app, int argc, const char* const* argv);
void add_queueing(CLI::App& app, int argc, const char* const* argv);

}  // namespace laxity::cli

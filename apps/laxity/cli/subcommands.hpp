// The subcommands of the laxity command line, one file each. Every function adds its subcommand to the application.
//
// A subcommand does its work in its CLI11 callback. It throws laxity::UsageError for input that makes no sense (exit
// code 2) and any other laxity::Error for what failed (exit code 1); main.cpp turns both into one line.
// Exit ends the program with a code and without a message.
#pragma once

#include "apps/laxity/cli/command.hpp"

namespace laxity::cli {

/// Measures collectives under arrival patterns; the command line goes to the launcher and into the run directory.
void add_arrival(Command& app, int argc, const char* const* argv);
/// Adds the experiments of best-effort communication to `study`, which must be there.
void add_best_effort_studies(Command& app, int argc, const char* const* argv);
/// Adds the study of ranks on the same and on different nodes to `study`.
void add_hosts_study(Command& app, int argc, const char* const* argv);
/// Adds the study of a node that stands still to `study`.
void add_faulty_host_study(Command& app, int argc, const char* const* argv);
/// Adds the study of any program to `study`; the command line goes into the run directory.
void add_custom_study(Command& app, int argc, const char* const* argv);
void add_clean(Command& app);  ///< removes shared memory that dead runs left
/// Measures synchronized clocks; the command line is given to a launcher of MPI where ranks are asked for.
void add_clock(Command& app, int argc, const char* const* argv);
/// Colors a graph; the command line goes into the run directory.
void add_color(Command& app, int argc, const char* const* argv);
void add_compare(Command& app);     ///< compares two studies with the Python package
void add_completion(Command& app);  ///< prints shell completion, made from the options of `app`
void add_doctor(Command& app);      ///< says what is installed, what works, what to do
void add_export(Command& app);      ///< writes a study in other formats with the Python package
void add_man(Command& app);         ///< prints the manual page, made from the options of `app`
void add_pattern(Command& app);     ///< writes arrival patterns, draws them
/// Simulates PHOLD; the command line goes into the run directory.
void add_phold(Command& app, int argc, const char* const* argv);
void add_report(Command& app);  ///< writes report.html with the Python package
/// Colors graphs on simulated ranks; the command line goes into the run directory.
void add_scale(Command& app, int argc, const char* const* argv);
/// Traces an MPI program; the command line goes into the run directory.
void add_trace(Command& app, int argc, const char* const* argv);
void add_tune(Command& app);  ///< chooses algorithms of collectives, checks and tries rules files
/// Runs studies of many treatments; the command line goes into the run directory.
void add_study(Command& app, int argc, const char* const* argv);
void add_top(Command& app);       ///< shows what the workers of running jobs do
void add_timewarp(Command& app);  ///< tunes engines and compares event logs
/// Simulate a model beside theory; the command line goes into the run directory.
void add_epidemic(Command& app, int argc, const char* const* argv);
void add_pcs(Command& app, int argc, const char* const* argv);
void add_queueing(Command& app, int argc, const char* const* argv);

}  // namespace laxity::cli

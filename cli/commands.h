// SPDX-License-Identifier: Apache-2.0
// The commands: each is a function that adds it to the command line, and sets what to run if it is
// given.
#pragma once

#include <functional>
#include <string>

#include "cli/options/app.h"
#include "src/diag/diagnostic.h"
#include "src/report/command_report.h"

namespace t2n::cli {

using report::CommandReport;

/// The work of a command, which fills its report. Errors are thrown.
using Run = std::function<ExitCode(CommandReport& report)>;

void setup_bench(CLI::App& app, Run& run);
void setup_check(CLI::App& app, Run& run);
void setup_completion(CLI::App& app, Run& run);
void setup_diff(CLI::App& app, Run& run);
void setup_env(CLI::App& app, Run& run);
void setup_explain(CLI::App& app, Run& run);
void setup_export(CLI::App& app, Run& run);
void setup_graph(CLI::App& app, Run& run);
void setup_help(CLI::App& app, Run& run);
void setup_inspect(CLI::App& app, Run& run);
void setup_lint(CLI::App& app, Run& run);
void setup_ops(CLI::App& app, Run& run);
void setup_opt(CLI::App& app, Run& run);
void setup_reduce(CLI::App& app, Run& run);
void setup_run(CLI::App& app, Run& run);
void setup_tensors(CLI::App& app, Run& run);

/// In the help of `export`, and in that of the program.
inline constexpr const char* kExportExamples =
    "examples:\n"
    "  t2nnef export model.pt --target tract --check\n"
    "  t2nnef export model.pt -t tract@0.21.19 -i ids=1,8,i64:0..999 -o model.tar\n"
    "  t2nnef export model.pt -t khronos -o model.nnef.tgz\n";

/// The command line that runs, for a shell.
std::string command_text();

/// Parses the command line and runs the command. Errors: `usage`, and those of the commands.
ExitCode run_command_line(int argc, char** argv);

}  // namespace t2n::cli

// SPDX-License-Identifier: Apache-2.0
// Options of checks and engines, shared by all commands that run an artefact.
#pragma once

#include <string>
#include <vector>

#include "cli/options/app.h"
#include "src/check/check_model.h"

namespace t2n::cli {

struct EngineOptions {
  std::string engine;  ///< of --engine
};

void add_engine_options(CLI::App& command, EngineOptions& options);

/// The time and memory that --timeout and --max-memory leave for an engine.
check::RunnerOptions runner_options();

constexpr const char* kOnFailure = "on-failure";

struct ToleranceOptions {
  std::string check;                    ///< a level; "": no check
  std::vector<std::string> tolerances;  ///< "A,R[,O]", or of one output: "NAME=A,R[,O]"
  int seeds = 2;
  bool strict = false;
  std::string localise = kOnFailure;
};

constexpr const char* kDefaultLevel = "approximate";

/// Adds --tolerance and --strict; --check is the command's own.
void add_tolerance_options(CLI::App& command, ToleranceOptions& options);

/// Errors: `usage`.
CheckOptions check_options(const ToleranceOptions& options, const EngineOptions& engine);

/// "check: tract 0.23.9 vs LibTorch 2.13.0 · …" and one line per output.
std::string check_text(const CheckOptions& options, const CheckResult& result);

}  // namespace t2n::cli

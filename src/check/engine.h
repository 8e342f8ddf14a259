// SPDX-License-Identifier: Apache-2.0
// Chooses the engine that runs an artefact, by `--engine` and by what is installed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "nnef_writer/temporary.h"
#include "src/check/runner.h"
#include "src/diag/diagnostic.h"
#include "src/spec/operations.h"
#include "src/target/target.h"
#include "src/tract/version.h"

namespace t2n {

/// The value of `--engine`: "auto" (or ""), "reference", "tract", "tract@0.21.19", or the path of
/// tract's library, with or without "lib:".
struct EngineChoice {
  enum class Kind { automatic, reference, tract, library };
  Kind kind = Kind::automatic;
  std::optional<tract::EngineVersion> version;  ///< of "tract@0.21.19"
  std::string library;
};

/// Errors: `usage`.
EngineChoice parse_engine(std::string_view text);

/// The kind of artefact that an engine must run.
struct EngineRequest {
  spec::Dialect dialect = spec::Dialect::tract;
  std::optional<target::Target> target;  ///< nothing: unknown
  bool only = false;                     ///< an explicit tract version must serve the target
  bool is_foreign = false;               ///< written by another exporter
  bool needs_own = false;                ///< the reference interpreter may not replace tract
};

/// The request for the check of an export.
EngineRequest engine_request_for(const target::Target& target);

struct FoundEngine {
  std::unique_ptr<check::Runner> runner;
  /// Determines the order of its inputs: tract uses that of the `external` statements.
  spec::Dialect order = spec::Dialect::tract;
  std::optional<Diagnostic> warning;  ///< `engine-reference`: another engine is used instead
  /// A folder for temporary files of a check, deleted with the object.
  std::shared_ptr<nnef::Temporary> scratch = nullptr;
};

/// `auto` uses tract for tract artefacts if a version that serves the target is found, else the
/// reference interpreter. Errors: `engine-not-found`, `engine-version`.
FoundEngine find_engine(const EngineChoice& choice, const EngineRequest& request,
                        const check::RunnerOptions& options);

}  // namespace t2n

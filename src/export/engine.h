// Which engine runs an artefact: what `--engine` says, and what is found.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "src/check/runner.h"
#include "src/diag/diagnostic.h"
#include "src/spec/operations.h"
#include "src/target/target.h"
#include "src/tract/version.h"

namespace t2n {

/// Of `--engine`: "auto" (or ""), "reference", "tract", "tract@0.21.19", or the path of tract's
/// library, with or without "lib:".
struct EngineChoice {
  enum class Kind { automatic, reference, tract, library };
  Kind kind = Kind::automatic;
  std::optional<tract::EngineVersion> version;  ///< of "tract@0.21.19"
  std::string library;
};

/// Errors: `usage`.
EngineChoice parse_engine(std::string_view text);

/// What an engine is to run.
struct Wanted {
  spec::Dialect dialect = spec::Dialect::tract;
  std::optional<target::Target> target;  ///< nothing: nobody knows which
  bool only = false;  ///< a tract that was asked for must be one that may stand for the target
  bool is_foreign = false;  ///< another exporter wrote it
};

/// Of an export.
Wanted wanted_for(const target::Target& target);

struct FoundEngine {
  std::unique_ptr<check::Runner> runner;
  /// In whose order it takes the inputs: tract's is that of the `external` statements.
  spec::Dialect order = spec::Dialect::tract;
  std::optional<Diagnostic> warning;  ///< `engine-reference`: another takes the engine's place
};

/// `auto` takes tract for what is written for tract, if there is one that may stand for the
/// target, and else the reference interpreter. Errors: `engine-not-found`, `engine-version`.
FoundEngine find_engine(const EngineChoice& choice, const Wanted& wanted,
                        const check::RunnerOptions& options);

}  // namespace t2n

// Which engine runs an artefact: what `--engine` says, and what is found.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "src/check/runner.h"
#include "src/target/target.h"
#include "src/tract/version.h"

namespace t2n {

/// Of `--engine`: "auto" (or ""), "tract", "tract@0.21.19", or the path of a library, with or
/// without "lib:".
struct EngineChoice {
  enum class Kind { automatic, tract, library };
  Kind kind = Kind::automatic;
  std::optional<tract::Version> version;  ///< of "tract@0.21.19"
  std::string library;
};

/// Errors: `usage`.
EngineChoice parse_engine(std::string_view text);

/// What an engine is to run.
struct Wanted {
  std::optional<target::Target> target;  ///< nothing: nobody knows which; the default's series
  bool only = false;  ///< nothing but an engine that may stand for the target will do
};

/// Errors: `engine-not-found`, `engine-version`.
std::unique_ptr<check::Runner> find_runner(const EngineChoice& choice, const Wanted& wanted,
                                           const check::RunnerOptions& options);

}  // namespace t2n

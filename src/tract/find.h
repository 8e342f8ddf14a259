// SPDX-License-Identifier: Apache-2.0
// Finds engines, and chooses one that serves a target.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/tract/version.h"

namespace t2n::tract {

enum class Origin { option, environment, python };

struct Engine {
  std::string library;  ///< path of the shared library
  EngineVersion version;
  Origin origin = Origin::option;
};

/// The oldest series with a known C interface (abi.h).
constexpr EngineVersion kOldest{0, 19, 0};

/// Paths to search, in this order. Each is a library file, its folder, or the folder that contains
/// the Python package `tract`.
struct Search {
  std::string option;       ///< of --engine: "lib:PATH" or a path; then nothing else is searched
  std::string environment;  ///< of T2NNEF_TRACT_LIB: such paths, separated by colons
  std::string virtual_env;  ///< of VIRTUAL_ENV
  std::string prefix = {};  ///< where t2nnef is installed; pip installs tract there, too
  std::vector<std::string> pythons = {"python3", "python"};  ///< searched for a `tract` wheel
};

/// The given option ("auto" means none); the rest from this process's environment.
Search search_from_environment(std::string option);

struct Candidates {
  std::vector<Engine> engines;        ///< in the order of the search, without duplicates
  std::vector<std::string> problems;  ///< paths that should contain an engine and do not
};
Candidates find_engines(const Search& search);

/// The first candidate that serves the target. Errors: `engine-version`, `engine-not-found`.
Engine pick(const EngineVersion& target, const Candidates& candidates);

/// Searches and picks; starts no Python if an earlier path has a suitable engine.
Engine find_engine(const Search& search, const EngineVersion& target);

}  // namespace t2n::tract

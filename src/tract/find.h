// Where engines come from, and which of them may serve a target.
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

/// Oldest series whose C interface is known (abi.h).
constexpr EngineVersion kOldest{0, 19, 0};

/// Places to look at, in this order. A library is given as the file, as the folder that holds it,
/// or as the folder that holds the Python package `tract`.
struct Search {
  std::string option;       ///< of --engine: "lib:PATH" or a path; nothing else is looked at then
  std::string environment;  ///< of T2NNEF_TRACT_LIB: such paths, separated by colons
  std::string virtual_env;  ///< of VIRTUAL_ENV
  std::vector<std::string> pythons = {"python3", "python"};  ///< whose `tract` wheel counts
};

/// The option as given ("auto" is none), the rest from the environment of this process.
Search search_from_environment(std::string option);

struct Candidates {
  std::vector<Engine> engines;        ///< in the order of the search, each library once
  std::vector<std::string> problems;  ///< places that should have held an engine and did not
};
Candidates find_engines(const Search& search);

/// The first candidate that serves the target. Errors: `engine-version`, `engine-not-found`.
Engine pick(const EngineVersion& target, const Candidates& candidates);

/// Both, but no Python is started where an earlier place serves.
Engine find_engine(const Search& search, const EngineVersion& target);

}  // namespace t2n::tract

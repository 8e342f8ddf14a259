// SPDX-License-Identifier: Apache-2.0
// Finds the user's source files, of which a model has only the names.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace t2n::report {

/// A line of the user's source: where an annotation is shown.
struct SourceLine {
  std::string file;  ///< relative to the working directory, with '/'
  int line = 0;
  int column = 0;  ///< 1-based; 0 where unknown
};

/// The files below the working directory, by name. Hidden folders and what is deeper than the
/// sources of a project are not searched.
class SourceFiles {
 public:
  /// Lists them. After a model is loaded, the process may not.
  SourceFiles();
  /// For each location, the innermost frame; the name alone for a file that is not here, or if
  /// several have this name. `locations` is a list of where_json().
  std::vector<SourceLine> lines_of(const nlohmann::ordered_json& locations) const;

 private:
  std::string path_of(const std::string& name) const;

  std::map<std::string, std::vector<std::string>> paths_;
};

}  // namespace t2n::report

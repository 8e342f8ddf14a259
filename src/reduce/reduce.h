// SPDX-License-Identifier: Apache-2.0
// The command `reduce`: the smallest part of a model that still fails as the model does.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/export/pipeline.h"

namespace t2n::reduce {

/// The options of an export, and what is to be kept. `output`: the common stem of the files.
struct ReduceOptions : ExportOptions {
  std::string keep;        ///< of --keep: a text that the message must contain; "": any
  std::string against;     ///< an artefact of the model, whose difference is kept; "": none
  bool has_target = true;  ///< false: the target is that of `against`
  double seconds = 300;    ///< of --within
  /// Called with each step: "500 -> 250 operations".
  std::function<void(const std::string& text)> say;
};

struct WrittenFile {
  std::string path;
  int64_t bytes = 0;
  std::string what;  ///< "the graph", "its weights", "its inputs", "the artefact"
};

/// The size of a model.
struct Extent {
  size_t operations = 0;
  int64_t elements = 0;  ///< of inputs and weights
};

struct Reduction {
  Diagnostic failure;  ///< of the smallest part
  ir::Graph graph;     ///< the smallest part
  Extent before;
  Extent after;
  size_t candidates = 0;  ///< number of parts that were tried
  double seconds = 0;
  bool is_complete = true;  ///< false: the time ended the search
  /// In the order in which they were written.
  std::vector<WrittenFile> files;
  std::string module;     ///< not empty: the model fails in its trace, in this module
  std::string differing;  ///< the model's output that differs, whose tolerance parts have
};

/// Writes the part as OUTPUT.ir with its weights, its inputs as OUTPUT.inputs.npz, and, if it has
/// one, its artefact as OUTPUT.nnef.tgz, after it failed again when read from such files. Errors:
/// `not-reducible` if the model does not fail, or if no part can be tried; those of loading;
/// `usage`.
Reduction reduce(ReduceOptions options);

}  // namespace t2n::reduce

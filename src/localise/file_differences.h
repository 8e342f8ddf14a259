// SPDX-License-Identifier: Apache-2.0
// What a file has differently from an export of the model: weights, numbers and operations.
#pragma once

#include <vector>

#include "ir/graph.h"
#include "src/check/localisation.h"
#include "src/localise/flow.h"
#include "src/nnef/artefact.h"

namespace t2n::localise {

struct FileDifferences {
  std::vector<FileDifference> rows;  ///< first in data flow first
  /// The two have the same structure but for few statements; else only weights are compared.
  bool are_similar = false;
};

/// A file, and the lines of its statements.
struct ReadFile {
  const nnef::Artefact& artefact;
  const Flow& flow;
  std::vector<int> lines;  ///< by statement
};

/// `exported`: an export of the model, read back; `origins`: of its statements.
FileDifferences file_differences(const ReadFile& file, const nnef::Artefact& exported,
                                 const std::vector<nnef::Origin>& origins);

/// For a file of another structure: weights that nearly equal one of the model's.
std::vector<FileDifference> weight_differences(const ReadFile& file, const ir::Graph& model);

}  // namespace t2n::localise

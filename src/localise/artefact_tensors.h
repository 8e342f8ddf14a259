// SPDX-License-Identifier: Apache-2.0
// The artefact of a check, and which of its tensors are those of an export.
#pragma once

#include <optional>
#include <vector>

#include "src/localise/frontier.h"
#include "src/localise/model_tensors.h"
#include "src/localise/probe.h"
#include "src/nnef/artefact.h"

namespace t2n::localise {

struct ArtefactTensors {
  nnef::Artefact artefact;
  std::vector<int> lines;  ///< of graph.nnef, by statement
  Flow flow;
  Probed probed;
};

/// Reads the artefact, and copies it to a folder of its own.
ArtefactTensors artefact_tensors(const Checking& checking, const InputSet& set);

/// For each of its tensors the one at the same position of an export; `exported` is that export.
std::vector<std::optional<RefTensor>> pairs_of(const nnef::Document& artefact, const Flow& flow,
                                               const nnef::Document& exported, const Flow& other);

/// For each of the model's outputs, its index among the artefact's results.
std::vector<size_t> result_indices(const Checking& checking, const nnef::Document& document);

/// The location of a statement. `origin`: the operation of the model that it computes.
StatementLocation location_of(const ArtefactTensors& artefact, size_t tensor,
                              const nnef::Origin& origin);

}  // namespace t2n::localise

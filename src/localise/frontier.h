// SPDX-License-Identifier: Apache-2.0
// Finds the tensors of an artefact that differ from the model's although what they are made of
// agrees.
#pragma once

#include <optional>
#include <vector>

#include "src/localise/flow.h"

namespace t2n::localise {

/// What the artefact's tensors are compared with: those of an export, of torch, or of both.
struct Reference {
  std::vector<const Flow*> flows;  ///< the inputs and results of each are in the model's order
};

/// A tensor of a reference.
struct RefTensor {
  size_t flow = 0;
  size_t tensor = 0;
  friend auto operator<=>(const RefTensor&, const RefTensor&) = default;
};

/// An artefact's data flow with what is known of its relation to the model.
struct Compared {
  const Flow& flow;
  const Reference& reference;
  std::vector<size_t> inputs;   ///< for each of the artefact's inputs, its index in the model
  std::vector<size_t> results;  ///< for each of the model's outputs, its index in the artefact
  /// For each tensor, the one at the same position of an export, as far as their structures agree.
  std::vector<std::optional<RefTensor>> pairs;
  bool differs = true;  ///< an output is wrong; else only distances are measured
};

struct Suspect {
  size_t tensor = 0;                          ///< of the artefact
  std::optional<RefTensor> counterpart = {};  ///< the first of the model's that the artefact lacks
  std::optional<RefTensor> equivalent = {};   ///< that or a later one: what the tensor should be
  std::optional<RefTensor> before = {};       ///< the model's tensor that it is made of
};

struct Frontier {
  std::vector<Suspect> suspects;                       ///< first in data flow first
  std::vector<std::optional<double>> nearest;          ///< by tensor: its distance from the model's
  std::vector<bool> wrong;                             ///< by tensor
  std::vector<std::optional<RefTensor>> counterparts;  ///< by tensor: its pair, or an equal one
  double noise = 0;                                    ///< distances up to it are rounding
};

/// Compares digests. Tensors correspond by their position, or if their values are equal.
Frontier find_frontier(const Compared& compared);

}  // namespace t2n::localise

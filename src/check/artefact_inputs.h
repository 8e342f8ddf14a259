// SPDX-License-Identifier: Apache-2.0
// The inputs that an artefact accepts.
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "src/nnef/ast.h"
#include "src/check/source_model.h"
#include "src/spec/input_sizes.h"

namespace t2n {

struct ArtefactInputs {
  spec::SizeRules rules;
  std::vector<size_t> indices;     ///< of each among the inputs of the model's graph
  std::set<int64_t> lengths = {};  ///< constant lengths in the file
  bool has_wide_integers = true;   ///< exact beyond 2^24; strict NNEF computes them as scalars
};

/// For a document whose inputs are those of the model's graph, in its order.
ArtefactInputs artefact_inputs_of(const nnef::Document& document);

/// What the artefact receives of the model's inputs. Errors: `input-sizes` if it excludes their
/// sizes.
std::vector<ir::Tensor> fed_inputs(const std::vector<trace::SampleInput>& inputs,
                                   const SourceModel& model, const ArtefactInputs& accepted);

/// Converts a tensor to another dtype of its kind (floats, integers). Nothing if the kind differs,
/// or a number is out of range.
std::optional<ir::Tensor> as_dtype(const ir::Tensor& tensor, ir::DType dtype);

}  // namespace t2n

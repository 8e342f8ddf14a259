// SPDX-License-Identifier: Apache-2.0
// The part of an artefact that belongs to a part of the model that it was exported from.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "src/nnef/artefact.h"
#include "src/reduce/part.h"

namespace t2n::reduce {

/// By value of a graph, the tensor of an artefact that holds it.
using TensorNames = std::map<ir::ValueId, std::string>;

/// The tensors of `exported`, the graph's own export: by name.
TensorNames tensors_of(const ir::Graph& graph, const nnef::Document& exported);
/// The tensors of another artefact that correspond to those: by name, if t2nnef wrote it, else by
/// dataflow.   Results correspond by name or position.
TensorNames tensors_in(const nnef::Document& other, const nnef::Document& exported,
                       const TensorNames& names);

/// A document with its weights.
nnef::Artefact artefact_of(const nnef::Document& document);

/// The statements of the artefact between the part's inputs and its outputs, as a document with the
/// same order of inputs and outputs, and their sizes.   Nothing if the artefact lacks one of them,
/// or if its outputs depend on other inputs.
std::optional<nnef::Document> cut(const nnef::Artefact& artefact, const Part& part,
                                  const TensorNames& names);

}  // namespace t2n::reduce

// SPDX-License-Identifier: Apache-2.0
// Wrong artefacts made of right ones: what a check has to refuse.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ir/tensor.h"
#include "src/nnef/ast.h"

namespace t2n::test {

/// What a liar knows of the right file.
struct Truth {
  nnef::Document document;
  std::vector<ir::Tensor> inputs;   ///< of the samples, in the order of the graph's parameters
  std::vector<ir::Tensor> outputs;  ///< torch's for them
  ir::Sizes sizes;                  ///< of the document's symbols in the samples
  /// Per state its input and output, by place.
  std::vector<std::pair<size_t, size_t>> states;
};

struct Lie {
  std::string kind;  ///< "input-ignored"
  std::string what;  ///< what was changed: "x"
  nnef::Document document;
};

/// At most `most` of each kind, the same for the same seed.
std::vector<Lie> lies_of(const Truth& truth, size_t most, uint64_t seed);

/// All kinds, in the order of the table.
const std::vector<std::string>& lie_kinds();

// By what they change (one file each).
using Lies = std::vector<Lie>;
void lie_of_inputs(const Truth& truth, Lies& out);
void lie_of_outputs(const Truth& truth, Lies& out);
void lie_of_weights(const Truth& truth, Lies& out);
void lie_of_operations(const Truth& truth, Lies& out);
void lie_of_quantisers(const Truth& truth, Lies& out);  ///< only where something is rounded to even
void lie_of_corners(const Truth& truth, Lies& out);     ///< wrong at some sizes or values only
/// A lie for each statement that `change` can change; it says what it did, or nothing.
using ChangeStatement = std::function<std::string(nnef::Assignment& statement)>;
void lie_per_statement(const Truth& truth, const char* kind, Lies& out,
                       const ChangeStatement& change);

/// A document that says something else of `name` after it was assigned: its readers, and the
/// results, see `value`, in which `name` is the right one.
nnef::Document replaced(const nnef::Document& document, const std::string& name,
                        const nnef::Value& value, const std::string& lie_name = "t2n_lie");
/// A tensor of the document's own.
nnef::Assignment add_variable(nnef::Document& document, const std::string& name,
                              const ir::Tensor& value);
nnef::Value call(const std::string& operation, nnef::Values operands,
                 std::vector<nnef::Argument> attributes = {});

}  // namespace t2n::test

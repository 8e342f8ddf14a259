// SPDX-License-Identifier: Apache-2.0
// Shared by the parts of the lint.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/lint/strict.h"
#include "src/nnef/ast.h"
#include "src/spec/types.h"

namespace t2n::spec {

/// What is known of an assigned tensor; empty if its statement is wrong.
struct TensorFacts {
  Item item = Item::unknown;
  std::optional<ir::Ints> shape;
  std::string_view operation;  ///< the operation that assigns it
  std::string_view label;      ///< of a variable
};

/// By identifier; the document must outlive it.
using TensorTable = std::unordered_map<std::string_view, TensorFacts>;

/// Names that statements of the graph assign to variables, in order.
using Names = std::vector<std::string_view>;

/// The problem of a number or string literal, or "". Readers store floats as f32, and support
/// neither infinities nor escapes in strings.
std::string literal_problem(const nnef::Value& value);

/// Checks labels, and the stored tensors of these labels.
void lint_labels(const Names& variables, const TensorTable& tensors, std::span<const Stored> stored,
                 std::vector<Violation>& violations);

/// Checks the entries of graph.quant.
void lint_quantisation(const nnef::Document& document, const TensorTable& tensors,
                       const Names& variables, std::span<const Stored> stored,
                       std::vector<Violation>& violations);

}  // namespace t2n::spec

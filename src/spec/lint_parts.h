// What the parts of the lint share.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "nnef/ast.h"
#include "src/spec/lint.h"
#include "src/spec/types.h"

namespace t2n::spec {

/// What is known of an assigned tensor; of one whose statement is wrong, nothing.
struct TensorFacts {
  Item item = Item::unknown;
  std::optional<ir::Ints> shape;
  std::string_view operation;  ///< that assigns it
  std::string_view label;      ///< of a variable
};

/// By identifier, of a document that outlives it.
using TensorTable = std::unordered_map<std::string_view, TensorFacts>;

/// Statements of the graph that assign variables: names, in their order.
using Names = std::vector<std::string_view>;

/// What is wrong with a literal that is a number or a string, or "". Readers hold reals as f32,
/// know no infinity, and read no escapes in strings.
std::string literal_problem(const nnef::Value& value);

/// Labels, and the stored tensors behind them.
void lint_labels(const Names& variables, const TensorTable& tensors, std::span<const Stored> stored,
                 std::vector<std::string>& problems);

/// The entries of graph.quant.
void lint_quantisation(const nnef::Document& document, const TensorTable& tensors,
                       const Names& variables, std::span<const Stored> stored,
                       std::vector<std::string>& problems);

}  // namespace t2n::spec

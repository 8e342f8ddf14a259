// SPDX-License-Identifier: Apache-2.0
// A document as a flat list of operations that refer to each other by index, not by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/nnef/ast.h"

namespace t2n::diff {

/// An output of an operation.
struct NodeOutput {
  size_t node = 0;
  size_t output = 0;
  friend bool operator==(const NodeOutput&, const NodeOutput&) = default;
};

/// The argument of a parameter: a text with '%' for each of the sources, in order.
struct Operand {
  std::string parameter;  ///< "#0" if no declaration is known
  std::string text;
  std::string shown;  ///< as written in the document
  std::vector<NodeOutput> sources;
};

struct Node {
  std::string operation;  ///< with its generic type: "external<scalar>"
  std::string name;       ///< of its first output; "" inside an expression
  std::string label;      ///< of a variable
  std::vector<std::string> outputs;
  std::vector<Operand> operands;  ///< with defaults, and without a variable's label

  bool is_variable() const { return operation.starts_with("variable"); }
};

struct FlatGraph {
  std::vector<Node> nodes;  ///< a node's sources precede it
  std::vector<NodeOutput> inputs;
  std::vector<NodeOutput> results;  ///< kUndefined for undefined names
  std::vector<size_t> order;        ///< every node, operands first, starting from the first result
};

constexpr NodeOutput kUndefined{SIZE_MAX, 0};

FlatGraph flatten(const nnef::Document& document);

/// "relu 'features_0_2_relu'"
std::string node_str(const Node& node);

}  // namespace t2n::diff

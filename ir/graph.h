// SPDX-License-Identifier: Apache-2.0
// The intermediate representation: named tensors, one node per operation, no aliasing, no mutation.
#pragma once

#include <any>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/attr.h"
#include "ir/comparison.h"
#include "ir/op_registry.h"
#include "ir/quant_info.h"
#include "ir/source_location.h"
#include "ir/tensor.h"

namespace t2n::ir {

/// A named tensor. Defined exactly once: as a graph input, a constant or an output of a node.
struct Value {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
  std::optional<QuantInfo> quant;
};

/// A value known before the model runs: a parameter, buffer or literal tensor of the model.
struct Constant {
  ValueId value = kNoValue;
  /// Its bytes, a view into the mapped file wherever possible. Empty `bytes` with elements > 0
  /// means "not loaded": the text form of large constants.
  Tensor data;
};

struct Node {
  OpId op = 0;
  std::vector<Argument> args;  ///< every argument of the schema, in schema order
  std::vector<ValueId> outputs;
  ScopeId scope = 0;
  int call = 0;  ///< how many operations of this name precede it in this scope
  SourceId source = kNoSource;
  /// torch's common dtype of the operands, where that means something (see Promotion).
  std::optional<DType> compute_dtype;
  std::shared_ptr<Graph> body;  ///< t2n::scan only (scan.h)

  const Attr* find(std::string_view name) const;
};
/// The tensor operand of that name; kNoValue if there is none.
ValueId operand(const Node& node, std::string_view name);

struct Graph {
  std::string name = "model";
  std::vector<Value> values;
  std::vector<Node> nodes;  ///< in execution order
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::vector<std::string> output_names;  ///< as long as `outputs`: one value may be returned twice
  std::vector<Constant> constants;
  std::vector<Scope> scopes = {Scope{}};
  std::vector<Source> sources;
  /// Facts about the graph by key: sample sizes of symbols, statistics… Printed if their type is
  /// registered (print.h).
  std::map<std::string, std::any> attributes;
};

/// Graph attribute: the sample value of every symbol in the graph (Sizes).
inline constexpr const char* kSampleSizes = "sample_sizes";
/// The value of that attribute; none if the graph has none.
const Sizes& sample_sizes(const Graph& graph);
/// Graph attribute: assertions about the symbols (std::vector<Comparison>).
inline constexpr const char* kRelations = "relations";
const std::vector<Comparison>& relations(const Graph& graph);
/// Graph attribute: the same for data-dependent sizes. They are unknown until the graph runs, which
/// must fail if an assertion does not hold (std::vector<Comparison>).
inline constexpr const char* kRuntimeAssertions = "demands";
const std::vector<Comparison>& runtime_assertions(const Graph& graph);

// Building (build.cpp).
ValueId add_value(Graph& graph, Value value);
ValueId add_constant(Graph& graph, std::string name, Tensor data);

// Reading (build.cpp).
/// Calls `visit(ValueId)` for each tensor operand.
template <typename Visit>
void for_each_input(const Node& node, Visit&& visit) {
  for (const Argument& arg : node.args) for_each_ref(arg.value, visit);
}
/// The names of the graph's inputs.
std::vector<std::string> input_names(const Graph& graph);
/// For each value its index in graph.constants, or -1.
std::vector<int> constant_index(const Graph& graph);
/// For each value the index of the node that computes it, or -1.
std::vector<int> producers(const Graph& graph);
/// For each value how many operands and graph outputs refer to it.
std::vector<int> use_counts(const Graph& graph);

// In verify.cpp, print.cpp and parse.cpp.
/// Checks every invariant; `after` names what ran last. Errors: `ir-invalid`.
void verify(const Graph& graph, std::string_view after);
/// The text form: grouped by module, one operation a line; constants up to 64 bytes with their
/// values.
std::string print(const Graph& graph);
/// Reads what print() writes; larger constants come back not loaded. Errors: `ir-syntax`.
Graph parse(std::string_view text);

}  // namespace t2n::ir

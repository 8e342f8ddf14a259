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
#include "ir/tensor.h"
#include "src/diag/diagnostic.h"

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

/// One level of a module path in the NNCF form `Class[attribute]`; `parent` is -1 at the root.
struct Scope {
  int parent = -1;
  std::string module_class;
  std::string attribute;
};
using ScopeId = int32_t;

/// Where in the user's source an operation comes from.
struct Source {
  std::vector<Frame> frames;  ///< innermost first, the user's own only
  std::string excerpt;
  int caret = 0;
  int caret_width = 0;
  friend bool operator==(const Source&, const Source&);
};
using SourceId = int32_t;
inline constexpr SourceId kNoSource = -1;

struct Graph;

struct Node {
  OpId op = 0;
  std::vector<Argument> args;  ///< every argument of the schema, in schema order
  std::vector<ValueId> outputs;
  ScopeId scope = 0;
  int call = 0;  ///< how many operations of this word came before in this scope
  SourceId source = kNoSource;
  /// torch's common dtype of the operands, where that means something (see Promotion).
  std::optional<DType> compute_dtype;
  std::shared_ptr<Graph> body;  ///< t2n::scan only (scan.h)

  const Attr* find(std::string_view name) const;
};

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
  /// Facts about the graph by key: sample sizes of symbols, statistics… Printed if registered
  /// (print.h).
  std::map<std::string, std::any> attributes;
};

/// Graph attribute: the sample value of every symbol in the graph (Sizes).
inline constexpr const char* kSampleSizes = "sample_sizes";
/// These; none if the graph does not say.
const Sizes& sample_sizes(const Graph& graph);
/// Graph attribute: what holds of the symbols (std::vector<Comparison>).
inline constexpr const char* kRelations = "relations";
const std::vector<Comparison>& relations(const Graph& graph);

// --- building (build.cpp) ---
ValueId add_value(Graph& graph, Value value);
ValueId add_constant(Graph& graph, std::string name, Tensor data);
/// Interns; equal scopes and sources get equal ids.
ScopeId add_scope(Graph& graph, ScopeId parent, std::string module_class, std::string attribute);
SourceId add_source(Graph& graph, Source source);

// --- reading (build.cpp) ---
/// "layer1.0.conv1"
std::string module_path(const Graph& graph, ScopeId scope);
/// "ResNet/Sequential[layer1]/BasicBlock[0]/Conv2d[conv1]"
std::string scope_address(const Graph& graph, ScopeId scope);
/// The same with "/conv2d_0".
std::string node_address(const Graph& graph, const Node& node);
/// Module path, class and source of a node, for diagnostics.
Where node_where(const Graph& graph, const Node& node);
/// Calls `visit(ValueId)` for each tensor operand.
template <typename Visit>
void for_each_input(const Node& node, Visit&& visit) {
  for (const Argument& arg : node.args) for_each_ref(arg.value, visit);
}
/// For each value the index in graph.constants or -1.
std::vector<int> constant_index(const Graph& graph);
/// For each value the index of the node that computes it or -1.
std::vector<int> producers(const Graph& graph);
/// For each value how many operands and graph outputs refer to it.
std::vector<int> use_counts(const Graph& graph);

// --- verify.cpp, print.cpp, parse.cpp ---
/// Checks every invariant; `after` names what ran last. Errors: `ir-invalid`.
void verify(const Graph& graph, std::string_view after);
/// The text form: grouped by module, one operation a line; constants up to 64 bytes with their
/// values.
std::string print(const Graph& graph);
/// Reads what print() writes; larger constants come back not loaded. Errors: `ir-syntax`.
Graph parse(std::string_view text);

}  // namespace t2n::ir

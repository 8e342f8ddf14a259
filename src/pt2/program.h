// SPDX-License-Identifier: Apache-2.0
// A program of torch.export, as the table `models/NAME.json` of a .pt2 file states it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "src/pt2/argument.h"

namespace t2n::pt2 {

/// A module around a node, outermost first.
struct ModuleFrame {
  std::string path;        ///< "encoder.layers.0"; "" for the model
  std::string class_name;  ///< "LayerNorm"
};

struct Node {
  std::string target;  ///< "torch.ops.aten.add.Tensor", "_operator.mul"
  std::vector<NamedArgument> inputs;
  std::vector<Argument> outputs;
  std::vector<ModuleFrame> modules;
  std::string stack_trace;  ///< as Python prints it, innermost frame last
};

/// A size: a number, or an expression over symbols.
using Size = std::variant<int64_t, std::string>;

/// What a tensor is in the sample's run.
struct TensorMeta {
  DTypeCode dtype;
  std::vector<Size> sizes;
  std::vector<Size> strides;
  Size offset = int64_t{0};
  LayoutCode layout;
};

struct Graph {
  std::vector<Argument> inputs;
  std::vector<Argument> outputs;
  std::vector<Node> nodes;
  std::map<std::string, TensorMeta> tensors;
  /// Numbers that nodes compute. Those in neither set are integers.
  std::set<std::string> floats;
  std::set<std::string> booleans;
};

enum class InputKind { user, parameter, buffer, tensor_constant, object, constant, token };
struct InputSpec {
  InputKind kind = InputKind::user;
  Argument argument;    ///< the graph's input, or the value of a constant
  std::string address;  ///< of what the model holds: "blocks.0.fc.weight"
};

enum class OutputKind { user, buffer, parameter, user_input, token };
struct OutputSpec {
  OutputKind kind = OutputKind::user;
  Argument argument;
  std::string address;  ///< of what the result is written to
};

/// The structure of nested arguments or results.
struct Tree {
  bool is_leaf = false;
  std::vector<std::string> keys;  ///< of a dictionary, or fields; empty for lists and tuples
  std::vector<Tree> children;
};

/// The bounds of a symbol.
struct Range {
  std::optional<int64_t> minimum;
  std::optional<int64_t> maximum;
};

struct Program {
  Graph graph;
  std::vector<InputSpec> inputs;    ///< of the graph, in order
  std::vector<OutputSpec> outputs;  ///< likewise
  std::optional<Tree> arguments;    ///< a tuple of positional ones, and a dictionary
  std::optional<Tree> results;
  std::vector<std::string> argument_names;
  std::map<std::string, Range> ranges;
  std::vector<std::string> guards;  ///< on sizes of arguments: "L['x'].size()[0] < 50"
  std::string torch_version;
};

}  // namespace t2n::pt2

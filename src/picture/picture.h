// SPDX-License-Identifier: Apache-2.0
// A picture of a model as data: nodes in nested groups, connected by tensors. Writers are in
// formats.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace t2n::picture {

/// Of the elements of a tensor. Those that are not finite count in `nans` and `infinities` only.
struct Statistics {
  int64_t elements = 0;
  double min = 0;
  double max = 0;
  double mean = 0;
  double std = 0;
  int64_t zeros = 0;
  int64_t nans = 0;
  int64_t infinities = 0;
};

/// A constant that a node reads.
struct Weight {
  std::string operand;  ///< the parameter that it is passed for
  std::string name;
  std::string type;                      ///< "f32[64,3,7,7]"
  std::optional<Statistics> statistics;  ///< none if the values are not known
};

/// A line of a text: of graph.nnef, or of the user's source.
struct Line {
  std::string file;
  int line = 0;  ///< 0 if it is not known
  std::string text;
  std::string function = {};  ///< of the user's source
};

struct Result {
  std::string name;
  std::string type;  ///< "f32[1,64,S]"; "" where unknown
};

enum class NodeKind {
  input,
  output,
  weight,  ///< a constant that is an output of the model, or that nothing reads
  layer,   ///< reads weights
  moves,   ///< rearranges elements
  other,
};

/// "input", "layer"…
std::string_view kind_name(NodeKind kind);

struct Node {
  NodeKind kind = NodeKind::other;
  std::string op;          ///< "aten::conv2d", "tract_core_gather"
  std::string label = {};  ///< "conv2d", "gather"; the name of an input or output
  std::string name;        ///< of its first result
  size_t group = 0;
  std::string module = {};        ///< its path: "encoder.layer1.0"
  std::string module_class = {};  ///< "Linear"
  std::vector<std::pair<std::string, std::string>> arguments = {};  ///< those that are no tensors
  std::vector<Weight> weights = {};
  std::vector<Result> results = {};
  std::vector<Line> nnef = {};       ///< its statements
  std::vector<Line> source = {};     ///< of the user's program, innermost first
  std::string definition = {};       ///< of the fragment that it calls
  std::string problem = {};          ///< why it cannot be exported
  std::optional<double> value = {};  ///< that colours it
};

/// A tensor from a result to an operand.
struct Edge {
  size_t from = 0;
  size_t result = 0;
  size_t to = 0;
  std::string operand;
};

/// A module, the body of a loop, or a part of a group with many members.
struct Group {
  size_t parent = 0;  ///< itself for the first group, which contains all
  std::string name;   ///< "layer1.0"
  std::string type;   ///< "BasicBlock", "loop", "part"
  std::string path;   ///< "encoder.layer1.0": unique among modules
};

/// What the values of nodes mean.
struct Colors {
  std::string label;  ///< "max |Δ|"
};

struct Picture {
  std::string title;
  std::string origin;  ///< "model", "graph", "artefact"
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::vector<Group> groups = {Group{}};
  std::optional<Colors> colors = {};
  std::string note = {};  ///< about the whole, such as why it cannot be exported
};

/// Brings groups in their final form. A group with nothing but one node or one group becomes one
/// with it; the members of a large group are divided into parts, in order of the data flow, so that
/// every layout of one group is small. Removes empty groups.
void arrange(Picture& picture);

/// The module of a node as seen from its group: "0.conv1"; "" if it says nothing new.
std::string inner_module(const Picture& picture, const Node& node);

}  // namespace t2n::picture

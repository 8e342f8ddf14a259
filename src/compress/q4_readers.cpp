// SPDX-License-Identifier: Apache-2.0
#include "src/compress/q4_readers.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/passes/layers.h"

namespace t2n::compress {
namespace {

using ir::Attr;
using ir::Node;
using ir::ValueId;
using Role = Q4Reader::Role;

bool is(const Node& node, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), ir::op_name(node.op)) != names.end();
}

int64_t integer(const Node& node, std::string_view name, int64_t fallback) {
  const Attr* attr = node.find(name);
  const auto* dim = attr != nullptr ? std::get_if<ir::Dim>(attr) : nullptr;
  return dim != nullptr && dim->is_constant() ? dim->value() : fallback;
}

bool is_one(const Node& node, std::string_view name) {
  const Attr* attr = node.find(name);
  return attr != nullptr && (*attr == Attr(1.0) || *attr == Attr(ir::Dim(1)));
}

bool is_convolution(const Node& node) {
  return is(node, {"aten::conv1d", "aten::conv2d", "aten::conv3d", "aten::conv1d.padding",
                   "aten::conv2d.padding", "aten::conv3d.padding", "aten::_convolution_mode",
                   "aten::_convolution", "aten::_convolution.deprecated", "aten::convolution"});
}

class Finder {
 public:
  explicit Finder(const ir::Graph& graph) : graph_(graph) {}

  Q4Readers run(ValueId constant) {
    dtype_ = value(constant).dtype;
    collect(constant, false);
    std::sort(out_.all.begin(), out_.all.end(),
              [](const Q4Reader& a, const Q4Reader& b) { return a.node < b.node; });
    if (out_.all.empty() && out_.problem.empty()) out_.problem = "nothing reads it";
    return std::move(out_);
  }

 private:
  const ir::Value& value(ValueId id) const { return graph_.values[id]; }
  size_t rank(ValueId id) const { return value(id).shape.size(); }

  void fail(std::string why) {
    if (out_.problem.empty()) out_.problem = std::move(why);
  }

  /// Collects all readers of `id`, which is the constant or its transpose.
  void collect(ValueId id, bool is_flipped) {
    if (std::find(graph_.outputs.begin(), graph_.outputs.end(), id) != graph_.outputs.end())
      fail("it is an output of the model");
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      int reads = 0;
      ir::for_each_input(node, [&](ValueId each) { reads += each == id ? 1 : 0; });
      if (reads == 0) continue;
      if (reads == 1 && is_transposition(node, id))
        collect(node.outputs.at(0), !is_flipped);
      else if (reads > 1 || !read(i, id, is_flipped))
        fail(cat(ir::op_name(node.op), " reads it"));
    }
  }

  bool is_transposition(const Node& node, ValueId id) const {
    if (rank(id) != 2) return false;
    if (is(node, {"aten::t", "aten::numpy_T", "aten::mT"})) return true;
    if (is(node, {"aten::transpose.int"}))
      return (integer(node, "dim0", 0) - integer(node, "dim1", 0)) % 2 != 0;
    const Attr* dims = node.find("dims");
    return is(node, {"aten::permute"}) && dims != nullptr &&
           (*dims == Attr(std::vector<ir::Dim>{1, 0}) ||
            *dims == Attr(std::vector<ir::Dim>{-1, -2}));
  }

  bool read(size_t index, ValueId id, bool is_flipped) {
    const Node& node = graph_.nodes[index];
    if (ir::operand(node, "weight") == id) return read_weight(index, id, is_flipped);
    if (rank(id) != 2) return false;
    if (is(node, {"aten::matmul", "aten::mm", "aten::linalg_matmul"})) {
      const bool is_second = ir::operand(node, "other") == id || ir::operand(node, "mat2") == id;
      return is_second &&
             add_reader({index, Role::product, ir::operand(node, "self"), ir::kNoValue},
                        !is_flipped);
    }
    if (is(node, {"aten::addmm"})) return read_sum(index, id, is_flipped);
    return is(node, {"aten::einsum"}) && read_einsum(index, id, is_flipped);
  }

  bool read_weight(size_t index, ValueId id, bool is_flipped) {
    const Node& node = graph_.nodes[index];
    const Q4Reader reader{index, Role::weight, ir::operand(node, "input"), ir::kNoValue};
    if (is(node, {"aten::linear"})) return rank(id) == 2 && add_reader(reader, is_flipped);
    if (is(node, {"aten::embedding"}))
      return rank(id) == 2 && add_reader({index, Role::weight}, is_flipped);
    if (!is_convolution(node) || rank(id) < 3) return false;
    if (passes::is_transposed(node)) return false;
    // tract crashes on depthwise convolutions.
    const bool mixes = value(id).shape[1] != ir::Dim(1) || passes::groups_of(node) == 1;
    return mixes && add_reader(reader, is_flipped);
  }

  bool read_sum(size_t index, ValueId id, bool is_flipped) {
    const Node& node = graph_.nodes[index];
    const ValueId bias = ir::operand(node, "self");
    const ir::Dim& rows = value(id).shape[1];
    if (ir::operand(node, "mat2") != id || !is_one(node, "beta") || !is_one(node, "alpha") ||
        value(bias).shape != ir::Shape{rows})
      return false;
    return add_reader({index, Role::sum, ir::operand(node, "mat1"), bias}, !is_flipped);
  }

  bool read_einsum(size_t index, ValueId id, bool is_flipped) {
    const Node& node = graph_.nodes[index];
    const auto& tensors = std::get<ir::TensorRefs>(*node.find("tensors")).ids;
    if (tensors.size() != 2 || tensors[1] != id) return false;
    const auto transposed =
        passes::is_transposed_einsum(std::get<std::string>(*node.find("equation")));
    if (!transposed || rank(tensors[0]) < 1) return false;
    return add_reader({index, Role::product, tensors[0], ir::kNoValue}, *transposed != is_flipped);
  }

  /// Adds the reader. False if it cannot read the weight packed.
  bool add_reader(const Q4Reader& reader, bool is_transposed) {
    if (reader.input != ir::kNoValue && value(reader.input).dtype != dtype_) return false;
    if (!out_.all.empty() && out_.is_transposed != is_transposed) {
      fail("some of its readers need its rows and others its columns");
      return true;
    }
    out_.is_transposed = is_transposed;
    out_.all.push_back(reader);
    return true;
  }

  const ir::Graph& graph_;
  ir::DType dtype_ = ir::DType::f32;
  Q4Readers out_;
};

}  // namespace

Q4Readers find_readers(const ir::Graph& graph, ValueId constant) {
  return Finder(graph).run(constant);
}

}  // namespace t2n::compress

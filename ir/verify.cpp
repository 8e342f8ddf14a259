// SPDX-License-Identifier: Apache-2.0
// Checks every invariant of a graph in one walk; a violation is a bug in t2nnef.
#include <algorithm>
#include <unordered_set>

#include "ir/graph.h"
#include "ir/scan.h"

namespace t2n::ir {
namespace {

/// The names of symbols and operations that the text form accepts.
bool is_valid_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto is_inner = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == ':';
  };
  return !name.empty() && is_letter(name[0]) && std::all_of(name.begin(), name.end(), is_inner);
}

/// Bytes from element [0,…,0] to the end of the last one that the strides reach.
int64_t reach(const Tensor& tensor) {
  int64_t last = 0;
  for (size_t i = 0; i < tensor.shape.size(); ++i)
    last += (tensor.shape[i] - 1) * tensor.strides[i];
  return (last + 1) * dtype_size(tensor.dtype);
}

class Verifier {
 public:
  Verifier(const Graph& graph, std::string_view after)
      : graph_(graph), after_(after), defined_(graph.values.size()) {}

  void run() {
    check_scopes();
    check_sources();
    check_values();
    for (const ValueId id : graph_.inputs) define(id);
    for (const Constant& constant : graph_.constants) check_constant(constant);
    for (const Node& node : graph_.nodes) check_node(node);
    node_ = nullptr;
    check_outputs();
    for (size_t i = 0; i < defined_.size(); ++i)
      if (!defined_[i]) fail("nothing defines ", name(graph_.values[i]));
  }

 private:
  template <typename... Parts>
  [[noreturn]] void fail(const Parts&... problem) const {
    const std::string location =
        node_ == nullptr ? "graph " + quoted(graph_.name) : node_address(graph_, *node_);
    Diagnostic out;
    out.id = "ir-invalid";
    out.message = cat(location, ": ", problem...);
    if (node_ != nullptr) out.where.push_back(node_where(graph_, *node_));
    out.why = cat("found after ", quoted(after_), ", which must leave a valid graph");
    out.help = "this is a bug in t2nnef: please report it with the command you ran";
    throw Error(std::move(out));
  }

  static std::string name(const Value& value) { return quoted("%" + value.name); }
  const Value& value(ValueId id) const { return graph_.values[id]; }

  template <typename Items>
  static bool in_range(int id, const Items& items) {
    return id >= 0 && static_cast<size_t>(id) < items.size();
  }

  void check_scopes() const {
    if (graph_.scopes.empty() || graph_.scopes[0].parent != -1) fail("scope 0 must be the root");
    for (size_t i = 1; i < graph_.scopes.size(); ++i) {
      const int parent = graph_.scopes[i].parent;
      if (parent < 0 || static_cast<size_t>(parent) >= i)
        fail("scope ", i, " has the parent ", parent, ", which does not come before it");
    }
  }

  void check_sources() const {
    for (const Source& source : graph_.sources) {
      if (source.caret < 0 || source.caret_width < 0) fail("a source has a negative caret");
      for (const Frame& frame : source.frames)
        if (frame.line < 0 || frame.column < 0)
          fail("a source has the frame ",
               quoted(cat(frame.file, ":", frame.line, ":", frame.column)));
    }
  }

  void check_values() const {
    std::unordered_set<std::string_view> names;
    for (const Value& each : graph_.values) {
      if (each.name.empty()) fail("a value has no name");
      if (!names.insert(each.name).second) fail("two values are called ", name(each));
      for (const Dim& dim : each.shape) check_dim(each, dim);
      if (each.quant) check_quant(each, *each.quant);
    }
  }

  void check_dim(const Value& owner, const Dim& dim) const {
    if (dim.is_constant()) {
      if (dim.value() < 0) fail(name(owner), " has the size ", dim.value());
      return;
    }
    for (const Symbol& symbol : dim.symbols())
      if (!is_valid_name(symbol.str()))
        fail(name(owner), " has a size with the symbol ", quoted(symbol.str()),
             ", which is not an identifier");
  }

  void check_quant(const Value& owner, const QuantInfo& quant) const {
    const size_t count = quant.scales.size();
    const size_t points = quant.zero_points.size();
    if (count == 0 || count != points)
      fail(name(owner), " has ", count, " scales and ", points, " zero points");
    if (quant.bits <= 0 || quant.bits > 64) fail(name(owner), " has ", quant.bits, " bits");
    if (count == 1) return;
    if (!in_range(quant.axis, owner.shape))
      fail(name(owner), " has no quantisation axis ", quant.axis);
    const Dim& size = owner.shape[quant.axis];
    if (!(size == Dim(static_cast<int64_t>(count))))
      fail(name(owner), " has ", count, " scales along an axis of size ", size.str());
  }

  void check_id(ValueId id) const {
    if (!in_range(id, graph_.values)) fail("there is no value ", id);
  }

  void define(ValueId id) {
    check_id(id);
    if (defined_[id]) fail(name(value(id)), " is defined twice");
    defined_[id] = true;
  }

  void check_defined(ValueId id) const {
    check_id(id);
    if (!defined_[id]) fail(name(value(id)), " is used before it is defined");
  }

  void check_constant(const Constant& constant) {
    define(constant.value);
    const Value& owner = value(constant.value);
    const Tensor& data = constant.data;
    if (data.dtype != owner.dtype)
      fail(name(owner), " is ", dtype_name(owner.dtype), " but its data are ",
           dtype_name(data.dtype));
    if (owner.shape != to_shape(data.shape))
      fail(name(owner), " is ", shape_str(owner.shape), " but its data are ",
           shape_str(to_shape(data.shape)));
    if (data.strides.size() != data.shape.size())
      fail(name(owner), " has ", data.strides.size(), " strides for ", data.shape.size(), " axes");
    const bool loaded = !data.bytes.empty() && data.elements() > 0;
    if (loaded) check_bytes(owner, data);
  }

  void check_bytes(const Value& owner, const Tensor& data) const {
    const auto is_negative = [](int64_t stride) { return stride < 0; };
    if (std::any_of(data.strides.begin(), data.strides.end(), is_negative))
      fail(name(owner), " has a negative stride");
    if (reach(data) > static_cast<int64_t>(data.bytes.size()))
      fail(name(owner), " has ", data.bytes.size(), " bytes but needs ", reach(data));
  }

  void check_node(const Node& node) {
    node_ = nullptr;  // messages cannot name a node without a valid address
    if (!in_range(node.scope, graph_.scopes)) fail("a node has the scope ", node.scope);
    if (node.op < 0 || node.op >= op_count()) fail("a node has the operation ", node.op);
    if (node.source != kNoSource && !in_range(node.source, graph_.sources))
      fail("a node has the source ", node.source);
    node_ = &node;
    if (!is_valid_name(op_name(node.op)))
      fail("the operation is called ", quoted(op_name(node.op)), ", which is not an identifier");
    if (node.call < 0) fail("the call number is ", node.call);
    for (size_t i = 0; i < node.args.size(); ++i) check_argument(node, i);
    if (node.outputs.empty()) fail("the operation has no output");
    for (const ValueId id : node.outputs) define(id);
    check_body(node);
  }

  void check_argument(const Node& node, size_t index) const {
    const Argument& arg = node.args[index];
    if (arg.name.empty()) fail("argument ", index, " has no name");
    for (size_t before = 0; before < index; ++before)
      if (node.args[before].name == arg.name) fail("two arguments are called ", quoted(arg.name));
    for_each_ref(arg.value, [this](ValueId id) { check_defined(id); });
  }

  void check_body(const Node& node) const {
    if (is_scan(node) && !node.body) fail("the scan has no body");
    if (!is_scan(node) && node.body) fail("only t2n::scan has a body");
    if (!node.body) return;
    verify(*node.body, after_);
    if (const auto problem = scan_problem(graph_, node)) fail(*problem);
  }

  void check_outputs() const {
    if (graph_.outputs.size() != graph_.output_names.size())
      fail(graph_.outputs.size(), " outputs have ", graph_.output_names.size(), " names");
    for (const ValueId id : graph_.outputs) check_defined(id);
    std::unordered_set<std::string_view> names;
    for (const std::string& output : graph_.output_names) {
      if (output.empty()) fail("an output has no name");
      if (!names.insert(output).second) fail("two outputs are called ", quoted(output));
    }
  }

  const Graph& graph_;
  std::string_view after_;
  std::vector<bool> defined_;
  const Node* node_ = nullptr;  ///< the node being checked, for messages
};

}  // namespace

void verify(const Graph& graph, std::string_view after) { Verifier(graph, after).run(); }

}  // namespace t2n::ir

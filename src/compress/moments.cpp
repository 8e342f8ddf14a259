#include "src/compress/moments.h"

#include <any>

#include "src/compress/layers.h"

namespace t2n::compress {
namespace {

using ir::Dim;
using ir::Node;
using ir::Tensor;

std::string_view word_of(const Node& node) { return ir::op_short_name(ir::op_name(node.op)); }

/// Whether one row of inputs belongs to each row of the weight.
bool is_product(const ir::Graph& graph, const Node& node) {
  if (word_of(node) == "linear") return true;
  const ir::Attr* weight = node.find("weight");
  const ir::Attr* groups = node.find("groups");
  const ir::Attr* transposed = node.find("transposed");
  const bool is_convolution = word_of(node) == "conv1d" || word_of(node) == "conv2d";
  if (!is_convolution || weight == nullptr || groups == nullptr || *groups != ir::Attr(Dim(1)))
    return false;
  if (transposed != nullptr && *transposed != ir::Attr(false)) return false;
  const ir::Attr* padding = node.find("padding");
  if (padding == nullptr || std::holds_alternative<std::string>(*padding)) return false;
  const auto id = std::get<ir::TensorRef>(*weight).id;
  const size_t rank = graph.values[static_cast<size_t>(id)].shape.size();
  return rank == 3 || rank == 4;
}

/// One operation of torch's on tensors that are at hand.
Tensor call(const ir::Evaluator& evaluate, std::string_view op, std::vector<ir::Argument> args,
            const std::vector<Tensor>& tensors) {
  Node node;
  node.op = ir::op_id(op);
  node.args = std::move(args);
  node.outputs = {static_cast<ir::ValueId>(tensors.size())};
  return evaluate(node, [&](ir::ValueId id) { return tensors.at(static_cast<size_t>(id)); }).at(0);
}

ir::TensorRef first() { return {0}; }

Tensor reshaped(const ir::Evaluator& evaluate, const Tensor& x, std::vector<Dim> shape) {
  return call(evaluate, "aten::reshape", {{"self", first()}, {"shape", std::move(shape)}}, {x});
}

/// An argument of a convolution over one axis, as of one over two; a number stands for all axes.
std::vector<Dim> two_axes(const Node& node, std::string_view argument, bool is_flat, int64_t none) {
  const ir::Attr& attr = *node.find(argument);
  std::vector<Dim> out;
  if (const auto* one = std::get_if<Dim>(&attr))
    out.assign(is_flat ? 1 : 2, *one);
  else
    out = std::get<std::vector<Dim>>(attr);
  if (!is_flat && out.size() == 1) out.push_back(out[0]);
  if (is_flat) out.insert(out.begin(), Dim(none));
  return out;
}

/// What each place of the result is a product of, one row each.
Tensor rows_of(const Node& node, const ir::Operand& operand, const ir::Evaluator& evaluate) {
  Tensor x = operand(std::get<ir::TensorRef>(*node.find("input")).id);
  if (word_of(node) == "linear") return reshaped(evaluate, x, {Dim(-1), Dim(x.shape.back())});
  const Tensor weight = operand(std::get<ir::TensorRef>(*node.find("weight")).id);
  const bool is_flat = weight.shape.size() == 3;
  std::vector<Dim> shape;
  for (const int64_t size : x.shape) shape.emplace_back(size);
  if (x.shape.size() < weight.shape.size()) shape.insert(shape.begin(), Dim(1));
  if (is_flat) shape.insert(shape.begin() + 2, Dim(1));
  x = reshaped(evaluate, x, shape);
  const Dim height(is_flat ? 1 : weight.shape[2]);
  const Tensor columns = call(evaluate, "aten::im2col",
                              {{"self", first()},
                               {"kernel_size", std::vector<Dim>{height, Dim(weight.shape.back())}},
                               {"dilation", two_axes(node, "dilation", is_flat, 1)},
                               {"padding", two_axes(node, "padding", is_flat, 0)},
                               {"stride", two_axes(node, "stride", is_flat, 1)}},
                              {x});
  const int64_t width = columns.shape.at(1);
  const Tensor last = call(evaluate, "aten::transpose.int",
                           {{"self", first()}, {"dim0", Dim(1)}, {"dim1", Dim(2)}}, {columns});
  return reshaped(evaluate, last, {Dim(-1), Dim(width)});
}

}  // namespace

std::set<std::string> layers_wanting_moments(const ir::Graph& graph, const Settings& settings) {
  std::set<std::string> out;
  const std::vector<bool> known = known_values(graph);
  for (const Node& node : graph.nodes) {
    if (!layer_of(graph, node, known) || !is_product(graph, node)) continue;
    const NodeSettings of = settings.of(graph, node);
    if (of.weights && of.weights->rounding == Rounding::gptq)
      out.insert(ir::node_address(graph, node));
  }
  return out;
}

bool lacks_moments(const ir::Graph& graph, const Settings& settings) {
  return !graph.attributes.contains(kSecondMoments) &&
         !layers_wanting_moments(graph, settings).empty();
}

std::vector<double> moments_of(const ir::Graph& graph, const Node& node) {
  const auto attribute = graph.attributes.find(kSecondMoments);
  if (attribute == graph.attributes.end()) return {};
  const auto& all = std::any_cast<const Moments&>(attribute->second);
  const auto found = all.find(ir::node_address(graph, node));
  return found == all.end() ? std::vector<double>() : *found->second;
}

void add_moments(Moments& moments, const ir::Graph& graph, const Node& node,
                 const ir::Operand& operand, const ir::Evaluator& evaluate) {
  const Tensor rows = rows_of(node, operand, evaluate);
  const Tensor columns = call(evaluate, "aten::t", {{"self", first()}}, {rows});
  const Tensor product =
      call(evaluate, "aten::mm", {{"self", first()}, {"mat2", ir::TensorRef{1}}}, {columns, rows});
  const std::vector<double> values = ir::to_f64(product);
  auto& sum = moments[ir::node_address(graph, node)];
  if (!sum) sum = std::make_shared<std::vector<double>>(values.size());
  for (size_t i = 0; i < values.size(); ++i) (*sum)[i] += values[i];
}

}  // namespace t2n::compress

// SPDX-License-Identifier: Apache-2.0
#include "src/compress/calibrate/moments.h"

#include <any>

#include "src/compress/calibrate/layer_rows.h"
#include "src/compress/calibrate/observe.h"
#include "src/compress/layer_table.h"
#include "src/diag/error.h"
#include "src/passes/layers.h"

namespace t2n::compress {
namespace {

using ir::Dim;
using ir::Node;
using ir::Tensor;

/// X^T X of each group of columns, in one list.
Tensor products_of(const Tensor& rows, int64_t groups, const ir::Evaluator& evaluate) {
  const ir::TensorRef first{0};
  const ir::TensorRef second{1};
  if (groups == 1) {
    const Tensor columns = call(evaluate, "aten::t", {{"self", first}}, {rows});
    return call(evaluate, "aten::mm", {{"self", first}, {"mat2", second}}, {columns, rows});
  }
  const int64_t width = rows.shape.at(1) / groups;
  const std::vector<Dim> grouped_shape = {Dim(rows.shape[0]), Dim(groups), Dim(width)};
  const Tensor grouped =
      call(evaluate, "aten::reshape", {{"self", first}, {"shape", grouped_shape}}, {rows});
  const auto permuted = [&](std::vector<Dim> order) {
    return call(evaluate, "aten::permute", {{"self", first}, {"dims", std::move(order)}},
                {grouped});
  };
  return call(evaluate, "aten::bmm", {{"self", first}, {"mat2", second}},
              {permuted({1, 2, 0}), permuted({1, 0, 2})});
}

Tensor sum_of(const Tensor& rows, const ir::Evaluator& evaluate) {
  return call(evaluate, "aten::sum.dim_IntList",
              {{"self", ir::TensorRef{0}},
               {"dim", std::vector<Dim>{0}},
               {"keepdim", false},
               {"dtype", ir::DType::f64}},
              {rows});
}

void add_to_sums(std::vector<double>& sums, const Tensor& terms) {
  const std::vector<double> values = ir::to_f64(terms);
  sums.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
}

/// The operand of an observer or fake quantiser; for anything else the value itself.
ir::ValueId unrounded(const ir::Graph& graph, const std::vector<int>& producers, ir::ValueId id) {
  for (int at = producers[id]; at >= 0; at = producers[id]) {
    const Node& node = graph.nodes[at];
    if (!is_observe(node) && !ir::op_short_name(node.op).starts_with("fake_quantize")) break;
    id = std::get<ir::TensorRef>(*node.find("self")).id;
  }
  return id;
}

}  // namespace

std::string inputs_problem(const ir::Graph& graph, const Node& node) {
  if (node.body) return "its weights are read inside of a loop";
  const std::string_view name = ir::op_short_name(node.op);
  if (name == "linear") return "";
  const std::string other =
      cat(name, " is neither a linear layer nor a convolution over one or two axes");
  const ir::Attr* weight = node.find("weight");
  if (!name.ends_with("conv1d") && !name.ends_with("conv2d") && !name.ends_with("convolution"))
    return other;
  if (passes::is_transposed(node)) return "it is transposed";
  if (weight == nullptr || node.find("padding") == nullptr) return other;
  const auto id = std::get<ir::TensorRef>(*weight).id;
  const size_t rank = graph.values[id].shape.size();
  return rank == 3 || rank == 4 ? "" : other;
}

std::map<std::string, MomentRequest> moment_requests(const ir::Graph& graph,
                                                     const Settings& settings) {
  std::map<std::string, MomentRequest> out;
  const std::vector<bool> known = passes::known_values(graph);
  for (const Node& node : graph.nodes) {
    if (!passes::layer_of(graph, node, known) || !inputs_problem(graph, node).empty()) continue;
    const NodeSettings requested = settings.of(graph, node);
    const MomentRequest request{requested.weights && requested.weights->rounding == Rounding::gptq,
                                requested.corrects_bias && (requested.weights || requested.prune)};
    if (request.second || request.sum) out.emplace(ir::node_address(graph, node), request);
  }
  return out;
}

bool lacks_moments(const ir::Graph& graph, const Settings& settings) {
  return !graph.attributes.contains(kInputMoments) && !moment_requests(graph, settings).empty();
}

const InputMoments* input_moments(const ir::Graph& graph, const Node& node) {
  const auto attribute = graph.attributes.find(kInputMoments);
  if (attribute == graph.attributes.end()) return nullptr;
  const auto& all = std::any_cast<const Moments&>(attribute->second);
  const auto found = all.find(ir::node_address(graph, node));
  return found == all.end() ? nullptr : found->second.get();
}

std::vector<double> moments_of(const ir::Graph& graph, const Node& node) {
  const InputMoments* seen = input_moments(graph, node);
  return seen == nullptr ? std::vector<double>() : seen->second;
}

void add_moments(Moments& moments, MomentRequest request, const ir::Graph& graph, const Node& node,
                 const ir::Operand& operand, const ir::Evaluator& evaluate) {
  const Tensor rows = input_rows(node, operand, evaluate);
  auto& seen = moments[ir::node_address(graph, node)];
  if (!seen) seen = std::make_shared<InputMoments>();
  seen->rows += static_cast<double>(rows.shape.at(0));
  if (request.second)
    add_to_sums(seen->second, products_of(rows, passes::groups_of(node), evaluate));
  if (request.sum) add_to_sums(seen->sum, sum_of(rows, evaluate));
}

void keep_weights(Moments& moments, const ir::Graph& graph, const ir::Evaluator& evaluate) {
  const LayerTable table(graph, evaluate);
  const std::vector<int> producers = ir::producers(graph);
  for (auto& [address, seen] : moments) {
    if (seen->sum.empty()) continue;
    const auto layer = table.layer(address);
    T2N_ASSERT(layer && layer->weights.size() == 1, address, " is no layer with one weight");
    if (auto value = table.value(unrounded(graph, producers, layer->weights[0].value)))
      seen->weight = *std::move(value);
  }
}

}  // namespace t2n::compress

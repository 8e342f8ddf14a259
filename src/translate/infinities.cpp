// SPDX-License-Identifier: Apache-2.0
// Searches the producers of an operand for infinities that the program itself makes.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "ir/op_traits.h"
#include "src/diag/one_of.h"
#include "src/translate/emitter_state.h"
#include "src/translate/op_view.h"

namespace t2n::ops {
namespace {

bool holds_infinity(const ir::Tensor& tensor) {
  const std::vector<double> values = analysed_floats(tensor);
  return std::any_of(values.begin(), values.end(), [](double each) { return std::isinf(each); });
}

bool makes_infinity(const ir::Node& node) {
  constexpr std::array<std::string_view, 6> kNames = {"log",   "log2",  "log10",
                                                      "log1p", "logit", "masked_fill"};
  return is_one_of(ir::op_short_name(node.op), kNames) ||
         std::any_of(node.args.begin(), node.args.end(), [](const ir::Argument& arg) {
           const auto* number = std::get_if<double>(&arg.value);
           return number != nullptr && std::isinf(*number);
         });
}

}  // namespace

bool OpView::may_meet_infinity(std::string_view name) const {
  if (out_.state().is_body) return true;  // loop inputs are not analysed
  std::set<ir::ValueId> pending = {ir::operand(args_.node(), name)};
  const ir::Graph& graph = args_.graph();
  for (const ir::Node* node = &args_.node(); node-- != graph.nodes.data();) {
    const bool gives = std::any_of(node->outputs.begin(), node->outputs.end(),
                                   [&](ir::ValueId id) { return pending.contains(id); });
    // Matrix products and reductions of infinities give other elements as well, or NaN.
    if (!gives || ir::has_trait(ir::op_short_name(node->op), ir::OpTrait::mixes)) continue;
    if (node->body || makes_infinity(*node)) return true;
    ir::for_each_input(*node, [&](ir::ValueId id) { pending.insert(id); });
  }
  return std::any_of(graph.constants.begin(), graph.constants.end(), [&](const auto& constant) {
    return pending.contains(constant.value) && holds_infinity(constant.data);
  });
}

}  // namespace t2n::ops

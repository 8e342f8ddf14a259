// SPDX-License-Identifier: Apache-2.0
// The pass `complex-to-pairs`; rules.h states its contract.
#include <algorithm>
#include <array>

#include "src/complex/passes.h"
#include "src/complex/rules.h"

namespace t2n::complex {
namespace {

bool has_complex(const ir::Node& node) {
  return std::any_of(node.args.begin(), node.args.end(), [](const ir::Argument& arg) {
    return std::holds_alternative<std::complex<double>>(arg.value);
  });
}

/// Transforms of real tensors with real results have no translation either, so they have rules.
PairRule find_transform(std::string_view name) {
  if (const PairRule rule = find_fft_rule(name)) return rule;
  return find_stft_rule(name);
}

bool is_transform(const ir::Node& node) {
  return ir::op_name(node.op).starts_with("aten::") &&
         find_transform(ir::op_base_name(node.op)) != nullptr;
}

bool needs_rewriting(const ir::Graph& graph) {
  return std::any_of(graph.values.begin(), graph.values.end(),
                     [](const ir::Value& value) { return ir::is_complex(value.dtype); }) ||
         std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const ir::Node& node) { return has_complex(node) || is_transform(node); });
}

PairRule find_rule(const PairBuilder& b) {
  for (const auto find : {find_arithmetic_rule, find_function_rule, find_product_rule})
    if (const PairRule rule = find(b.base_name())) return rule;
  return find_shape_rule(b);
}

/// True if a number argument (not a list) is the size of a dynamic axis.
bool has_symbolic_number(const ir::Node& node) {
  return std::any_of(node.args.begin(), node.args.end(), [](const ir::Argument& arg) {
    const auto* dim = std::get_if<ir::Dim>(&arg.value);
    return dim != nullptr && !dim->is_constant();
  });
}

void rewrite(PairBuilder& b) {
  const bool has_pairs = is_transform(b.node()) || b.involves_complex();
  const bool is_rearrangement = find_shape_rule(b) != nullptr;
  if (has_pairs && b.node().body)
    return b.refuse("a loop carries, reads or collects complex tensors",
                    "pass torch.view_as_real of them; inside the loop they may be complex");
  if (has_pairs && !is_rearrangement && !is_transform(b.node()) && has_symbolic_number(b.node()))
    return b.refuse("one of its arguments is a size that is not known at export",
                    "export without --dynamic for this axis");
  if (is_transform(b.node())) return find_transform(b.base_name())(b);
  if (!has_pairs) return b.keep();
  if (const PairRule rule = find_rule(b)) return rule(b);
  b.refuse("it has no implementation in real arithmetic",
           "compute it from .real and .imag, or keep the tensors real");
}

}  // namespace
}  // namespace t2n::complex

bool t2n::complex::complex_to_pairs(ir::Graph& graph, const passes::PassContext& context) {
  if (!complex::needs_rewriting(graph)) return false;
  T2N_ASSERT(context.operators != nullptr, "the book of operators says what rearranges elements");
  complex::PairBuilder builder(graph, *context.operators);
  std::vector<ir::Node> nodes = std::exchange(graph.nodes, {});
  for (ir::Node& node : nodes) {
    builder.begin(std::move(node));
    complex::rewrite(builder);
  }
  builder.finish();
  return true;
}

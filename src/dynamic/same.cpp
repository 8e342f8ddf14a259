#include "src/dynamic/same.h"

#include <algorithm>

#include "src/diag/error.h"

namespace t2n::dynamic {
namespace {

using trace::Decision;

Diagnostic differs(std::string message, Where where, std::string why, std::string help) {
  return Diagnostic{.id = "dynamic-differs",
                    .message = std::move(message),
                    .where = {std::move(where)},
                    .details = {},
                    .why = std::move(why),
                    .help = std::move(help)};
}

/// The first place where the program went another way.
std::optional<Diagnostic> other_way(const TraceAt& a, const TraceAt& b) {
  const auto& first = a.traced.decisions;
  const auto& second = b.traced.decisions;
  const auto same = [](const Decision& x, const Decision& y) {
    return x.id == y.id && x.way == y.way;
  };
  const auto [x, y] = std::mismatch(first.begin(), first.end(), second.begin(), second.end(), same);
  if (x == first.end() || y == second.end() || x->id != y->id) return {};
  const std::string sizes = cat("at ", sizes_str(a.sizes), " and at ", sizes_str(b.sizes));
  if (x->kind == Decision::Kind::loop)
    return differs(cat("a loop makes ", x->way, " and ", y->way, " turns ", sizes),
                   place_of(a.traced, *x),
                   "a file cannot hold a loop turn by turn whose length varies", "");
  return differs(cat("a branch depends on a size: it goes another way ", sizes),
                 place_of(a.traced, *x), "NNEF has no branches; a file would hold one way only",
                 "compute the same for all sizes, or export a model for each");
}

std::string text_of(const ir::Graph& graph, const ir::Attr& attr) {
  return ir::attr_str(attr,
                      [&](ir::ValueId id) { return graph.values[static_cast<size_t>(id)].name; });
}

/// Sizes are compared later, as expressions; everything else must be equal.
bool same_but_sizes(const ir::Attr& a, const ir::Attr& b) {
  if (a.index() != b.index()) return false;
  if (const auto* dims = std::get_if<std::vector<ir::Dim>>(&a))
    return dims->size() == std::get<std::vector<ir::Dim>>(b).size();
  return std::holds_alternative<ir::Dim>(a) || a == b;
}

std::optional<Diagnostic> other_constant(const TraceAt& a, const TraceAt& b, const ir::Node& node,
                                         const std::vector<int>& index_a,
                                         const std::vector<int>& index_b) {
  std::optional<Diagnostic> found;
  ir::for_each_input(node, [&](ir::ValueId id) {
    const int i = index_a[static_cast<size_t>(id)];
    const int j = index_b[static_cast<size_t>(id)];
    if (found || (i < 0 && j < 0)) return;
    if (i >= 0 && j >= 0) {
      const ir::Tensor& x = a.traced.graph.constants[static_cast<size_t>(i)].data;
      const ir::Tensor& y = b.traced.graph.constants[static_cast<size_t>(j)].data;
      const bool same_place = x.bytes.data() == y.bytes.data() && x.shape == y.shape;
      if (same_place || (x.shape == y.shape && ir::same_values(x, y))) return;
    }
    found = differs(cat("a constant of ", ir::op_name(node.op), " is another one at ",
                        sizes_str(a.sizes), " and at ", sizes_str(b.sizes)),
                    ir::node_where(a.traced.graph, node),
                    "it is computed from a size outside of tensors",
                    "compute it with tensor operations, or make it an input");
  });
  return found;
}

std::optional<Diagnostic> other_node(const TraceAt& a, const TraceAt& b, const ir::Node& x,
                                     const ir::Node& y) {
  const std::string sizes = cat("at ", sizes_str(a.sizes), " and at ", sizes_str(b.sizes));
  const Where where = ir::node_where(a.traced.graph, x);
  bool same = x.op == y.op && x.outputs == y.outputs && x.args.size() == y.args.size();
  for (size_t k = 0; same && k < x.outputs.size(); ++k) {
    const ir::Value& p = a.traced.graph.values[static_cast<size_t>(x.outputs[k])];
    const ir::Value& q = b.traced.graph.values[static_cast<size_t>(y.outputs[k])];
    same = p.dtype == q.dtype && p.shape.size() == q.shape.size();
  }
  if (!same)
    return differs(cat("the model runs ", ir::op_name(x.op), " and ", ir::op_name(y.op),
                       " in one place ", sizes),
                   where, "what it does depends on a size, so one file cannot hold it",
                   "compute the same for all sizes, or export a model for each");
  for (size_t k = 0; k < x.args.size(); ++k) {
    if (same_but_sizes(x.args[k].value, y.args[k].value)) continue;
    return differs(cat("the argument ", quoted(x.args[k].name), " of ", ir::op_name(x.op), " is ",
                       text_of(a.traced.graph, x.args[k].value), " and ",
                       text_of(b.traced.graph, y.args[k].value), " ", sizes),
                   where, "it is computed from a size, and only whole numbers can stay expressions",
                   "compute it from tensors, for example torch.full((), size)");
  }
  return {};
}

}  // namespace

Where place_of(const trace::Traced& traced, const trace::Decision& decision) {
  ir::Node at;
  at.scope = decision.scope;
  at.source = decision.source;
  return ir::node_where(traced.graph, at);
}

std::string sizes_str(const Sizes& sizes) {
  std::string out;
  for (const auto& [symbol, size] : sizes) out += cat(out.empty() ? "" : ", ", symbol, "=", size);
  return out;
}

std::optional<Diagnostic> difference(const TraceAt& a, const TraceAt& b) {
  if (auto way = other_way(a, b)) return way;
  const auto& first = a.traced.graph.nodes;
  const auto& second = b.traced.graph.nodes;
  const std::vector<int> index_a = ir::constant_index(a.traced.graph);
  const std::vector<int> index_b = ir::constant_index(b.traced.graph);
  for (size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
    if (auto found = other_node(a, b, first[i], second[i])) return found;
    if (auto found = other_constant(a, b, first[i], index_a, index_b)) return found;
  }
  if (first.size() == second.size() && a.traced.graph.outputs == b.traced.graph.outputs) return {};
  const bool more = second.size() > first.size();
  const auto& longer = more ? b.traced.graph : a.traced.graph;
  const size_t at = std::min({first.size(), second.size(), longer.nodes.size() - 1});
  return differs(cat("the model runs ", first.size(), " and ", second.size(), " operations at ",
                     sizes_str(a.sizes), " and at ", sizes_str(b.sizes)),
                 ir::node_where(longer, longer.nodes[at]),
                 "what it does depends on a size, so one file cannot hold it",
                 "compute the same for all sizes, or export a model for each");
}

}  // namespace t2n::dynamic

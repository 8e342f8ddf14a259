// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/same.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <set>

#include "ir/scan.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/dynamic/unbacked_sizes.h"

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

/// "at S=10", "with the samples"
std::string at(const TraceAt& run) {
  if (run.seed != 0) return cat("with other values (", run.seed, ")");
  return run.sizes.empty() ? "with the samples" : cat("at ", sizes_str(run.sizes));
}

/// The first decision that differs.
std::optional<Diagnostic> other_direction(const TraceAt& a, const TraceAt& b) {
  const auto& first = a.traced.decisions;
  const auto& second = b.traced.decisions;
  const auto same = [](const Decision& x, const Decision& y) {
    return x.id == y.id && x.direction == y.direction;
  };
  const auto [x, y] = std::mismatch(first.begin(), first.end(), second.begin(), second.end(), same);
  if (x == first.end() || y == second.end() || x->id != y->id) return {};
  const std::string sizes = cat(at(a), " and ", at(b));
  if (x->kind == Decision::Kind::loop)
    return differs(cat("a loop makes ", x->direction, " and ", y->direction, " iterations ", sizes),
                   location_of(a.traced, *x),
                   "a loop whose number of iterations varies cannot be unrolled", "");
  return differs(cat("a branch depends on a size: it takes different directions ", sizes),
                 location_of(a.traced, *x),
                 x->reason.empty()
                     ? "NNEF has no branches; the exported model would contain one direction only"
                     : cat("it cannot become a select: ", x->reason),
                 "compute the same for all sizes, or export one model per size");
}

std::string text_of(const ir::Graph& graph, const ir::Attr& attr) {
  return ir::attr_str(attr, [&](ir::ValueId id) { return graph.values[id].name; });
}

/// Everything but sizes must be equal; sizes are compared later, as expressions.
bool same_but_sizes(const ir::Attr& a, const ir::Attr& b) {
  if (a.index() != b.index()) return false;
  if (const auto* dims = std::get_if<std::vector<ir::Dim>>(&a))
    return dims->size() == std::get<std::vector<ir::Dim>>(b).size();
  if (const auto* number = std::get_if<double>(&a))  // NaN is itself
    return std::bit_cast<uint64_t>(*number) == std::bit_cast<uint64_t>(std::get<double>(b));
  return std::holds_alternative<ir::Dim>(a) || a == b;
}

bool is_same_constant(const ir::Tensor& x, const ir::Tensor& y) {
  return x.shape == y.shape && (x.bytes.data() == y.bytes.data() || ir::same_values(x, y));
}

std::optional<Diagnostic> other_constant(const TraceAt& a, const TraceAt& b, const ir::Node& node,
                                         const std::vector<int>& index_a,
                                         const std::vector<int>& index_b) {
  std::optional<Diagnostic> found;
  ir::for_each_input(node, [&](ir::ValueId id) {
    const int i = index_a[id];
    const int j = index_b[id];
    if (found || (i < 0 && j < 0)) return;
    if (i >= 0 && j >= 0) {
      if (is_same_constant(a.traced.graph.constants[i].data, b.traced.graph.constants[j].data))
        return;
    }
    found = differs(cat("a constant of ", ir::op_name(node.op), " differs ", at(a), " and ", at(b)),
                    ir::node_where(a.traced.graph, node),
                    "it is computed from a size outside tensor operations",
                    "compute it with tensor operations, or make it an input");
  });
  return found;
}

std::optional<Diagnostic> other_node(const TraceAt& a, const TraceAt& b, const ir::Node& x,
                                     const ir::Node& y) {
  const std::string sizes = cat(at(a), " and ", at(b));
  const Where where = ir::node_where(a.traced.graph, x);
  const std::string_view op = ir::op_name(x.op);
  constexpr const char* kWhy = "the operations depend on a size, so one graph cannot express them";
  constexpr const char* kHelp = "compute the same for all sizes, or export one model per size";
  constexpr const char* kLoopHelp =
      "make all iterations the same at all sizes; if split() must give equal parts, declare the "
      "axis as --dynamic INPUT:AXIS=2*S";
  if (x.op == y.op && (x.args.size() != y.args.size() ||
                       (x.outputs.size() == y.outputs.size() && x.outputs != y.outputs)))
    return differs(cat("the operations before ", op, " differ ", at(a), " and ", at(b)), where,
                   kWhy, kHelp);
  if (x.op != y.op)
    return differs(
        cat("the model runs ", op, " ", at(a), ", and ", ir::op_name(y.op), " instead ", at(b)),
        where, kWhy, is_scan(x) || is_scan(y) ? kLoopHelp : kHelp);
  if (x.outputs.size() != y.outputs.size())
    return differs(
        cat(op, " gives ", x.outputs.size(), " tensors ", at(a), ", and ", y.outputs.size(), " ",
            at(b)),
        where, "an NNEF graph has a fixed number of tensors",
        "index the tensor itself, or iterate over all of them in one loop (`for row in x`)");
  for (size_t k = 0; k < x.outputs.size(); ++k) {
    const ir::Value& p = a.traced.graph.values[x.outputs[k]];
    const ir::Value& q = b.traced.graph.values[y.outputs[k]];
    if (p.dtype != q.dtype || p.shape.size() != q.shape.size())
      return differs(
          cat("the result of ", op, " is ", ir::dtype_name(p.dtype), ir::shape_str(p.shape), " ",
              at(a), ", and ", ir::dtype_name(q.dtype), ir::shape_str(q.shape), " ", at(b)),
          where, kWhy, kHelp);
  }
  for (size_t k = 0; k < x.args.size(); ++k) {
    if (same_but_sizes(x.args[k].value, y.args[k].value)) continue;
    return differs(cat("the argument ", quoted(x.args[k].name), " of ", ir::op_name(x.op), " is ",
                       text_of(a.traced.graph, x.args[k].value), " and ",
                       text_of(b.traced.graph, y.args[k].value), " ", sizes),
                   where, "it is computed from a size, and only integers can stay symbolic",
                   "compute it from tensors, for example torch.full((), size)");
  }
  return {};
}

/// Compares nodes, value by value. Ignores nodes that only copy.
class Pairing {
 public:
  /// `sizes` are those of the symbols in `a`, `traced` those in `b`.
  Pairing(const ir::Graph& a, const ir::Graph& b, const Sizes& sizes, const Sizes& traced,
          bool is_body = false)
      : a_(a),
        b_(b),
        sizes_(sizes),
        traced_(traced),
        is_body_(is_body),
        constants_a_(ir::constant_index(a)),
        constants_b_(ir::constant_index(b)) {}

  bool run() {
    if (a_.inputs.size() != b_.inputs.size() || a_.outputs.size() != b_.outputs.size())
      return false;
    for (size_t i = 0; i < a_.inputs.size(); ++i) pairs_[a_.inputs[i]] = b_.inputs[i];
    const std::vector<const ir::Node*> first = essential(a_, sizes_, same_a_);
    const std::vector<const ir::Node*> second = essential(b_, {}, same_b_);
    return std::equal(first.begin(), first.end(), second.begin(), second.end(),
                      [this](const ir::Node* x, const ir::Node* y) { return is_same(*x, *y); }) &&
           std::equal(a_.outputs.begin(), a_.outputs.end(), b_.outputs.begin(),
                      [this](ir::ValueId x, ir::ValueId y) { return is_same(x, y); });
  }

 private:
  using Aliases = std::map<ir::ValueId, ir::ValueId>;

  static std::vector<const ir::Node*> essential(const ir::Graph& graph, const Sizes& sizes,
                                                Aliases& same) {
    std::vector<const ir::Node*> kept;
    for (const ir::Node& node : graph.nodes) {
      const ir::Attr* self = node.find("self");
      const bool copies =
          ir::op_name(node.op) == "aten::contiguous" || writes_nothing(graph, node, sizes);
      if (!copies || self == nullptr)
        kept.push_back(&node);
      else
        same[node.outputs[0]] = resolved(std::get<ir::TensorRef>(*self).id, same);
    }
    return live(graph, kept, same);
  }

  /// The nodes that outputs depend on, also by a data-dependent size that is a number.
  static std::vector<const ir::Node*> live(const ir::Graph& graph,
                                           const std::vector<const ir::Node*>& nodes,
                                           const Aliases& same) {
    std::set<ir::ValueId> needed;
    for (const ir::ValueId id : graph.outputs) needed.insert(resolved(id, same));
    const SizeDefinitions sizes(graph);
    std::vector<const ir::Node*> out;
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      if (std::none_of((*node)->outputs.begin(), (*node)->outputs.end(),
                       [&](ir::ValueId id) { return needed.contains(id); }))
        continue;
      ir::for_each_input(**node, [&](ir::ValueId id) { needed.insert(resolved(id, same)); });
      for (const ir::ValueId id : sizes.of(**node)) needed.insert(resolved(id, same));
      out.push_back(*node);
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

  /// True for a write of no rows at these sizes.
  static bool writes_nothing(const ir::Graph& graph, const ir::Node& node, const Sizes& sizes) {
    constexpr std::array<std::string_view, 6> kWrites = {
        "index_add", "index_copy", "index_put", "_index_put_impl", "scatter_add", "index_fill"};
    if (sizes.empty() || !is_one_of(ir::op_short_name(node.op), kWrites)) return false;
    const auto is_empty = [&](ir::ValueId id) {
      const ir::Shape& shape = graph.values[id].shape;
      return std::any_of(shape.begin(), shape.end(),
                         [&](const ir::Dim& size) { return size.substitute(sizes) == ir::Dim(0); });
    };
    if (const ir::Attr* index = node.find("index"))
      return std::holds_alternative<ir::TensorRef>(*index) &&
             is_empty(std::get<ir::TensorRef>(*index).id);
    const auto* refs = std::get_if<ir::TensorRefs>(node.find("indices"));
    // A mask keeps its size if none of its elements is true.
    return refs != nullptr && std::any_of(refs->ids.begin(), refs->ids.end(), [&](ir::ValueId id) {
             return id != ir::kNoValue && is_empty(id);
           });
  }
  static ir::ValueId resolved(ir::ValueId id, const Aliases& same) {
    const auto found = same.find(id);
    return found == same.end() ? id : found->second;
  }

  bool is_same(ir::ValueId a, ir::ValueId b) const {
    a = resolved(a, same_a_);
    b = resolved(b, same_b_);
    if (a == ir::kNoValue || b == ir::kNoValue) return a == b;
    if (const auto known = pairs_.find(a); known != pairs_.end()) return known->second == b;
    const int i = constants_a_[a], j = constants_b_[b];
    return i >= 0 && j >= 0 && is_same_constant(a_.constants[i].data, b_.constants[j].data);
  }

  bool is_same(const ir::Dim& a, const ir::Dim& b) const {
    const ir::Dim x = a.substitute(sizes_), y = b.substitute(traced_);
    return x == y && (is_body_ || x.is_constant());  // a body may use the iteration number
  }
  template <typename List>
  bool is_same_list(const List& a, const List& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [this](const auto& x, const auto& y) { return is_same(x, y); });
  }

  bool is_same(const ir::Attr& a, const ir::Attr& b) const {
    if (a.index() != b.index()) return false;
    if (const auto* ref = std::get_if<ir::TensorRef>(&a))
      return is_same(ref->id, std::get<ir::TensorRef>(b).id);
    if (const auto* refs = std::get_if<ir::TensorRefs>(&a))
      return is_same_list(refs->ids, std::get<ir::TensorRefs>(b).ids);
    if (const auto* dim = std::get_if<ir::Dim>(&a)) return is_same(*dim, std::get<ir::Dim>(b));
    if (const auto* dims = std::get_if<std::vector<ir::Dim>>(&a))
      return is_same_list(*dims, std::get<std::vector<ir::Dim>>(b));
    return a == b;
  }

  /// Registers the results as a pair.
  bool is_same(const ir::Node& a, const ir::Node& b) {
    if (a.op != b.op || a.args.size() != b.args.size() || a.outputs.size() != b.outputs.size())
      return false;
    for (size_t i = 0; i < a.args.size(); ++i)
      if (!is_same(a.args[i].value, b.args[i].value)) return false;
    for (size_t i = 0; i < a.outputs.size(); ++i) {
      const ir::Value& x = a_.values[a.outputs[i]];
      const ir::Value& y = b_.values[b.outputs[i]];
      if (x.dtype != y.dtype || !is_same_list(x.shape, y.shape)) return false;
      pairs_[a.outputs[i]] = b.outputs[i];
    }
    if (!a.body || !b.body) return !a.body && !b.body;
    return Pairing(*a.body, *b.body, sizes_, traced_, true).run();
  }

  const ir::Graph& a_;
  const ir::Graph& b_;
  const Sizes& sizes_;
  const Sizes& traced_;
  bool is_body_;
  std::vector<int> constants_a_, constants_b_;
  Aliases same_a_, same_b_;
  std::map<ir::ValueId, ir::ValueId> pairs_;
};

}  // namespace

bool is_isomorphic(const trace::Traced& graph, const TraceAt& other) {
  const ir::Graph& traced_graph = other.traced.graph;
  const Sizes traced = ir::sample_sizes(traced_graph);
  return Pairing(graph.graph, traced_graph, other.sizes, traced).run();
}

Where location_of(const trace::Traced& traced, const trace::Decision& decision) {
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
  if (auto direction = other_direction(a, b)) return direction;
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
  const size_t index = std::min({first.size(), second.size(), longer.nodes.size() - 1});
  return differs(cat("the model runs ", first.size(), " and ", second.size(), " operations ", at(a),
                     " and ", at(b)),
                 ir::node_where(longer, longer.nodes[index]),
                 "the operations depend on a size, so one graph cannot express them",
                 "compute the same for all sizes, or export one model per size");
}

void require_same(const std::vector<TraceAt>& runs) {
  for (const TraceAt& run : runs)
    if (auto found = difference(runs[0], run)) throw Error(*std::move(found));
}

}  // namespace t2n::dynamic

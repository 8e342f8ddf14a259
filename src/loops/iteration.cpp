// SPDX-License-Identifier: Apache-2.0
#include "src/loops/iteration.h"

#include <algorithm>

#include "src/diag/error.h"

namespace t2n::loops {
namespace {

using ir::Dim;
using ir::Node;

bool is_none(const Node& node, std::string_view name) {
  const ir::Attr* attr = node.find(name);
  return attr != nullptr && std::holds_alternative<ir::None>(*attr);
}

}  // namespace

bool mentions(const ir::Attr& attr, const ir::Symbol& symbol) {
  const std::span<const Dim> dims = ir::dims(attr);
  return std::any_of(dims.begin(), dims.end(),
                     [&](const Dim& dim) { return dim.mentions(symbol); });
}

bool mentions(const Node& node, const ir::Symbol& symbol) {
  for (const ir::Argument& arg : node.args)
    if (mentions(arg.value, symbol)) return true;
  if (node.body)
    for (const Node& inner : node.body->nodes)
      if (mentions(inner, symbol)) return true;
  return false;
}

Dim replaced(const Dim& dim, const ir::Symbol& symbol, const Dim& by) {
  return dim.substitute([&](const ir::Symbol& each) {
    return each == symbol ? std::optional<Dim>(by) : std::nullopt;
  });
}

std::optional<int64_t> coefficient(const Dim& dim, const ir::Symbol& symbol) {
  const Dim zero = replaced(dim, symbol, 0);
  const Dim step = replaced(dim, symbol, 1) - zero;
  if (!step.is_constant() || !(dim == zero + step * Dim::symbol(symbol))) return std::nullopt;
  return step.value();
}

std::optional<int64_t> sample_of(const ir::Graph& graph, const Dim& dim) {
  if (dim.is_constant()) return dim.value();
  const Dim out = dim.substitute(ir::sample_sizes(graph));
  return out.is_constant() ? std::optional<int64_t>(out.value()) : std::nullopt;
}

ir::Argument size_argument(std::string name, const Dim& value) { return {std::move(name), value}; }

const Dim* dim_of(const Node& node, std::string_view name) {
  const ir::Attr* attr = node.find(name);
  return attr == nullptr ? nullptr : std::get_if<Dim>(attr);
}

bool is_full_slice(const Node& node) {
  const Dim* start = dim_of(node, "start");
  const Dim* end = dim_of(node, "end");
  const Dim* step = dim_of(node, "step");
  return (is_none(node, "start") || (start && *start == Dim(0))) &&
         (is_none(node, "end") || (end && *end == Dim(INT64_MAX))) && step && *step == Dim(1);
}

int64_t axis_of(const Node& node, size_t rank) {
  const int64_t dim = dim_of(node, "dim")->value();
  return dim < 0 ? dim + static_cast<int64_t>(rank) : dim;
}

std::optional<OneSlice> one_slice_of(const Node& node, size_t rank) {
  const auto part = axis_part_of(node, rank);
  if (!part || part->width != 1) return std::nullopt;
  return OneSlice{part->axis, part->index, part->keeps_axis};
}

std::optional<AxisPart> axis_part_of(const Node& node, size_t rank) {
  const std::string_view op = ir::op_name(node.op);
  const bool selects = op == "aten::select.int" || op == "aten::select_scatter";
  const bool slices = op == "aten::slice.Tensor" || op == "aten::slice_scatter";
  if (!dim_of(node, "dim") || !dim_of(node, "dim")->is_constant()) return std::nullopt;
  const int64_t axis = axis_of(node, rank);
  if (selects) return AxisPart{axis, *dim_of(node, "index"), false, 1};
  const Dim* start = dim_of(node, "start");
  const Dim* end = dim_of(node, "end");
  const Dim* step = dim_of(node, "step");
  if (slices && start && end && step && *step == Dim(1) && (*end - *start).is_constant())
    return AxisPart{axis, *start, true, (*end - *start).value()};
  const Dim* length = dim_of(node, "length");
  if (op == "aten::narrow" && start && length && length->is_constant())
    return AxisPart{axis, *start, true, length->value()};
  return std::nullopt;
}

bool mentions_iteration(const Dim& dim) {
  const std::vector<ir::Symbol> all = dim.symbols();
  return std::any_of(all.begin(), all.end(),
                     [](const ir::Symbol& each) { return each.is_iteration(); });
}

bool mentions_iteration(const ir::Attr& attr) {
  const std::span<const Dim> dims = ir::dims(attr);
  return std::any_of(dims.begin(), dims.end(),
                     [](const Dim& dim) { return mentions_iteration(dim); });
}

bool mentions_iteration(const Node& node) {
  const bool in_arguments =
      std::any_of(node.args.begin(), node.args.end(),
                  [](const ir::Argument& arg) { return mentions_iteration(arg.value); });
  return in_arguments ||
         (node.body && std::any_of(node.body->nodes.begin(), node.body->nodes.end(),
                                   [](const Node& each) { return mentions_iteration(each); }));
}

std::optional<std::pair<Dim, int64_t>> remainder_of(const ir::Atom& atom) {
  const ir::Operands* const operands = ir::operands_of(atom);
  const bool divides =
      std::holds_alternative<ir::FloorDiv>(atom) || std::holds_alternative<ir::Mod>(atom);
  if (!divides || !operands->b.is_constant() || operands->b.value() < 1) return std::nullopt;
  const Dim value = ir::sum_of({{1, {atom}}});
  return std::pair(
      std::holds_alternative<ir::Mod>(atom) ? value : operands->a - operands->b * value,
      operands->b.value());
}

Node node_at(ir::Location location) {
  Node out;
  out.scope = location.scope;
  out.source = location.source;
  return out;
}

void require_iterations(int64_t count, std::vector<Where> where) {
  constexpr int64_t kLeast = 3;
  if (count >= kLeast) return;
  throw Error(
      {.id = "short-loop",
       .message = kRefusedLoop,
       .where = std::move(where),
       .details = {},
       .why = cat("it took ", count, count == 1 ? " iteration" : " iterations",
                  ", too few to compare"),
       .help = cat("give sample inputs for which it takes at least ", kLeast, " iterations")});
}

void refuse_loop(const ir::Graph& graph, const Node& node, std::string why, std::string help) {
  throw Error({.id = "dynamic-loop",
               .message = kRefusedLoop,
               .where = {ir::node_where(graph, node)},
               .details = {},
               .why = std::move(why),
               .help = std::move(help)});
}

void refuse_part(const ir::Graph& graph, ir::Location location) {
  refuse_loop(graph, node_at(location),
              "tensors whose length changes from iteration to iteration are read after the loop",
              "reduce them in the loop, or collect tensors of one shape");
}

void refuse_loop(std::string why, std::string help) {
  throw Error("dynamic-loop", kRefusedLoop, std::move(why), std::move(help));
}

}  // namespace t2n::loops

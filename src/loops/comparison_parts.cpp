// SPDX-License-Identifier: Apache-2.0
// Parts of an axis whose length changes from iteration to iteration: x[:, :t + 1]. The body reads
// the entire axis, with a mask.
#include <algorithm>

#include "ir/atoms.h"
#include "src/diag/error.h"
#include "src/loops/comparison.h"

namespace t2n::loops {
namespace {

using ir::Dim;
using ir::Node;
using ir::TensorRef;
using ir::ValueId;

/// a and b of max(a, b) or min(a, b); any other number alone.
template <typename Choice>
std::vector<Dim> alternatives(const Dim& dim) {
  if (dim.is_constant() || dim.terms().size() != 1 || !(dim == ir::sum_of({dim.terms()[0]})))
    return {dim};
  const ir::Term& term = dim.terms()[0];
  const auto* const choice =
      term.factor == 1 && term.atoms.size() == 1 ? std::get_if<Choice>(&term.atoms[0]) : nullptr;
  return choice == nullptr ? std::vector{dim} : std::vector{choice->a, choice->b};
}

/// The number of elements in one iteration of the sample's run, of `all` along the axis.
int64_t extent_of(const ir::Graph& graph, const Part& part, int64_t all, const ir::Symbol& number,
                  int64_t iteration) {
  const auto index = [&](const Dim& dim) {
    const auto value = sample_of(graph, replaced(dim, number, iteration));
    return std::clamp<int64_t>(value.value_or(0), 0, all);
  };
  return std::max<int64_t>((part.end ? index(*part.end) : all) - index(part.begin), 0);
}

/// The number that parts with equal bounds share.
size_t range_of_part(const std::vector<Part>& parts, const Part& part) {
  for (const Part& each : parts)
    if (each.begin == part.begin && each.end == part.end && each.is_piece == part.is_piece)
      return each.range;
  return parts.size();
}

/// The part that a slice reads; nothing if it has steps.
std::optional<Part> slice_of(const Node& node, size_t rank) {
  const std::string_view op = ir::op_name(node.op);
  const Dim* const dim = dim_of(node, "dim");
  if ((op != "aten::slice.Tensor" && op != "aten::narrow") || !dim || !dim->is_constant())
    return {};
  Part out;
  out.axis = axis_of(node, rank);
  const Dim* const start = dim_of(node, "start");
  if (start != nullptr) out.begin = *start;
  if (op == "aten::narrow") {
    const Dim* const length = dim_of(node, "length");
    if (start == nullptr || length == nullptr) return {};
    out.end = *start + *length;
    return out;
  }
  const Dim* const step = dim_of(node, "step");
  const Dim* const end = dim_of(node, "end");
  if (step == nullptr || !(*step == Dim(1))) return {};
  if (end != nullptr && !(*end == Dim(INT64_MAX))) out.end = *end;
  return out;
}

}  // namespace

bool IterationComparison::may_be_part(size_t position) const {
  if (loop().length.is_constant()) return false;
  const Node& first = node(found_.start, position);
  if (with_lengths(first)) return true;
  bool out = false;
  ir::for_each_input(first, [&](ValueId id) {
    out = out || all_.part(id) != nullptr;  // perhaps a piece of a split()
    const DefSite* const site = all_.def_site(id);
    if (site == nullptr || site->iteration != found_.start) return;
    const auto inner = found_.inner.find({site->node, site->output});
    out = out || (inner != found_.inner.end() && masked_.differs(inner->second));
  });
  const ValueId self = ir::operand(first, "self");
  if (out || self == ir::kNoValue || !mentions(first, loop().number) ||
      !slice_of(first, outer(self).shape.size()))
    return out;
  const IterationValues results = all_.column(position, 0, found_.start);
  return std::any_of(results.begin(), results.end(),
                     [&](ValueId id) { return outer(id).shape != outer(results[0]).shape; });
}

/// x[:, :t + 1] of an outer tensor or of a state.
bool IterationComparison::add_part(size_t position) {
  const Node& first = node(found_.start, position);
  const ValueId self = ir::operand(first, "self");
  auto part = self == ir::kNoValue ? std::nullopt : slice_of(first, outer(self).shape.size());
  if (!part || !mentions(first, loop().number)) return false;
  const IterationValues reads = operands(position)[0];
  const auto source = outer_value(reads);
  reader_ = &first;
  const ValueId all = source ? captured(*source) : operand(reads);
  reader_ = nullptr;
  const auto state = source ? std::nullopt : state_after(all);
  if ((!source && !state) || masked_.find(all) != nullptr) return false;
  part->owner = source ? *source : found_.states[*state].iterations[0];
  part->extent = ir::size_symbol(rerolling_.graph(), part->owner, part->axis);
  const Part& known = part_of(*std::move(part), first);
  const ir::Value like = body_.graph().values[all];
  const ValueId out = body_.node("aten::slice.Tensor",
                                 {{"self", TensorRef{all}},
                                  {"dim", Dim(known.axis)},
                                  {"start", Dim(0)},
                                  {"end", Dim(INT64_MAX)},
                                  {"step", Dim(1)}},
                                 like.dtype, like.shape, first);
  masked_.set(out, {{known.axis, {known.inside, known.begin == Dim(0), known.range}}});
  found_.inner[{position, 0}] = out;
  return true;
}

/// The part with its mask. Numbers below zero would count from the end.
const Part& IterationComparison::part_of(Part part, const Node& origin) {
  for (const Part& each : parts_)
    if (each.owner == part.owner && each.axis == part.axis && each.begin == part.begin &&
        each.end == part.end && !each.is_piece)
      return each;
  const ValueId positions = this->positions(part.owner, part.axis);
  const ir::Shape line = body_.graph().values[positions].shape;
  const auto bound = [&](const Dim& dim, std::string op) {
    const bool varies = dim.mentions(loop().number);
    const ValueId out = body_.node(
        op + (varies ? ".Tensor" : ".Scalar"),
        {{"self", TensorRef{positions}},
         {"other", varies ? ir::Attr(TensorRef{number_value(dim, origin)}) : ir::Attr(dim)}},
        ir::DType::boolean, line, origin);
    body_.graph().nodes.back().compute_dtype = ir::DType::i64;
    part.inside = part.inside == ir::kNoValue
                      ? out
                      : body_.node("aten::logical_and",
                                   {{"self", TensorRef{part.inside}}, {"other", TensorRef{out}}},
                                   ir::DType::boolean, line, origin);
  };
  const std::vector<Dim> begins = alternatives<ir::Max>(part.begin);
  const auto is_natural = [](const Dim& each) { return each.is_constant() && each.value() >= 0; };
  for (const Dim& each : begins) {
    if (each == Dim(0)) continue;
    if (std::none_of(begins.begin(), begins.end(), is_natural)) require_least(each, 0, origin);
    bound(each, "aten::ge");
  }
  for (const Dim& each : part.end ? alternatives<ir::Min>(*part.end) : std::vector<Dim>()) {
    require_least(each, 0, origin);
    bound(each, "aten::lt");
  }
  part.range = range_of_part(parts_, part);
  parts_.push_back(std::move(part));
  return parts_.back();
}

/// The pieces of a split(), the last of which may be shorter: beyond the end of the axis, its last
/// element is repeated.
ValueId IterationComparison::piece_of(const Slices& slices) {
  for (const Slices& known : found_.pieces)
    if (known.source == slices.source && known.axis == slices.axis && known.part == slices.part &&
        known.first == slices.first)
      return known.inner;
  const Node& origin = reader_ == nullptr ? node(found_.start, 0) : *reader_;
  const Dim begin =
      Dim(slices.part) * (slices.first - Dim(found_.start) + Dim::symbol(loop().number));
  Part part{.owner = slices.source, .axis = slices.axis, .begin = begin, .end = {}, .extent = {}};
  part.end = begin + Dim(slices.part);
  part.extent = ir::size_symbol(rerolling_.graph(), part.owner, part.axis);
  part.is_piece = part.has_elements = true;
  const ValueId indices = part_indices(begin, slices.part, origin);
  const ir::Shape line = {Dim(slices.part)};
  part.inside =
      body_.node("aten::lt.Scalar", {{"self", TensorRef{indices}}, {"other", part.extent}},
                 ir::DType::boolean, line, origin);
  body_.graph().nodes.back().compute_dtype = ir::DType::i64;
  const ValueId existing = body_.node(
      "aten::clamp", {{"self", TensorRef{indices}}, {"min", Dim(0)}, {"max", part.extent - Dim(1)}},
      ir::DType::i64, line, origin);
  const ir::Value& source = outer(slices.source);
  ir::Shape shape = source.shape;
  shape[slices.axis] = slices.part;
  Slices known = slices;
  known.inner = body_.node("aten::index_select",
                           {{"self", TensorRef{captured(slices.source)}},
                            {"dim", Dim(slices.axis)},
                            {"index", TensorRef{existing}}},
                           source.dtype, shape, origin);
  part.range = range_of_part(parts_, part);
  masked_.set(known.inner, {{slices.axis, {part.inside, true, part.range}}});
  parts_.push_back(std::move(part));
  found_.pieces.push_back(known);
  return known.inner;
}

/// Requires that a number is at least `least` in all iterations.
void IterationComparison::require_least(const Dim& number, int64_t least, const Node& origin) {
  const auto range = range_of(number);
  const auto sample = range ? sample_of(graph_, range->first) : std::nullopt;
  if (!sample || *sample < least)
    differ(origin,
           sample
               ? "in some iterations a part of an axis has no elements, or begins before the axis"
               : "the range of an index that depends on the iteration number is unknown",
           "read a part that begins or ends at the iteration number, and has elements");
  found_.conditions.push_back({Dim(least), ir::Relation::le, range->first});
}

/// Adds the results of an operation of the body.
void IterationComparison::add_results(Node node, size_t position) {
  const Node& recorded = this->node(found_.start, position);
  std::vector<ir::Value> results;
  for (const ValueId id : recorded.outputs) results.push_back(outer(id));
  const bool is_masked = masked_.reads_any(node);
  if (!is_masked) {
    node.outputs.clear();
    for (const ir::Value& value : results) node.outputs.push_back(body_.value_like(value));
  }
  const std::vector<ValueId> out = is_masked ? masked_.add(node, results) : node.outputs;
  if (!is_masked) body_.graph().nodes.push_back(std::move(node));
  for (size_t p = 0; p < out.size(); ++p) found_.inner[{position, p}] = out[p];
  for (Part& part : parts_) {
    if (part.has_elements || !masked_.never_empty().contains(part.inside)) continue;
    part.has_elements = true;
    std::vector<Dim> ends = {part.extent};
    if (part.end)
      for (const Dim& each : alternatives<ir::Min>(*part.end)) ends.push_back(each);
    for (const Dim& begin : alternatives<ir::Max>(part.begin))
      for (const Dim& end : ends)
        if (!(end == part.extent && begin == Dim(0))) require_least(end - begin, 1, recorded);
  }
}

/// Compares the shapes of results with those that the parts predict.
void IterationComparison::check_extents(size_t position) const {
  const Node& first = node(found_.start, position);
  for (size_t p = 0; p < first.outputs.size(); ++p) {
    const MaskedAxes* const masks = masked_.find(found_.inner.at({position, p}));
    for (int64_t iteration = found_.start; iteration < all_.count(); ++iteration) {
      ir::Shape expected = outer(first.outputs[p]).shape;
      for (const auto& [axis, mask] : masks == nullptr ? MaskedAxes() : *masks)
        for (const Part& part : parts_)
          if (part.inside == mask.inside)
            expected[axis] = extent_of(graph_, part, outer(part.owner).shape[part.axis].value(),
                                       loop().number, iteration);
      const ir::Shape& shape = outer(node(iteration, position).outputs[p]).shape;
      if (shape != expected)
        differ(node(iteration, position),
               cat("the result of ", ir::op_name(first.op), " is ", ir::shape_str(shape),
                   " in iteration ", iteration, ", and ", ir::shape_str(expected),
                   " is expected from earlier ones"),
               kPlainHelp);
    }
  }
}

/// The operation with the lengths of parts as expressions over the iteration number. Nothing if it
/// reads none.
std::optional<Node> IterationComparison::with_lengths(Node node) const {
  bool reads_any = false;
  const auto length = [&](const ir::Symbol& symbol) -> std::optional<Dim> {
    const ir::Symbol::AxisSize* const size = symbol.axis_size();
    for (const auto& [site, inner] : found_.inner) {
      const MaskedAxes* const masks = masked_.find(inner);
      if (size == nullptr || masks == nullptr || !masks->contains(size->axis) ||
          outer(this->node(found_.start, site.first).outputs[site.second]).name != size->value)
        continue;
      reads_any = true;
      for (const Part& part : parts_)
        if (part.inside == masks->at(size->axis).inside)
          return part.end.value_or(part.extent) - part.begin;
    }
    return std::nullopt;
  };
  if (parts_.empty()) return std::nullopt;
  for (ir::Argument& arg : node.args)
    for (Dim& dim : ir::dims(arg.value)) dim = dim.substitute(length);
  if (node.body)
    for (const Node& inner : node.body->nodes)
      reads_any = with_lengths(inner).has_value() || reads_any;
  return reads_any ? std::optional(std::move(node)) : std::nullopt;
}

/// Replaces the lengths of parts, which must not end beyond their axis.
void IterationComparison::use_lengths(Node& node, const Node& recorded) {
  node = *with_lengths(std::move(node));
  if (with_lengths(node))
    differ(recorded,
           "an inner loop reads the length of a part that changes from iteration to iteration",
           "read it before the inner loop");
  for (const Part& part : parts_) {
    const Dim end = part.end.value_or(part.extent);
    require_least(end - part.begin, 0, recorded);
    if (part.end) require_least(part.extent - end, 0, recorded);
  }
}

/// Notes the values of which the program has a part only, and conditions on the axes of the parts.
void IterationComparison::find_parts() {
  const auto part_with = [&](ValueId inside) {
    return *std::find_if(parts_.begin(), parts_.end(),
                         [&](const Part& each) { return each.inside == inside; });
  };
  for (const auto& [def_site, inner] : found_.inner) {
    const MaskedAxes* const masks = masked_.find(inner);
    if (masked_.differs(inner)) found_.parts.insert(inner);
    if (masks == nullptr) continue;
    const auto& [axis, mask] = *masks->begin();
    const Part part = part_with(mask.inside);
    if (masks->size() != 1 || !part.is_piece) continue;
    const Dim begin = part.begin.substitute(ir::Sizes{{loop().number, found_.start}});
    if (begin.is_constant())
      found_.rests[inner] = {axis, part.extent - begin,
                             outer(part.owner).shape[part.axis].value() - begin.value()};
  }
  for (const auto& [a, b] : masked_.equal())
    found_.conditions.push_back({part_with(a).extent, ir::Relation::eq, part_with(b).extent});
}

}  // namespace t2n::loops

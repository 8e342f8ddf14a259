// SPDX-License-Identifier: Apache-2.0
// Where the iterations of a loop take their operands from: outer values, slices of them, the same
// iteration, or the previous one.
#include <algorithm>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/loops/comparison.h"
#include "src/loops/iteration.h"

namespace t2n::loops {

using ir::Dim;
using ir::Node;
using ir::ValueId;

namespace {

/// The size of each result of split along its axis; 0 for unbind, which removes the axis.
std::optional<int64_t> split_size_of(const Node& node) {
  const std::string_view op = ir::op_name(node.op);
  if (op == "aten::unbind.int") return 0;
  if (op != "aten::split.Tensor" && op != "aten::unsafe_split.Tensor") return std::nullopt;
  const Dim* part = dim_of(node, "split_size");
  return part != nullptr && part->is_constant() ? std::optional(part->value()) : std::nullopt;
}

}  // namespace

/// The tensors that a node reads, each in all iterations.
std::vector<IterationValues> IterationComparison::operands(size_t position) const {
  std::vector<IterationValues> out;
  for (int64_t iteration = found_.start; iteration < all_.count(); ++iteration) {
    size_t next = 0;
    ir::for_each_input(node(iteration, position), [&](ValueId id) {
      if (iteration == found_.start) out.emplace_back();
      if (next >= out.size())
        differ(node(iteration, position), "the iterations read different numbers of tensors",
               kPlainHelp);
      out[next++].push_back(id);
    });
    if (next != out.size())
      differ(node(iteration, position), "the iterations read different numbers of tensors",
             kPlainHelp);
  }
  return out;
}

bool IterationComparison::is_invariant(size_t position) const {
  const Node& first = node(found_.start, position);
  if (ir::is_unpredictable(first.op) || mentions(first, loop().number) || with_lengths(first))
    return false;
  for (const IterationValues& ids : operands(position))
    if (!outer_value(ids)) return false;
  return true;
}

/// The outer value that all iterations read, if it is the same one.
std::optional<ValueId> IterationComparison::outer_value(const IterationValues& ids) const {
  if (const auto def_site = own_result(ids)) {
    if (!found_.hoisted[def_site->node]) return std::nullopt;
    return node(found_.start, def_site->node).outputs[def_site->output];
  }
  const auto is_inside = [&](ValueId id) {
    const DefSite* const found = all_.def_site(id);
    return found != nullptr && found->iteration >= found_.start;
  };
  if (ids.size() < 2 || is_inside(ids[0])) return std::nullopt;
  const bool same = std::all_of(ids.begin(), ids.end(), [&](ValueId id) { return id == ids[0]; });
  if (same) return ids[0];
  // A literal creates a new constant in every iteration.
  const std::vector<int> constants = ir::constant_index(graph_);
  const auto data = [&](ValueId id) -> const ir::Tensor* {
    const int at = constants[id];
    return at < 0 ? nullptr : &graph_.constants[at].data;
  };
  for (const ValueId id : ids)
    if (!data(id) || !data(ids[0]) || !ir::same_values(*data(id), *data(ids[0])))
      return std::nullopt;
  return ids[0];
}

/// The position at which each iteration computes the value itself.
std::optional<DefSite> IterationComparison::own_result(const IterationValues& ids) const {
  std::optional<DefSite> out;
  for (size_t i = 0; i < ids.size(); ++i) {
    const DefSite* const found = all_.def_site(ids[i]);
    if (found == nullptr || found->iteration != found_.start + static_cast<int64_t>(i))
      return std::nullopt;
    if (out && (out->node != found->node || out->output != found->output)) return std::nullopt;
    out = *found;
  }
  return out;
}

/// Consecutive slices that exist outside the loop: results of unbind or split, or of an earlier
/// loop's iterations.
std::optional<Slices> IterationComparison::consecutive_slices(const IterationValues& ids) {
  std::vector<int64_t> indices;
  std::optional<size_t> producer_index;
  bool is_unbound = false;
  for (const ValueId id : ids) {
    const auto* const unbound = all_.part(id);
    const Occurrence* const occurrence = values_.occurrence(id);
    // A scan has several results as well, but its iterations have occurrences.
    is_unbound = occurrence == nullptr || !occurrence->has_body_value();
    if (is_unbound && unbound == nullptr) return std::nullopt;
    const size_t producer = is_unbound ? unbound->first : occurrence->body_value;
    if (producer_index && *producer_index != producer) return std::nullopt;
    if (!is_unbound && values_.body_value(producer).rest) return std::nullopt;
    producer_index = producer;
    indices.push_back(is_unbound ? static_cast<int64_t>(unbound->second) : occurrence->iteration);
  }
  if (indices.size() < 2) return std::nullopt;
  const int64_t step = indices[1] - indices[0];
  for (size_t i = 1; i < indices.size(); ++i)
    if (indices[i] - indices[i - 1] != step || (step != 1 && step != -1)) return std::nullopt;
  Slices out;
  out.reversed = step < 0;
  int64_t extent = 0;
  if (is_unbound) {
    const Node& split = graph_.nodes[*producer_index];
    const auto part = split_size_of(split);
    if (!part) return std::nullopt;
    out.source = ir::operand(split, "self");
    out.axis = axis_of(split, outer(out.source).shape.size());
    out.part = *part;
    const bool is_even = std::all_of(
        ids.begin(), ids.end(), [&](ValueId id) { return outer(id).shape == outer(ids[0]).shape; });
    const int64_t size = outer(out.source).shape[out.axis].value();
    // For dynamic lengths the shape rules refuse it.
    if (loop().length.is_constant() && (!is_even || (*part > 0 && size % *part != 0)))
      return std::nullopt;
    out.has_rest = *part > 1 && !loop().length.is_constant() && (!is_even || loop().pads_rest);
    if (out.has_rest && out.reversed) return std::nullopt;
    found_.has_rest = found_.has_rest || (out.has_rest && !loop().pads_rest);
    extent = static_cast<int64_t>(split.outputs.size());
  } else {
    out.source = rerolling_.stacked(*producer_index, 0, false, ir::kNoValue);
    extent = values_.body_value(*producer_index).iterations;
  }
  out.first = out.reversed ? Dim(indices[0] - extent) : Dim(indices[0]);
  return out;
}

ValueId IterationComparison::operand(const IterationValues& ids) {
  if (const auto id = outer_value(ids)) return captured(*id);
  if (const auto def_site = own_result(ids))
    return found_.inner.at({def_site->node, def_site->output});
  if (auto run = consecutive_slices(ids))
    return run->has_rest ? piece_of(*run) : scanned(*run, outer(ids[0]).name);
  return state(ids);
}

ValueId IterationComparison::captured(ValueId id) {
  const std::vector<int> constants = ir::constant_index(graph_);
  const int constant = constants[id];
  const ir::Value& value = outer(id);
  if (constant >= 0) {
    const auto [found, is_new] = constants_.try_emplace(id, ir::kNoValue);
    if (is_new) {
      found->second = body_.value_like(value);
      body_.graph().constants.push_back({found->second, graph_.constants[constant].data});
    }
    return found->second;
  }
  for (const auto& [known, inner] : found_.captured)
    if (known == id) return inner;
  found_.captured.emplace_back(id, body_.value_like(value));
  return found_.captured.back().second;
}

/// The quantisation of all slices. Refuses slices with different scales.
std::optional<ir::QuantInfo> IterationComparison::quant_of(const Slices& slices) const {
  const ir::Value& source = outer(slices.source);
  std::optional<ir::QuantInfo> out = source.quant;
  if (!out || !out->is_per_channel()) return out;
  if (slices.axis == out->axis)
    differ(cat("every iteration reads ", quoted(source.name), " at a different scale"),
           "dequantize() it before the loop");
  if (slices.part == 0 && slices.axis < out->axis) --out->axis;
  return out;
}

ValueId IterationComparison::scanned(Slices slices, const std::string& name) {
  for (const Slices& known : found_.slices)
    if (known.source == slices.source && known.axis == slices.axis && known.part == slices.part &&
        known.first == slices.first && known.reversed == slices.reversed &&
        known.step == slices.step)
      return known.inner;
  const ir::Value& source = outer(slices.source);
  ir::Shape shape = source.shape;
  if (slices.part == 0)
    shape.erase(shape.begin() + slices.axis);
  else
    shape[slices.axis] = slices.part;
  slices.inner = body_.value(name, source.dtype, shape);
  body_.graph().values[slices.inner].quant = quant_of(slices);
  found_.slices.push_back(slices);
  return slices.inner;
}

/// A result of the previous iteration; the first iteration reads an outer value.
ValueId IterationComparison::state(const IterationValues& ids) {
  const auto is_prefix = [&](const IterationValues& known) {
    const size_t count = std::min(known.size(), ids.size());
    return count > 1 && std::equal(known.begin(),
                                   known.begin() + static_cast<std::ptrdiff_t>(count), ids.begin());
  };
  for (const CarriedState& known : found_.states)
    if (is_prefix(known.iterations)) return known.inner;
  const DefSite* const first = all_.def_site(ids[0]);
  const bool from_outside = first == nullptr || first->iteration < found_.start ||
                            (first->iteration == found_.start && found_.hoisted[first->node]);
  // Alternating outer tensors are not a state, unless it keeps the second one.
  const bool ends_outside =
      all_.def_site(ids.back()) == nullptr &&
      !outer_value(IterationValues(ids.begin() + (ids.empty() ? 0 : 1), ids.end()));
  if (ids.size() < 2 || !from_outside || ends_outside)
    differ(cat("the iterations read ", quoted(outer(ids[0]).name),
               " and other tensors that are not a result of the previous iteration"),
           kPlainHelp);
  for (const ValueId id : ids)
    if (outer(id).dtype != outer(ids[0]).dtype || outer(id).shape != outer(ids[0]).shape)
      differ(
          cat(quoted(outer(ids[0]).name), " is carried from iteration to iteration and changes: ",
              ir::dtype_name(outer(ids[0]).dtype), ir::shape_str(outer(ids[0]).shape), " becomes ",
              ir::dtype_name(outer(id).dtype), ir::shape_str(outer(id).shape)),
          "keep its shape and dtype; collect parts that grow in a list, and torch.stack "
          "them after the loop");
  const ir::Value& value = outer(ids[0]);
  const ValueId inner = body_.value_like(value);
  found_.states.push_back({ids, inner, ir::kNoValue});
  return inner;
}

void IterationComparison::resolve_states() {
  for (size_t i = 0; i < found_.states.size(); ++i) {  // may add further states
    const IterationValues tail(found_.states[i].iterations.begin() + 1,
                               found_.states[i].iterations.end());
    const ValueId next = operand(tail);
    if (masked_.differs(next))
      differ(cat("the length of ", quoted(outer(tail[0]).name), " changes"), kPlainHelp);
    found_.states[i].next = next;
  }
}

}  // namespace t2n::loops

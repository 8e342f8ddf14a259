// Where the iterations of a loop take their operands from: outer values, slices of them, the
// iteration itself, or the iteration before.
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

/// How many elements of an axis each result of split has; 0 for unbind: one, without the axis.
std::optional<int64_t> part_of(const Node& node) {
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
        differ(node(iteration, position), "the iterations read other numbers of tensors",
               kPlainHelp);
      out[next++].push_back(id);
    });
    if (next != out.size())
      differ(node(iteration, position), "the iterations read other numbers of tensors", kPlainHelp);
  }
  return out;
}

bool IterationComparison::is_invariant(size_t position) const {
  const Node& first = node(found_.start, position);
  if (ir::is_unpredictable(first.op) || mentions(first, loop().number)) return false;
  for (const IterationValues& ids : operands(position))
    if (!outside(ids)) return false;
  return true;
}

/// The one outer value that all iterations read.
std::optional<ValueId> IterationComparison::outside(const IterationValues& ids) const {
  if (const auto spot = own(ids)) {
    if (!found_.hoisted[spot->node]) return std::nullopt;
    return node(found_.start, spot->node).outputs[spot->output];
  }
  const auto is_inside = [&](ValueId id) {
    const Spot* const found = all_.spot(id);
    return found != nullptr && found->iteration >= found_.start;
  };
  if (ids.size() < 2 || is_inside(ids[0])) return std::nullopt;
  const bool same = std::all_of(ids.begin(), ids.end(), [&](ValueId id) { return id == ids[0]; });
  if (same) return ids[0];
  // A literal makes a new constant in every iteration.
  const std::vector<int> constants = ir::constant_index(graph_);
  const auto data = [&](ValueId id) -> const ir::Tensor* {
    const int at = constants[static_cast<size_t>(id)];
    return at < 0 ? nullptr : &graph_.constants[static_cast<size_t>(at)].data;
  };
  for (const ValueId id : ids)
    if (!data(id) || !data(ids[0]) || !ir::same_values(*data(id), *data(ids[0])))
      return std::nullopt;
  return ids[0];
}

/// The position at which each iteration computes the value itself.
std::optional<Spot> IterationComparison::own(const IterationValues& ids) const {
  std::optional<Spot> out;
  for (size_t i = 0; i < ids.size(); ++i) {
    const Spot* const found = all_.spot(ids[i]);
    if (found == nullptr || found->iteration != found_.start + static_cast<int64_t>(i))
      return std::nullopt;
    if (out && (out->node != found->node || out->output != found->output)) return std::nullopt;
    out = *found;
  }
  return out;
}

/// Consecutive slices that already exist outside: results of unbind or split, or iterations of an
/// earlier loop.
std::optional<Slices> IterationComparison::run_of(const IterationValues& ids) {
  std::vector<int64_t> places;
  std::optional<size_t> source;
  bool is_unbound = false;
  for (const ValueId id : ids) {
    const auto* const unbound = all_.part(id);
    const Instance* const instance = values_.instance(id);
    // An outer scan has several results as well; its iterations are known as such.
    is_unbound = instance == nullptr || !instance->has_family();
    if (is_unbound && unbound == nullptr) return std::nullopt;
    const size_t from = is_unbound ? unbound->first : instance->family;
    if (source && *source != from) return std::nullopt;
    source = from;
    places.push_back(is_unbound ? static_cast<int64_t>(unbound->second) : instance->iteration);
  }
  if (places.size() < 2) return std::nullopt;
  const int64_t step = places[1] - places[0];
  for (size_t i = 1; i < places.size(); ++i)
    if (places[i] - places[i - 1] != step || (step != 1 && step != -1)) return std::nullopt;
  Slices out;
  out.reversed = step < 0;
  int64_t extent = 0;
  if (is_unbound) {
    const Node& apart = graph_.nodes[*source];
    const auto part = part_of(apart);
    if (!part) return std::nullopt;
    out.whole = ir::operand(apart, "self");
    out.axis = axis_of(apart, outer(out.whole).shape.size());
    out.part = *part;
    const bool is_even = std::all_of(
        ids.begin(), ids.end(), [&](ValueId id) { return outer(id).shape == outer(ids[0]).shape; });
    const int64_t size = outer(out.whole).shape[static_cast<size_t>(out.axis)].value();
    // For other lengths the shape rules refuse it.
    if (loop().length.is_constant() && (!is_even || (*part > 0 && size % *part != 0)))
      return std::nullopt;
    extent = static_cast<int64_t>(apart.outputs.size());
  } else {
    out.whole = rolling_.stacked(*source, 0, false, ir::kNoValue);
    extent = values_.family(*source).iterations;
  }
  out.first = out.reversed ? Dim(places[0] - extent) : Dim(places[0]);
  return out;
}

ValueId IterationComparison::operand(const IterationValues& ids) {
  if (const auto id = outside(ids)) return captured(*id);
  if (const auto spot = own(ids)) return found_.inner.at({spot->node, spot->output});
  if (auto run = run_of(ids)) return scanned(*run, outer(ids[0]).name);
  return state(ids);
}

ValueId IterationComparison::captured(ValueId id) {
  const std::vector<int> constants = ir::constant_index(graph_);
  const int constant = constants[static_cast<size_t>(id)];
  const ir::Value& value = outer(id);
  if (constant >= 0) {
    const auto [found, is_new] = constants_.try_emplace(id, ir::kNoValue);
    if (is_new) {
      found->second = body_.value_like(value);
      body_.graph().constants.push_back(
          {found->second, graph_.constants[static_cast<size_t>(constant)].data});
    }
    return found->second;
  }
  for (const auto& [known, inner] : found_.captured)
    if (known == id) return inner;
  found_.captured.emplace_back(id, body_.value_like(value));
  return found_.captured.back().second;
}

/// The quantisation of all slices together, if each does not have its own.
std::optional<ir::QuantInfo> IterationComparison::quant_of(const Slices& slices) const {
  const ir::Value& whole = outer(slices.whole);
  std::optional<ir::QuantInfo> out = whole.quant;
  if (!out || !out->is_per_channel()) return out;
  if (slices.axis == out->axis)
    differ(cat("every iteration reads ", quoted(whole.name), " at another scale"),
           "dequantize() it before the loop");
  if (slices.part == 0 && slices.axis < out->axis) --out->axis;
  return out;
}

ValueId IterationComparison::scanned(Slices slices, const std::string& name) {
  for (const Slices& known : found_.slices)
    if (known.whole == slices.whole && known.axis == slices.axis && known.part == slices.part &&
        known.first == slices.first && known.reversed == slices.reversed &&
        known.step == slices.step)
      return known.inner;
  const ir::Value& whole = outer(slices.whole);
  ir::Shape shape = whole.shape;
  if (slices.part == 0)
    shape.erase(shape.begin() + slices.axis);
  else
    shape[static_cast<size_t>(slices.axis)] = slices.part;
  slices.inner = body_.value(name, whole.dtype, shape);
  body_.graph().values[static_cast<size_t>(slices.inner)].quant = quant_of(slices);
  found_.slices.push_back(slices);
  return slices.inner;
}

/// A result of the iteration before; the first iteration reads another value.
ValueId IterationComparison::state(const IterationValues& ids) {
  const auto is_prefix = [&](const IterationValues& known) {
    const size_t count = std::min(known.size(), ids.size());
    return count > 1 && std::equal(known.begin(),
                                   known.begin() + static_cast<std::ptrdiff_t>(count), ids.begin());
  };
  for (const CarriedState& known : found_.states)
    if (is_prefix(known.iterations)) return known.inner;
  const Spot* const first = all_.spot(ids[0]);
  const bool from_outside = first == nullptr || first->iteration < found_.start ||
                            (first->iteration == found_.start && found_.hoisted[first->node]);
  // Outer tensors that alternate are no state, unless it keeps the second one.
  const bool ends_outside =
      all_.spot(ids.back()) == nullptr &&
      !outside(IterationValues(ids.begin() + (ids.empty() ? 0 : 1), ids.end()));
  if (ids.size() < 2 || !from_outside || ends_outside)
    differ(cat("the iterations read ", quoted(outer(ids[0]).name),
               " and other tensors that no iteration before computed alike"),
           kPlainHelp);
  for (const ValueId id : ids)
    if (outer(id).dtype != outer(ids[0]).dtype || outer(id).shape != outer(ids[0]).shape)
      differ(
          cat(quoted(outer(ids[0]).name), " is carried from iteration to iteration and changes: ",
              ir::dtype_name(outer(ids[0]).dtype), ir::shape_str(outer(ids[0]).shape), " becomes ",
              ir::dtype_name(outer(id).dtype), ir::shape_str(outer(id).shape)),
          "let it keep shape and dtype; collect what grows in a list, and torch.stack "
          "it after the loop");
  const ir::Value& value = outer(ids[0]);
  const ValueId inner = body_.value_like(value);
  found_.states.push_back({ids, inner, ir::kNoValue});
  return inner;
}

void IterationComparison::resolve_states() {
  for (size_t i = 0; i < found_.states.size(); ++i) {  // may find further states
    const IterationValues tail(found_.states[i].iterations.begin() + 1,
                               found_.states[i].iterations.end());
    const ValueId next = operand(tail);
    found_.states[i].next = next;
  }
}

}  // namespace t2n::loops

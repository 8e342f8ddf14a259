// SPDX-License-Identifier: Apache-2.0
#include "src/translate/readers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <vector>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/translate/emitter_state.h"

namespace t2n::ops {
namespace {

using ir::Node;
using ir::ValueId;
using State = Emitter::State;

/// f32 represents the halves of integers up to here, and sums of two of them.
constexpr double kSmall = 1 << 20;

constexpr std::array<std::string_view, 3> kDivides = {"div", "divide", "true_divide"};

bool reads(const Node& node, ValueId id) {
  bool found = false;
  ir::for_each_input(node, [&](ValueId each) { found = found || each == id; });
  return found;
}

/// The nodes after `first` that read the value; nothing if it is a result of the graph, too.
std::vector<const Node*> readers_of(const State& state, const Node& first, ValueId id) {
  const std::vector<ValueId>& outputs = state.graph.outputs;
  std::vector<const Node*> out;
  if (std::find(outputs.begin(), outputs.end(), id) != outputs.end()) return out;
  const Node* end = state.graph.nodes.data() + state.graph.nodes.size();
  const auto uses = static_cast<size_t>(state.use_counts[id]);
  for (const Node* node = &first + 1; node < end && out.size() < uses; ++node)
    if (reads(*node, id)) out.push_back(node);
  return out;
}

/// Whether there is a reader, and the condition holds for all of them.
template <typename Condition>
bool all_read(const State& state, const Node& first, ValueId id, const Condition& condition) {
  const std::vector<const Node*> readers = readers_of(state, first, id);
  return !readers.empty() && std::all_of(readers.begin(), readers.end(),
                                         [&](const Node* node) { return condition(*node); });
}

/// The greatest magnitude of a number, or of a constant's elements; infinity for anything else.
double magnitude_of(const State& state, const Node& node, std::string_view argument) {
  const ir::Attr* attr = node.find(argument);
  if (attr == nullptr) return HUGE_VAL;
  if (const auto* number = std::get_if<double>(attr)) return std::abs(*number);
  if (const auto* dim = std::get_if<ir::Dim>(attr); dim != nullptr && dim->is_constant())
    return std::abs(static_cast<double>(dim->value()));
  const ValueId id = ir::operand(node, argument);
  const int at = id == ir::kNoValue ? -1 : state.constant_index[id];
  if (at < 0 || state.graph.constants[at].data.bytes.empty()) return HUGE_VAL;
  double out = 0;
  for (const double each : ir::to_f64(state.graph.constants[at].data))
    out = std::max(out, std::isnan(each) ? HUGE_VAL : std::abs(each));
  return out;
}

enum class Effect { exposes, propagates, drops };

/// What the operation does with the sign of a zero in the value. Sums of many elements lose it, or
/// give the sign of another zero.
Effect effect_on_zero_sign(const ir::OpTable* facts, const Node& node, ValueId id) {
  if (node.body) return Effect::exposes;
  const std::string_view name = ir::op_short_name(node.op);
  if (ir::has_trait(name, ir::OpTrait::mixes)) return Effect::drops;
  if (ir::has_trait(name, ir::OpTrait::predicate))
    return name == "signbit" ? Effect::exposes : Effect::drops;
  if (is_one_of(name, kDivides) && ir::operand(node, "other") != id) return Effect::propagates;
  if (ir::has_trait(name, ir::OpTrait::sums)) return Effect::propagates;
  const auto* known = facts == nullptr ? nullptr : facts->find<ir::ZeroSign>(node.op);
  if (known == nullptr) return Effect::exposes;
  return *known == ir::ZeroSign::dropped ? Effect::drops : Effect::propagates;
}

/// Whether an operation may depend on the sign of a zero in the value. A result of a loop's body is
/// read by the next iteration, or after the loop.
bool zero_sign_matters(State& state, const Node& first, ValueId id) {
  const ir::OpTable* facts = state.outermost().operators;
  std::set<ValueId> dependent = {id};
  const Node* end = state.graph.nodes.data() + state.graph.nodes.size();
  for (const Node* node = &first + 1; node < end; ++node) {
    Effect effect = Effect::drops;
    ir::for_each_input(*node, [&](ValueId each) {
      if (dependent.contains(each))
        effect = std::min(effect, effect_on_zero_sign(facts, *node, each));
    });
    if (effect == Effect::exposes) return true;
    if (effect == Effect::propagates) dependent.insert(node->outputs.begin(), node->outputs.end());
  }
  const std::vector<ValueId>& outputs = state.graph.outputs;
  return state.is_body && std::any_of(outputs.begin(), outputs.end(),
                                      [&](ValueId output) { return dependent.contains(output); });
}

/// Whether the node is this bound, "min" or "max", with a small number.
bool is_bound(const State& state, const Node& node, std::string_view bound) {
  return ir::op_short_name(node.op) == cat("clamp_", bound) &&
         magnitude_of(state, node, bound) <= kSmall;
}

/// Whether the node clamps the value to small numbers, alone or with all readers of its result.
bool is_clamp(const State& state, const Node& node) {
  if (ir::op_short_name(node.op) == "clamp")
    return magnitude_of(state, node, "min") <= kSmall && magnitude_of(state, node, "max") <= kSmall;
  const std::string_view other = is_bound(state, node, "min")   ? "max"
                                 : is_bound(state, node, "max") ? "min"
                                                                : "";
  return !other.empty() && all_read(state, node, node.outputs.at(0), [&](const Node& reader) {
    return is_bound(state, reader, other);
  });
}

/// Whether the node clamps the value, at most after one sum with a small constant.
bool leads_to_clamp(State& state, const Node& node, ValueId id) {
  if (is_clamp(state, node)) return !zero_sign_matters(state, node, node.outputs.at(0));
  const std::string_view name = ir::op_short_name(node.op);
  if ((name != "add" && name != "sub") || ir::operand(node, "self") != id ||
      magnitude_of(state, node, "other") > kSmall ||
      (node.find("alpha") != nullptr && magnitude_of(state, node, "alpha") != 1))
    return false;
  return all_read(state, node, node.outputs.at(0), [&](const Node& reader) {
    return is_clamp(state, reader) && !zero_sign_matters(state, reader, reader.outputs.at(0));
  });
}

}  // namespace

bool is_clamped_later(State& state) {
  const Node& node = *state.node;
  const ValueId id = node.outputs.at(0);
  return all_read(state, node, id,
                  [&](const Node& reader) { return leads_to_clamp(state, reader, id); });
}

bool is_narrowed_quotient(const State& state) {
  const Node& node = *state.node;
  const ValueId id = node.outputs.at(0);
  const std::string_view name = ir::op_short_name(node.op);
  if (name != "mean" && !is_one_of(name, kDivides)) return false;
  const auto width = [&](ValueId value) { return ir::dtype_size(state.graph.values[value].dtype); };
  return all_read(state, node, id, [&](const Node& reader) {
    const ValueId result = reader.outputs.at(0);
    return ir::op_name(reader.op) == "t2n::cast" &&
           ir::is_float(state.graph.values[result].dtype) && width(result) < width(id);
  });
}

bool is_limited_later(const State& state) {
  const Node& node = *state.node;
  const std::string_view limit = ir::op_name(node.op) == "aten::min"   ? "aten::minimum"
                                 : ir::op_name(node.op) == "aten::max" ? "aten::maximum"
                                                                       : "";
  if (limit.empty()) return false;
  return all_read(state, node, node.outputs.at(0), [&](const Node& reader) {
    return ir::op_name(reader.op) == limit &&
           std::isfinite(static_cast<float>(magnitude_of(state, reader, "other")));
  });
}

}  // namespace t2n::ops

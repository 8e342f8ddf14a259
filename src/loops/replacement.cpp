// SPDX-License-Identifier: Apache-2.0
#include "src/loops/replacement.h"

#include <algorithm>
#include <cstdlib>

#include "ir/atoms.h"
#include "ir/scan.h"
#include "src/diag/error.h"
#include "src/loops/iteration.h"

namespace t2n::loops {
namespace {

using ir::Dim;
using ir::Node;
using ir::ValueId;

/// True if a loop may end before the axes that it reads, although it does not in this run: its
/// length is a number read from a tensor (src/frontend/run/tensor_numbers.cpp), or a minimum.
bool may_end_early(const ir::Graph& graph, const Dim& length) {
  const auto is_read = [&](const ir::Symbol& symbol) {
    const ir::Symbol::AxisSize* const size = symbol.axis_size();
    return size != nullptr &&
           std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
             return ir::op_name(node.op) == "aten::repeat_interleave.Tensor" &&
                    graph.values[node.outputs.at(0)].name == size->value;
           });
  };
  bool out = false;
  ir::for_each_atom(length, [&](const ir::Atom& atom) {
    const auto* symbol = std::get_if<ir::Symbol>(&atom);
    out = out || std::holds_alternative<ir::Min>(atom) || (symbol != nullptr && is_read(*symbol));
  });
  return out;
}

}  // namespace

Replacement::Replacement(Rerolling& rerolling, const Iterations& all, Recurrence found,
                         std::vector<Growing> growing)
    : rerolling_(rerolling),
      graph_(rerolling.graph()),
      values_(rerolling.values()),
      naming_(rerolling.naming()),
      all_(all),
      found_(std::move(found)),
      growing_(std::move(growing)) {}

/// Where the slices of all iterations begin in `source`; nothing if they cover it entirely.
std::optional<Dim> Replacement::first_index(ValueId source, int64_t axis, const Dim& first,
                                            bool reversed, int64_t step) {
  const int64_t extent = outer(source).shape[axis].value();
  const int64_t count = all_.count() - found_.start;
  Dim from = first;
  if (const auto index = sample_of(graph_, first); index && *index < 0)
    from =
        from + (loop().length.is_constant() ? Dim(extent) : ir::size_symbol(graph_, source, axis));
  const auto index = sample_of(graph_, from);
  const int64_t span = step * (count - 1);
  const int64_t least = index ? (reversed ? *index - span : *index) : 0;
  // For dynamic lengths the shape rules refuse it.
  if (loop().length.is_constant() && (!index || least < 0 || least + span >= extent))
    refuse_loop(graph_, Node(), "its iterations read fewer slices than there are iterations",
                kPlainHelp);
  if (index && least == 0 && step == 1 && extent == count && !may_end_early(graph_, loop().length))
    return std::nullopt;
  return reversed ? from - Dim(step) * (length() - Dim(1)) : from;
}

/// Gives the parts of a split() an axis of their own.
ValueId Replacement::with_part_axis(ValueId source, const Slices& slices) {
  if (slices.part == 0) return source;
  ir::Ints shape = ir::static_shape(outer(source).shape);
  int64_t& extent = shape[slices.axis];
  extent /= slices.part;
  shape.insert(shape.begin() + slices.axis + 1, slices.part);
  const ir::DType dtype = outer(source).dtype;
  return rerolling_.emit("aten::unflatten.int",
                         {{"self", ir::TensorRef{source}},
                          size_argument("dim", slices.axis),
                          {"sizes", std::vector<Dim>{Dim(-1), Dim(slices.part)}}},
                         dtype, ir::to_shape(shape), loop().location);
}

ValueId Replacement::slice_outside(const Slices& slices) {
  const ValueId source =
      with_part_axis(rerolling_.materialised(slices.source, loop().location), slices);
  const auto begin = first_index(source, slices.axis, slices.first, slices.reversed, slices.step);
  if (!begin) return source;
  ir::Ints shape = ir::static_shape(outer(source).shape);
  shape[slices.axis] = all_.count() - found_.start;
  const ir::DType dtype = outer(source).dtype;
  return rerolling_.emit("aten::slice.Tensor",
                         {{"self", ir::TensorRef{source}},
                          size_argument("dim", slices.axis),
                          size_argument("start", *begin),
                          size_argument("end", end_of(*begin, slices.step)),
                          size_argument("step", slices.step)},
                         dtype, ir::to_shape(shape), loop().location);
}

/// The elements that the windows of all iterations cover.
ValueId Replacement::window_outside(const Window& window) {
  const ValueId source = rerolling_.materialised(window.source, loop().location);
  const Dim span = Dim(std::abs(window.step)) * (length() - Dim(1));
  const Dim begin = window.step < 0 ? window.first - span : window.first;
  ir::Shape shape = outer(source).shape;
  shape[window.axis] =
      Dim(std::abs(window.step) * (all_.count() - found_.start - 1) + window.width);
  const ir::DType dtype = outer(source).dtype;
  return rerolling_.emit("aten::slice.Tensor",
                         {{"self", ir::TensorRef{source}},
                          size_argument("dim", window.axis),
                          size_argument("start", begin),
                          size_argument("end", begin + span + Dim(window.width)),
                          size_argument("step", 1)},
                         dtype, shape, loop().location);
}

ValueId Replacement::positions_outside(const Positions& positions) {
  const ValueId owner = rerolling_.materialised(positions.owner, loop().location);
  const Dim extent = loop().length.is_constant() ? outer(owner).shape[positions.axis]
                                                 : ir::size_symbol(graph_, owner, positions.axis);
  return rerolling_.emit("aten::arange",
                         {{"end", extent},
                          {"dtype", ir::DType::i64},
                          {"layout", ir::None{}},
                          {"device", ir::None{}},
                          {"pin_memory", ir::None{}}},
                         ir::DType::i64, {outer(owner).shape[positions.axis]}, loop().location);
}

Node Replacement::scan_node(const IterationValues& sliced) {
  ir::Scan scan;
  IterationValues captured;
  for (const Window& each : found_.windows) captured.push_back(window_outside(each));
  for (const Positions& each : found_.positions) captured.push_back(positions_outside(each));
  scan.length = length();
  found_.body->inputs = {found_.number};
  for (size_t i = 0; i < found_.slices.size(); ++i) {
    scan.scanned.push_back(sliced[i]);
    scan.scanned_axes.push_back(found_.slices[i].axis);
    scan.scanned_reversed.push_back(found_.slices[i].reversed);
    found_.body->inputs.push_back(found_.slices[i].inner);
  }
  for (size_t i = 0; i < found_.states.size(); ++i) {
    if (is_filled(i)) continue;
    scan.initial.push_back(
        rerolling_.materialised(found_.states[i].iterations[0], loop().location));
    found_.body->inputs.push_back(found_.states[i].inner);
    add_body_output(found_.states[i].next);
  }
  for (const auto& [id, inner] : found_.captured) {
    scan.captured.push_back(rerolling_.materialised(id, loop().location));
    found_.body->inputs.push_back(inner);
  }
  scan.captured.insert(scan.captured.end(), captured.begin(), captured.end());
  for (const Window& each : found_.windows) found_.body->inputs.push_back(each.inner);
  for (const Positions& each : found_.positions) found_.body->inputs.push_back(each.inner);
  Node out;
  out.op = ir::op_id(ir::kScanOp);
  out.args = ir::scan_arguments(scan);
  out.scope = loop().location.scope;
  out.source = loop().location.source;
  out.call = naming_.call(loop().location.scope, "scan");
  out.body = found_.body;
  return out;
}

void Replacement::add_body_output(ValueId id) {
  const std::string& name = found_.body->values[id].name;
  std::string unique = name;
  for (int i = 1; std::find(found_.body->output_names.begin(), found_.body->output_names.end(),
                            unique) != found_.body->output_names.end();
       ++i)
    unique = cat(name, "_", i);
  found_.body->outputs.push_back(id);
  found_.body->output_names.push_back(unique);
}

bool Replacement::is_filled(size_t state) const {
  return std::any_of(found_.filled.begin(), found_.filled.end(),
                     [&](const Filled& each) { return each.state == state; });
}

/// The program's value of a state after the last iteration; kNoValue if there is none. A state that
/// copies another state has a value of an earlier iteration.
ValueId Replacement::last_of(size_t state) const {
  ValueId next = found_.states[state].next;
  for (int64_t iteration = all_.count() - 1; iteration >= found_.start; --iteration) {
    for (const auto& [def_site, inner] : found_.inner)
      if (inner == next) return node_outputs_[iteration][def_site.first][def_site.second];
    const auto passed = std::find_if(found_.states.begin(), found_.states.end(),
                                     [&](const CarriedState& each) { return each.inner == next; });
    if (passed == found_.states.end()) return ir::kNoValue;
    next = passed->next;
  }
  return ir::kNoValue;
}

/// Substitutes the iteration number in an iteration that stays before the scan.
void Replacement::substitute_number(Node& node, int64_t iteration) const {
  for (ir::Argument& arg : node.args)
    for (Dim& dim : ir::dims(arg.value))
      if (!dim.is_constant()) dim = replaced(dim, loop().number, iteration);
  if (!node.body) return;
  for (Node& inner : node.body->nodes) substitute_number(inner, iteration);
}

void Replacement::run() {
  const auto begin = static_cast<std::ptrdiff_t>(all_.begin(0));
  std::vector<Node> nodes(std::make_move_iterator(graph_.nodes.begin() + begin),
                          std::make_move_iterator(graph_.nodes.end()));
  graph_.nodes.resize(all_.begin(0));
  for (int64_t iteration = 0; iteration < all_.count(); ++iteration) {
    node_outputs_.emplace_back();
    for (size_t i = 0; iteration >= found_.start && i < found_.hoisted.size(); ++i)
      node_outputs_.back().push_back(nodes[first_node(iteration) + i].outputs);
  }
  forget_names();
  for (size_t i = 0; i < first_node(found_.start); ++i) {
    substitute_number(nodes[i], 0);
    rerolling_.append(std::move(nodes[i]));
  }
  for (size_t i = 0; i < found_.hoisted.size(); ++i)
    if (found_.hoisted[i]) rerolling_.append(nodes[first_node(found_.start) + i]);
  IterationValues sliced;
  for (const Slices& each : found_.slices) sliced.push_back(slice_outside(each));
  Node scan = scan_node(sliced);
  for (size_t i = 0; i < found_.states.size(); ++i) {
    if (is_filled(i)) continue;
    scan.outputs.push_back(state_output(i, scan.outputs));
  }
  rerolling_.add_scan(std::move(scan));
  name_occurrences(nodes);
  for (const Filled& each : found_.filled) define_filled(each);
  for (const Growing& each : growing_) define_growing(each);
}

/// The last value of a state: the program's value if it has one, else a new one.
ValueId Replacement::state_output(size_t state, const IterationValues& used) {
  ValueId id = last_of(state);
  const ir::Value inner = found_.body->values[found_.states[state].next];
  if (id == ir::kNoValue || std::find(used.begin(), used.end(), id) != used.end())
    id = ir::add_value(graph_, {"", inner.dtype, inner.shape, inner.quant});
  graph_.values[id].name = naming_.value(inner.name + "_last");
  defined_.insert(id);
  return id;
}

/// Maps the results of the iterations to the scan's body values.
void Replacement::name_occurrences(const std::vector<Node>& nodes) {
  std::unordered_set<ValueId> known(found_.body->inputs.begin(), found_.body->inputs.end());
  for (const Node& node : found_.body->nodes)
    known.insert(node.outputs.begin(), node.outputs.end());
  for (const auto& [def_site, inner] : found_.inner) {
    const bool is_known = known.contains(inner);  // false: removed with the write of a slice
    const auto rest = found_.rests.find(inner);
    BodyValue value{found_.body, inner, all_.count() - found_.start};
    if (rest != found_.rests.end()) value.rest = rest->second;
    const bool is_part = found_.parts.contains(inner) && !value.rest;
    const size_t body_value = is_part    ? kPart
                              : is_known ? values_.add(std::move(value))
                                         : kNoBodyValue;
    for (int64_t iteration = found_.start; iteration < all_.count(); ++iteration) {
      const ValueId id = nodes[first_node(iteration) + def_site.first].outputs[def_site.second];
      values_.note(id, {body_value, iteration - found_.start, defined_.contains(id)});
    }
  }
  for (size_t i = 0; i < found_.hoisted.size(); ++i) {
    if (!found_.hoisted[i]) continue;
    const Node& first = nodes[first_node(found_.start) + i];
    for (int64_t iteration = found_.start + 1; iteration < all_.count(); ++iteration) {
      const Node& other = nodes[first_node(iteration) + i];
      for (size_t p = 0; p < first.outputs.size(); ++p)
        values_.replace(other.outputs[p], first.outputs[p]);
    }
  }
}

/// A tensor that the iterations fill slice by slice becomes a stacked output.
void Replacement::define_filled(const Filled& each) {
  const CarriedState& state = found_.states[each.state];
  const ValueId last = last_of(each.state);
  T2N_ASSERT(last != ir::kNoValue, "a filled tensor without a last value");
  const ir::Value before = outer(state.iterations[0]);
  values_.forget(last);
  graph_.values[last].name = naming_.value(before.name + "_filled");
  const size_t body_value = values_.add({found_.body, each.source, all_.count() - found_.start});
  const ValueId initial = rerolling_.materialised(state.iterations[0], loop().location);
  const auto begin = first_index(initial, each.axis, each.first, each.reversed, each.step);
  const ValueId all =
      rerolling_.stacked(body_value, each.axis, each.reversed, begin ? ir::kNoValue : last);
  if (!begin) {
    if (all != last) values_.replace(last, all);
    return;
  }
  Node scatter;
  scatter.op = ir::op_id("aten::slice_scatter");
  scatter.args = {{"self", ir::TensorRef{initial}},
                  {"src", ir::TensorRef{all}},
                  size_argument("dim", each.axis),
                  size_argument("start", *begin),
                  size_argument("end", end_of(*begin, each.step)),
                  size_argument("step", each.step)};
  scatter.scope = loop().location.scope;
  scatter.source = loop().location.source;
  scatter.call = naming_.call(loop().location.scope, "slice_scatter");
  scatter.outputs = {last};
  rerolling_.append(std::move(scatter));
}

void Replacement::define_growing(const Growing& each) {
  for (const ValueId id : each.grown) values_.note(id, {kGrown});
  Node join = each.join;
  join.args[0].value = ir::TensorRefs{each.parts};
  join.call = naming_.call(join.scope, "cat");
  graph_.values[join.outputs[0]].name = naming_.value("cat_all");
  rerolling_.append(std::move(join));
}

/// Releases the names that later iterations used, so that names do not depend on the number of
/// iterations. Also removes the sizes of their results.
void Replacement::forget_names() {
  naming_ = loop().namings.at(found_.start);
  naming_.set_suffix(loop().suffix);
  for (const ir::Constant& constant : graph_.constants) naming_.take(outer(constant.value).name);
  const auto attribute = graph_.attributes.find(ir::kSampleSizes);
  if (attribute == graph_.attributes.end()) return;
  std::unordered_set<std::string> stale;
  for (const auto& [id, def_site] : all_.def_sites())
    if (def_site.iteration > found_.start) stale.insert(outer(id).name);
  // In the body these axes have other sizes than in the program.
  for (const auto& [def_site, inner] : found_.inner)
    if (found_.parts.contains(inner))
      stale.insert(outer(node_outputs_[found_.start][def_site.first][def_site.second]).name);
  std::erase_if(std::any_cast<ir::Sizes&>(attribute->second), [&](const auto& entry) {
    const ir::Symbol::AxisSize* size = entry.first.axis_size();
    return size != nullptr && stale.contains(size->value);
  });
}

}  // namespace t2n::loops

// Puts the scan in place of a loop's iterations. What the iterations computed becomes part of its
// outputs.
#include <algorithm>

#include "ir/scan.h"
#include "src/diag/error.h"
#include "src/loops/roller.h"

namespace t2n::loops {
namespace {

using ir::Dim;
using ir::Node;
using ir::ValueId;

ir::Argument number(std::string name, const Dim& value) { return {std::move(name), value}; }

std::vector<int> uses(const ir::Graph& body) {
  std::vector<int> out(body.values.size());
  for (const Node& node : body.nodes)
    ir::for_each_input(node, [&](ValueId id) { ++out[static_cast<size_t>(id)]; });
  return out;
}

}  // namespace

// --- out[:, t] = h ---

/// Views of a state, from before a write, that nothing in the iteration reads.
void Roller::drop_unread_views(const std::vector<ValueId>& next) {
  const std::vector<int> read = uses(*body_);
  std::erase_if(body_->nodes, [&](const Node& node) {
    const std::string_view op = ir::op_name(node.op);
    const bool is_view = op == "aten::select.int" || op == "aten::slice.Tensor" ||
                         op == "aten::narrow" || op == "aten::unsqueeze";
    const bool is_state = std::any_of(
        states_.begin(), states_.end(),
        [&](const CarriedState& state) { return state.inner == ir::operand(node, "self"); });
    const ValueId id = node.outputs[0];
    return is_view && is_state && read[static_cast<size_t>(id)] == 0 &&
           std::find(next.begin(), next.end(), id) == next.end();
  });
}

void Roller::find_filled() {
  std::vector<ValueId> next;
  for (const CarriedState& state : states_) next.push_back(state.next);
  drop_unread_views(next);
  for (size_t i = 0; i < states_.size(); ++i) {
    if (std::count(next.begin(), next.end(), states_[i].next) > 1) continue;
    if (std::find(next.begin(), next.end(), states_[i].inner) != next.end()) continue;
    if (auto each = filled(i)) filled_.push_back(*each);
  }
}

/// The slice that each iteration writes, if the state is not used otherwise.
std::optional<Filled> Roller::filled(size_t index) {
  const CarriedState& state = states_[index];
  const std::vector<int> read = uses(*body_);
  if (read[static_cast<size_t>(state.inner)] != 1 || read[static_cast<size_t>(state.next)] != 0)
    return std::nullopt;
  const auto writes = [&](const Node& node) { return node.outputs[0] == state.next; };
  const auto found = std::find_if(body_->nodes.begin(), body_->nodes.end(), writes);
  if (found == body_->nodes.end() || ir::operand(*found, "self") != state.inner)
    return std::nullopt;
  const ir::Value owner = body_->values[static_cast<size_t>(state.inner)];
  const auto slice = one_slice_of(*found, owner.shape.size());
  const std::string_view op = ir::op_name(found->op);
  if (!slice || (op != "aten::select_scatter" && op != "aten::slice_scatter")) return std::nullopt;
  Filled out;
  out.state = index;
  out.axis = slice->axis;
  const auto step = coefficient(slice->place, loop_.number);
  if (!step || (*step != 1 && *step != -1)) return std::nullopt;
  out.reversed = *step < 0;
  out.first = replaced(slice->place, loop_.number, start_);
  out.source = std::get<ir::TensorRef>(*found->find("src")).id;
  const Node written = *found;
  body_->nodes.erase(found);
  if (slice->keeps_axis) {
    ir::Value value = body_->values[static_cast<size_t>(out.source)];
    value.shape.erase(value.shape.begin() + out.axis);
    out.source = body_node("aten::squeeze.dim",
                           {{"self", ir::TensorRef{out.source}}, number("dim", out.axis)},
                           value.dtype, value.shape, written);
  }
  return out;
}

// --- the graph outside ---

std::optional<int64_t> Roller::sample(const Dim& dim) const {
  if (dim.is_constant()) return dim.value();
  const Dim out = dim.substitute(ir::sample_sizes(graph_));
  return out.is_constant() ? std::optional<int64_t>(out.value()) : std::nullopt;
}

/// Where the slices of all iterations begin in `whole`; nothing if they cover all of it.
std::optional<Dim> Roller::begin_of(ValueId whole, int64_t axis, const Dim& first, bool reversed) {
  const int64_t extent = outer(whole).shape[static_cast<size_t>(axis)].value();
  const int64_t count = iterations() - start_;
  Dim from = first;
  if (const auto place = sample(first); place && *place < 0)
    from = from + (loop_.length.is_constant() ? Dim(extent) : ir::size_symbol(graph_, whole, axis));
  const auto place = sample(from);
  const int64_t least = place ? (reversed ? *place - count + 1 : *place) : 0;
  // For other lengths the shape rules say so.
  if (loop_.length.is_constant() && (!place || least < 0 || least + count > extent))
    refuse_loop(graph_, Node(), "its iterations read fewer slices than there are iterations",
                kPlainHelp);
  if (place && least == 0 && extent == count) return std::nullopt;
  return reversed ? from - length() + Dim(1) : from;
}

/// `whole` with the parts that split() gives on an axis of their own.
ValueId Roller::parted(ValueId whole, const Slices& slices) {
  if (slices.part == 0) return whole;
  ir::Ints shape = ir::static_shape(outer(whole).shape);
  int64_t& extent = shape[static_cast<size_t>(slices.axis)];
  extent /= slices.part;
  shape.insert(shape.begin() + slices.axis + 1, slices.part);
  const ir::DType dtype = outer(whole).dtype;
  return rolling_.emit("aten::unflatten.int",
                       {{"self", ir::TensorRef{whole}},
                        number("dim", slices.axis),
                        {"sizes", std::vector<Dim>{Dim(-1), Dim(slices.part)}}},
                       dtype, ir::to_shape(shape), loop_.place);
}

ValueId Roller::slice_outside(const Slices& slices) {
  const ValueId whole = parted(rolling_.settled(slices.whole, loop_.place), slices);
  const auto begin = begin_of(whole, slices.axis, slices.first, slices.reversed);
  if (!begin) return whole;
  ir::Ints shape = ir::static_shape(outer(whole).shape);
  shape[static_cast<size_t>(slices.axis)] = iterations() - start_;
  const ir::DType dtype = outer(whole).dtype;
  return rolling_.emit("aten::slice.Tensor",
                       {{"self", ir::TensorRef{whole}},
                        number("dim", slices.axis),
                        number("start", *begin),
                        number("end", *begin + length()),
                        number("step", 1)},
                       dtype, ir::to_shape(shape), loop_.place);
}

Node Roller::scan_node(const Ids& sliced) {
  ir::Scan scan;
  scan.length = length();
  body_->inputs = {number_};
  for (size_t i = 0; i < slices_.size(); ++i) {
    scan.scanned.push_back(sliced[i]);
    scan.scanned_axes.push_back(slices_[i].axis);
    scan.scanned_reversed.push_back(slices_[i].reversed);
    body_->inputs.push_back(slices_[i].inner);
  }
  for (size_t i = 0; i < states_.size(); ++i) {
    if (is_filled(i)) continue;
    scan.initial.push_back(rolling_.settled(states_[i].iterations[0], loop_.place));
    body_->inputs.push_back(states_[i].inner);
    add_body_output(states_[i].next);
  }
  for (const auto& [id, inner] : captured_) {
    scan.captured.push_back(rolling_.settled(id, loop_.place));
    body_->inputs.push_back(inner);
  }
  Node out;
  out.op = ir::op_id(ir::kScanOp);
  out.args = ir::scan_arguments(scan);
  out.scope = loop_.place.scope;
  out.source = loop_.place.source;
  out.call = naming_.call(loop_.place.scope, "scan");
  out.body = body_;
  return out;
}

void Roller::add_body_output(ValueId id) {
  const std::string& name = body_->values[static_cast<size_t>(id)].name;
  std::string unique = name;
  for (int i = 1; std::find(body_->output_names.begin(), body_->output_names.end(), unique) !=
                  body_->output_names.end();
       ++i)
    unique = cat(name, "_", i);
  body_->outputs.push_back(id);
  body_->output_names.push_back(unique);
}

bool Roller::is_filled(size_t state) const {
  return std::any_of(filled_.begin(), filled_.end(),
                     [&](const Filled& each) { return each.state == state; });
}

/// The value of a state after the last iteration; kNoValue if the program has none of its own.
ValueId Roller::last_of(size_t state) const {
  for (const auto& [spot, inner] : inner_)
    if (inner == states_[state].next) return node_outputs_[spot.first][spot.second];
  return ir::kNoValue;
}

/// The number of an iteration that stays outside of the scan.
void Roller::settle_number(Node& node, int64_t iteration) const {
  const auto settle = [&](Dim& dim) {
    if (dim.is_constant()) return;
    dim = dim.substitute([&](const ir::Symbol& symbol) {
      return symbol == loop_.number ? std::optional<Dim>(iteration) : std::nullopt;
    });
  };
  for (ir::Argument& arg : node.args) {
    if (auto* one = std::get_if<Dim>(&arg.value)) settle(*one);
    if (auto* many = std::get_if<std::vector<Dim>>(&arg.value))
      for (Dim& dim : *many) settle(dim);
  }
  if (!node.body) return;
  for (Node& inner : node.body->nodes) settle_number(inner, iteration);
}

void Roller::replace() {
  const auto first = static_cast<size_t>(start_);
  std::vector<Node> nodes(
      std::make_move_iterator(graph_.nodes.begin() + static_cast<std::ptrdiff_t>(bounds_[0])),
      std::make_move_iterator(graph_.nodes.end()));
  graph_.nodes.resize(bounds_[0]);
  const auto at = [&](size_t iteration, size_t position) -> Node& {
    return nodes[bounds_[iteration] - bounds_[0] + position];
  };
  for (size_t i = 0; i < hoisted_.size(); ++i)
    node_outputs_.push_back(at(bounds_.size() - 2, i).outputs);
  forget_names();
  for (size_t i = 0; i < bounds_[first] - bounds_[0]; ++i) {
    settle_number(nodes[i], 0);
    rolling_.append(std::move(nodes[i]));
  }
  for (size_t i = 0; i < hoisted_.size(); ++i)
    if (hoisted_[i]) rolling_.append(at(first, i));
  Ids sliced;
  for (const Slices& each : slices_) sliced.push_back(slice_outside(each));
  Node scan = scan_node(sliced);
  for (size_t i = 0; i < states_.size(); ++i) {
    if (is_filled(i)) continue;
    scan.outputs.push_back(state_output(i, scan.outputs));
  }
  rolling_.add_scan(std::move(scan));
  name_instances(nodes);
  for (const Filled& each : filled_) define_filled(each);
  for (const Growing& each : growing_) define_growing(each);
}

/// The last value of a state: the program's own if it has one.
ValueId Roller::state_output(size_t state, const Ids& taken) {
  ValueId id = last_of(state);
  const ir::Value inner = body_->values[static_cast<size_t>(states_[state].next)];
  if (id == ir::kNoValue || std::find(taken.begin(), taken.end(), id) != taken.end())
    id = ir::add_value(graph_, {"", inner.dtype, inner.shape, inner.quant});
  graph_.values[static_cast<size_t>(id)].name = naming_.unique(inner.name + "_last");
  defined_.insert(id);
  return id;
}

/// From now on, what the iterations computed can be read from the scan.
void Roller::name_instances(const std::vector<Node>& nodes) {
  std::unordered_set<ValueId> known(body_->inputs.begin(), body_->inputs.end());
  for (const Node& node : body_->nodes) known.insert(node.outputs.begin(), node.outputs.end());
  for (const auto& [spot, inner] : inner_) {
    const bool is_known = known.contains(inner);  // or it was dropped with a slice's write
    const size_t family = is_known ? values_.add({body_, inner, iterations() - start_}) : kNoFamily;
    for (int64_t iteration = start_; iteration < iterations(); ++iteration) {
      const size_t begin = bounds_[static_cast<size_t>(iteration)] - bounds_[0];
      const ValueId id = nodes[begin + spot.first].outputs[spot.second];
      values_.note(id, {family, iteration - start_, defined_.contains(id)});
    }
  }
  for (size_t i = 0; i < hoisted_.size(); ++i) {
    if (!hoisted_[i]) continue;
    const Node& first = nodes[bounds_[static_cast<size_t>(start_)] - bounds_[0] + i];
    for (int64_t iteration = start_ + 1; iteration < iterations(); ++iteration) {
      const Node& other = nodes[bounds_[static_cast<size_t>(iteration)] - bounds_[0] + i];
      for (size_t p = 0; p < first.outputs.size(); ++p)
        values_.stand_for(other.outputs[p], first.outputs[p]);
    }
  }
}

/// A tensor that the iterations fill slice by slice becomes a stacked output.
void Roller::define_filled(const Filled& each) {
  const CarriedState& state = states_[each.state];
  const ValueId last = last_of(each.state);
  T2N_ASSERT(last != ir::kNoValue, "a filled tensor without a last value");
  const ir::Value before = outer(state.iterations[0]);
  values_.forget(last);
  graph_.values[static_cast<size_t>(last)].name = naming_.unique(before.name + "_filled");
  const size_t family = values_.add({body_, each.source, iterations() - start_});
  const ValueId initial = rolling_.settled(state.iterations[0], loop_.place);
  const auto begin = begin_of(initial, each.axis, each.first, each.reversed);
  const ValueId all =
      rolling_.stacked(family, each.axis, each.reversed, begin ? ir::kNoValue : last);
  if (!begin) {
    if (all != last) values_.stand_for(last, all);
    return;
  }
  Node scatter;
  scatter.op = ir::op_id("aten::slice_scatter");
  scatter.args = {{"self", ir::TensorRef{initial}}, {"src", ir::TensorRef{all}},
                  number("dim", each.axis),         number("start", *begin),
                  number("end", *begin + length()), number("step", 1)};
  scatter.scope = loop_.place.scope;
  scatter.source = loop_.place.source;
  scatter.call = naming_.call(loop_.place.scope, "slice_scatter");
  scatter.outputs = {last};
  rolling_.append(std::move(scatter));
}

void Roller::define_growing(const Growing& each) {
  for (const ValueId id : each.grown) values_.note(id, {kGrown});
  Node join = each.join;
  join.args[0].value = ir::TensorRefs{each.parts};
  join.call = naming_.call(join.scope, "cat");
  graph_.values[static_cast<size_t>(join.outputs[0])].name = naming_.unique("cat_all");
  rolling_.append(std::move(join));
}

/// Frees the names that later iterations took, so that names do not depend on the number of
/// iterations. Sizes of what later iterations computed are no longer needed.
void Roller::forget_names() {
  naming_ = loop_.namings.at(static_cast<size_t>(start_));
  for (const ir::Constant& constant : graph_.constants) naming_.take(outer(constant.value).name);
  const auto attribute = graph_.attributes.find(ir::kSampleSizes);
  if (attribute == graph_.attributes.end()) return;
  std::unordered_set<std::string> stale;
  for (const auto& [id, spot] : spots_)
    if (spot.iteration > start_) stale.insert(outer(id).name);
  std::erase_if(std::any_cast<ir::Sizes&>(attribute->second), [&](const auto& entry) {
    const ir::Symbol::AxisSize* size = entry.first.axis_size();
    return size != nullptr && stale.contains(size->value);
  });
}

}  // namespace t2n::loops

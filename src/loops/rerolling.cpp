// SPDX-License-Identifier: Apache-2.0
#include "src/loops/rerolling.h"

#include <algorithm>

#include "ir/scan.h"
#include "src/diag/error.h"
#include "src/loops/iteration.h"
#include "src/loops/reroll.h"

namespace t2n::loops {

void Rerolling::append(ir::Node node) {
  for (size_t i = 0; node.outputs.size() > 1 && i < node.outputs.size(); ++i)
    part_of_[node.outputs[i]] = {node.outputs[0], static_cast<int64_t>(i)};
  if (replace_join(node)) return;
  const ir::Location location{node.scope, node.source};
  for (ir::Argument& arg : node.args)
    ir::change_refs(arg.value, [&](ir::ValueId& id) { id = materialised(id, location); });
  graph_.nodes.push_back(std::move(node));
}

ir::ValueId Rerolling::emit(std::string_view op, std::vector<ir::Argument> args, ir::DType dtype,
                            const ir::Shape& shape, ir::Location location) {
  ir::Node node = node_at(location);
  node.op = ir::op_id(op);
  node.args = std::move(args);
  node.call = naming_.call(location.scope, std::string(ir::op_short_name(op)));
  node.outputs = {ir::add_value(graph_, {naming_.result(graph_, node), dtype, shape, {}})};
  const ir::ValueId out = node.outputs[0];
  append(std::move(node));
  return out;
}

void Rerolling::add_scan(ir::Node scan) {
  scan_results_.insert(scan_results_.end(), scan.outputs.begin(), scan.outputs.end());
  graph_.nodes.push_back(std::move(scan));
}

Additions Rerolling::take_additions() {
  const size_t from = std::exchange(reported_, graph_.nodes.size());
  return {std::span(graph_.nodes).subspan(from), std::exchange(scan_results_, {})};
}

void Rerolling::begin_loop(const ir::Symbol& number) {
  iteration_begins_ = static_cast<ir::ValueId>(graph_.values.size());
  open_.push_back({.number = number,
                   .bounds = {graph_.nodes.size()},
                   .first_values = {iteration_begins_},
                   .suffix = naming_.suffix()});
}

void Rerolling::end_iteration() {
  LoopRecord& loop = open_.back();
  loop.bounds.push_back(graph_.nodes.size());
  iteration_begins_ = static_cast<ir::ValueId>(graph_.values.size());
  loop.first_values.push_back(iteration_begins_);
  if (loop.namings.size() < 2) loop.namings.push_back(naming_);
  // Sizes refer to values by name, and the program may keep a size of the next iteration for longer
  // than the name is in use.
  loop.tags.push_back(cat("<", ++tags_, ">"));
  naming_.set_suffix(loop.suffix + loop.tags.back());
}

Rerolled Rerolling::end_loop(const ir::Dim& length, ir::Location location, bool pads_rest) {
  LoopRecord loop = std::move(open_.back());
  open_.pop_back();
  loop.length = length;
  loop.location = location;
  loop.pads_rest = pads_rest;
  reported_ = loop.bounds.front();
  naming_.set_suffix(loop.suffix);
  return reroll(*this, std::move(loop));
}

ir::Node& Rerolling::scan_of(const BodyValue& body_value) {
  for (size_t i = graph_.nodes.size(); i-- > 0;)
    if (graph_.nodes[i].body == body_value.body) return graph_.nodes[i];
  const ir::Node* const producer = body_value.producer();
  refuse_loop(*body_value.body,
              producer ? node_at({producer->scope, producer->source}) : ir::Node(),
              "a result of an inner loop's iteration is read after the outer iteration",
              "torch.stack or torch.cat the results before the outer iteration ends");
}

/// True if a body value belongs to the running iteration. Otherwise it is older than the loop,
/// which may scan it.
bool Rerolling::is_local(const BodyValue& body_value) const {
  const size_t first = open_.empty() ? 0 : open_.back().bounds.back();
  for (size_t i = first; i < graph_.nodes.size(); ++i)
    if (graph_.nodes[i].body == body_value.body) return true;
  return open_.empty();
}

ir::ValueId Rerolling::materialised(ir::ValueId id, ir::Location location) {
  id = resolved(id);
  const Occurrence* const found = values_.occurrence(id);
  if (found == nullptr || found->is_output) return id;
  if (found->body_value == kGrown)
    refuse_loop(graph_, node_at(location),
                "an intermediate value of a growing tensor is read after the loop",
                "read its final value, or collect the parts in a list");
  if (found->body_value == kPart ||
      (found->has_body_value() && values_.body_value(found->body_value).rest))
    refuse_part(graph_, location);
  if (!found->has_body_value())
    refuse_loop(graph_, node_at(location), "a slice that a loop wrote to is read after the loop",
                "read the tensor that contains the slice");
  if (!is_local(values_.body_value(found->body_value))) return id;
  return materialise(id, *found, location);
}

ir::ValueId Rerolling::stacked(size_t index, int64_t axis, bool reversed, ir::ValueId result) {
  BodyValue& body_value = values_.body_value(index);
  const auto known = body_value.stacked.find({axis, reversed});
  if (known != body_value.stacked.end()) return known->second;
  ir::Node& scan = scan_of(body_value);
  ir::Scan parts = ir::read_scan(scan);
  const auto at = static_cast<std::ptrdiff_t>(parts.stacked());
  ir::Graph& body = *body_value.body;
  const ir::Value inner = body_value.inner();
  if (ir::is_complex(inner.dtype) && parts.length.is_constant())
    refuse_loop(graph_, scan, "the loop collects complex tensors", "");
  if (result == ir::kNoValue) {
    ir::Shape shape = inner.shape;
    shape.insert(shape.begin() + axis, ir::Dim(body_value.iterations));
    std::optional<ir::QuantInfo> quant = inner.quant;
    if (quant && quant->is_per_channel() && axis <= quant->axis) ++quant->axis;
    const std::string name = inner.name + "_all";
    result =
        ir::add_value(graph_, {is_local(body_value) ? naming_.value(name) : naming_.unique(name),
                               inner.dtype, shape, quant});
  }
  scan_results_.push_back(result);
  parts.stacked_axes.push_back(axis);
  parts.stacked_reversed.push_back(reversed);
  scan.args = ir::scan_arguments(parts);
  scan.outputs.insert(scan.outputs.begin() + at, result);
  body.outputs.insert(body.outputs.begin() + at, body_value.value);
  std::string name = inner.name;
  for (int i = 1; std::find(body.output_names.begin(), body.output_names.end(), name) !=
                  body.output_names.end();
       ++i)
    name = cat(inner.name, "_", i);
  body.output_names.insert(body.output_names.begin() + at, name);
  body_value.stacked[{axis, reversed}] = result;
  return result;
}

ir::ValueId Rerolling::materialise(ir::ValueId id, const Occurrence& occurrence,
                                   ir::Location location) {
  const BodyValue& body_value = values_.body_value(occurrence.body_value);
  const std::string name = body_value.inner().name;
  const bool is_first = occurrence.iteration == 0;
  const bool is_last = !is_first && occurrence.iteration == body_value.iterations - 1;
  if (!is_first && !is_last && !ir::read_scan(scan_of(body_value)).length.is_constant())
    refuse_loop(graph_, node_at(location),
                cat("the result of iteration ", occurrence.iteration,
                    " of a loop is used on its own (", name, ")"),
                "only results of the first and the last iteration can be used separately; combine "
                "all results with torch.stack or torch.cat");
  const int64_t index = is_last ? -1 : occurrence.iteration;
  const std::string suffix = is_last ? "_last" : is_first ? "_first" : cat("_at_", index);
  const ir::ValueId all = stacked(occurrence.body_value, 0, false, ir::kNoValue);
  graph_.values[id].name = naming_.value(name + suffix);
  values_.forget(id);
  ir::Node node = node_at(location);
  node.op = ir::op_id("aten::select.int");
  node.args = {{"self", ir::TensorRef{all}}, {"dim", ir::Dim(0)}, {"index", ir::Dim(index)}};
  node.outputs = {id};
  node.call = naming_.call(location.scope, "select");
  append(std::move(node));
  return id;
}

bool Rerolling::is_produced_since(ir::ValueId first, ir::ValueId id) const {
  const ir::ValueId value = resolved(id);
  const auto& constants = graph_.constants;  // in the order of their values
  const auto found = std::lower_bound(
      constants.begin(), constants.end(), value,
      [](const ir::Constant& constant, ir::ValueId at) { return constant.value < at; });
  const bool is_constant = found != constants.end() && found->value == value;
  return value >= first && !is_constant && values_.occurrence(value) == nullptr;
}

bool Rerolling::is_available(ir::ValueId id) const {
  if (!open_.empty() && is_produced_since(open_.front().first_values.front(), id))
    return is_produced_since(open_.back().first_values.back(), id);
  const auto source = origin(id);
  return !source || !source->is_loop;
}

/// The producer of a value, and the index of the result.
std::optional<Origin> Rerolling::origin(ir::ValueId id) const {
  const ir::ValueId value = resolved(id);
  if (const Occurrence* const found = values_.occurrence(value)) {
    if (!found->has_body_value()) return std::nullopt;
    return Origin{true, static_cast<int64_t>(found->body_value), found->iteration};
  }
  const auto part = part_of_.find(value);
  if (part == part_of_.end()) return std::nullopt;
  return Origin{false, part->second.first, part->second.second};
}

}  // namespace t2n::loops

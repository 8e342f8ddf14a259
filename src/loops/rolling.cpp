#include "src/loops/rolling.h"

#include <algorithm>

#include "ir/scan.h"
#include "src/diag/error.h"
#include "src/loops/iteration.h"
#include "src/loops/roll.h"

namespace t2n::loops {

void Rolling::append(ir::Node node) {
  for (size_t i = 0; node.outputs.size() > 1 && i < node.outputs.size(); ++i)
    part_of_[node.outputs[i]] = {node.outputs[0], static_cast<int64_t>(i)};
  if (settle_join(node)) return;
  const ir::Location place{node.scope, node.source};
  for (ir::Argument& arg : node.args)
    ir::change_refs(arg.value, [&](ir::ValueId& id) { id = settled(id, place); });
  graph_.nodes.push_back(std::move(node));
}

ir::ValueId Rolling::emit(std::string_view op, std::vector<ir::Argument> args, ir::DType dtype,
                          const ir::Shape& shape, ir::Location place) {
  ir::Node node = node_at(place);
  node.op = ir::op_id(op);
  node.args = std::move(args);
  node.call = naming_.call(place.scope, std::string(ir::op_short_name(op)));
  node.outputs = {ir::add_value(graph_, {naming_.result(graph_, node), dtype, shape, {}})};
  const ir::ValueId out = node.outputs[0];
  append(std::move(node));
  return out;
}

void Rolling::add_scan(ir::Node scan) {
  given_.insert(given_.end(), scan.outputs.begin(), scan.outputs.end());
  graph_.nodes.push_back(std::move(scan));
}

Additions Rolling::take_additions() {
  const size_t from = std::exchange(taken_, graph_.nodes.size());
  return {std::span(graph_.nodes).subspan(from), std::exchange(given_, {})};
}

void Rolling::begin_loop(const ir::Symbol& number) {
  iteration_begins_ = static_cast<ir::ValueId>(graph_.values.size());
  open_.push_back({.number = number,
                   .bounds = {graph_.nodes.size()},
                   .first_values = {iteration_begins_},
                   .suffix = naming_.suffix()});
}

void Rolling::end_iteration() {
  LoopRecord& loop = open_.back();
  loop.bounds.push_back(graph_.nodes.size());
  iteration_begins_ = static_cast<ir::ValueId>(graph_.values.size());
  loop.first_values.push_back(iteration_begins_);
  if (loop.namings.size() < 2) loop.namings.push_back(naming_);
  // The program may keep the size of what the next iteration computes, by its name, for longer than
  // the name is taken.
  loop.tags.push_back(cat("<", ++tags_, ">"));
  naming_.set_suffix(loop.suffix + loop.tags.back());
}

Rolled Rolling::end_loop(const ir::Dim& length, ir::Location place) {
  LoopRecord loop = std::move(open_.back());
  open_.pop_back();
  loop.length = length;
  loop.place = place;
  taken_ = loop.bounds.front();
  naming_.set_suffix(loop.suffix);
  return roll(*this, std::move(loop));
}

ir::Node& Rolling::scan_of(const Family& family) {
  for (size_t i = graph_.nodes.size(); i-- > 0;)
    if (graph_.nodes[i].body == family.body) return graph_.nodes[i];
  const ir::Node* const made = family.maker();
  refuse_loop(*family.body, made ? node_at({made->scope, made->source}) : ir::Node(),
              "what a loop inside computes in its iterations is read after the iteration around it",
              "torch.stack it, or join it with torch.cat, before that iteration ends");
}

/// Whether a family belongs to the iteration being recorded; otherwise it is older than the loop,
/// which may scan it.
bool Rolling::is_local(const Family& family) const {
  const size_t first = open_.empty() ? 0 : open_.back().bounds.back();
  for (size_t i = first; i < graph_.nodes.size(); ++i)
    if (graph_.nodes[i].body == family.body) return true;
  return open_.empty();
}

ir::ValueId Rolling::settled(ir::ValueId id, ir::Location place) {
  id = resolved(id);
  const Instance* const found = values_.instance(id);
  if (found == nullptr || found->is_output) return id;
  if (found->family == kGrown)
    refuse_loop(graph_, node_at(place), "what a tensor has grown to in a loop is read after it",
                "read what it is when the loop has ended, or join parts of a list");
  if (!found->has_family())
    refuse_loop(graph_, node_at(place), "a slice that a loop wrote to is read after it",
                "read the tensor that it is a slice of");
  if (!is_local(values_.family(found->family))) return id;
  return materialise(id, *found, place);
}

ir::ValueId Rolling::stacked(size_t index, int64_t axis, bool reversed, ir::ValueId wanted) {
  Family& family = values_.family(index);
  const auto known = family.stacked.find({axis, reversed});
  if (known != family.stacked.end()) return known->second;
  ir::Node& scan = scan_of(family);
  ir::Scan parts = ir::read_scan(scan);
  const auto at = static_cast<std::ptrdiff_t>(parts.stacked());
  ir::Graph& body = *family.body;
  const ir::Value inner = family.inner();
  if (ir::is_complex(inner.dtype) && parts.length.is_constant())
    refuse_loop(graph_, scan, "the loop collects complex tensors", "");
  if (wanted == ir::kNoValue) {
    ir::Shape shape = inner.shape;
    shape.insert(shape.begin() + axis, ir::Dim(family.iterations));
    std::optional<ir::QuantInfo> quant = inner.quant;
    if (quant && quant->is_per_channel() && axis <= quant->axis) ++quant->axis;
    const std::string name = inner.name + "_all";
    wanted = ir::add_value(graph_, {is_local(family) ? naming_.value(name) : naming_.unique(name),
                                    inner.dtype, shape, quant});
  }
  given_.push_back(wanted);
  parts.stacked_axes.push_back(axis);
  parts.stacked_reversed.push_back(reversed);
  scan.args = ir::scan_arguments(parts);
  scan.outputs.insert(scan.outputs.begin() + at, wanted);
  body.outputs.insert(body.outputs.begin() + at, family.value);
  std::string name = inner.name;
  for (int i = 1; std::find(body.output_names.begin(), body.output_names.end(), name) !=
                  body.output_names.end();
       ++i)
    name = cat(inner.name, "_", i);
  body.output_names.insert(body.output_names.begin() + at, name);
  family.stacked[{axis, reversed}] = wanted;
  return wanted;
}

ir::ValueId Rolling::materialise(ir::ValueId id, const Instance& instance, ir::Location place) {
  const Family& family = values_.family(instance.family);
  const std::string name = family.inner().name;
  const bool is_first = instance.iteration == 0;
  const bool is_last = !is_first && instance.iteration == family.iterations - 1;
  if (!is_first && !is_last && !ir::read_scan(scan_of(family)).length.is_constant())
    refuse_loop(graph_, node_at(place),
                cat("what iteration ", instance.iteration,
                    " of a loop computed is used by itself (", name, ")"),
                "only the first and the last iteration can be told apart; join all of them with "
                "torch.stack or torch.cat");
  const int64_t index = is_last ? -1 : instance.iteration;
  const std::string suffix = is_last ? "_last" : is_first ? "_first" : cat("_at_", index);
  const ir::ValueId all = stacked(instance.family, 0, false, ir::kNoValue);
  graph_.values[static_cast<size_t>(id)].name = naming_.value(name + suffix);
  values_.forget(id);
  ir::Node node = node_at(place);
  node.op = ir::op_id("aten::select.int");
  node.args = {{"self", ir::TensorRef{all}}, {"dim", ir::Dim(0)}, {"index", ir::Dim(index)}};
  node.outputs = {id};
  node.call = naming_.call(place.scope, "select");
  append(std::move(node));
  return id;
}

bool Rolling::is_made_since(ir::ValueId first, ir::ValueId id) const {
  const ir::ValueId value = resolved(id);
  const auto& constants = graph_.constants;  // in the order of their values
  const auto found = std::lower_bound(
      constants.begin(), constants.end(), value,
      [](const ir::Constant& constant, ir::ValueId at) { return constant.value < at; });
  const bool is_constant = found != constants.end() && found->value == value;
  return value >= first && !is_constant && values_.instance(value) == nullptr;
}

bool Rolling::is_there(ir::ValueId id) const {
  if (!open_.empty() && is_made_since(open_.front().first_values.front(), id))
    return is_made_since(open_.back().first_values.back(), id);
  const auto made = origin(id);
  return !made || !made->is_loop;
}

/// The maker of a value, and the index of the result.
std::optional<Origin> Rolling::origin(ir::ValueId id) const {
  const ir::ValueId value = resolved(id);
  if (const Instance* const found = values_.instance(value)) {
    if (!found->has_family()) return std::nullopt;
    return Origin{true, static_cast<int64_t>(found->family), found->iteration};
  }
  const auto part = part_of_.find(value);
  if (part == part_of_.end()) return std::nullopt;
  return Origin{false, part->second.first, part->second.second};
}

}  // namespace t2n::loops

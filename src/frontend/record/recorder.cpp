// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/record/recorder.h"

#include <algorithm>
#include <array>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/frontend/load/convert.h"
#include "src/frontend/load/operators.h"
#include "src/loops/iteration.h"

namespace t2n::trace {
namespace {

/// The mark of an attribute over sizes, or null.
Mark sizes_in(const ir::Attr& attr) {
  Mark out;
  for (const ir::Dim& each : ir::dims(attr))
    if (const Mark mark = opaque_mark(each)) out = out ? join(out, mark) : mark;
  return out;
}

/// Refuses a scale that depends on data, except in the operation that quantises a tensor by it: any
/// other quantised tensor has a constant scale in the graph.
void refuse_data_scales(const ir::Node& node, const std::vector<Mark>& value_marks) {
  if (ir::op_name(node.op) == "aten::quantize_per_tensor.tensor_qparams") return;
  constexpr std::array<std::string_view, 5> kNames = {"scale", "scales", "zero_point",
                                                      "zero_points", "b"};
  for (const ir::Argument& arg : node.args) {
    const auto* ref = std::get_if<ir::TensorRef>(&arg.value);
    if (ref == nullptr || ref->id == ir::kNoValue || !is_one_of(arg.name, kNames)) continue;
    const Mark& mark = value_marks[ref->id];
    if (is_data(mark))
      throw Error("data-dependent-value",
                  cat("the scale of the result of ", ir::op_name(node.op), " depends on data"),
                  cat("it comes from ", origin_of(mark),
                      "; the exported model would fix the scale of this run"),
                  "quantise with a constant scale, or use the dynamic layers");
  }
}

const ir::Node* maker_of(const ir::Graph& graph, ir::ValueId id) {
  const auto found = std::find_if(graph.nodes.rbegin(), graph.nodes.rend(), [&](const auto& node) {
    return std::find(node.outputs.begin(), node.outputs.end(), id) != node.outputs.end();
  });
  return found == graph.nodes.rend() ? nullptr : &*found;
}

/// The axis along which a view selects the last element; -1 for other views.
int64_t last_element_axis(const ir::Node& node, size_t rank) {
  const std::string_view op = ir::op_name(node.op);
  const ir::Dim* const index = loops::dim_of(node, "index");
  if (op == "aten::select.int" && index && *index == ir::Dim(-1)) return loops::axis_of(node, rank);
  const ir::Dim* const start = loops::dim_of(node, "start");
  const ir::Dim* const end = loops::dim_of(node, "end");
  const bool is_last = op == "aten::slice.Tensor" && start && *start == ir::Dim(-1) &&
                       (end == nullptr || *end == ir::Dim(INT64_MAX));
  return is_last ? loops::axis_of(node, rank) : -1;
}

/// acc[:, -1] of a torch.cat is that of the last part, if this has an element at all sizes. An
/// iteration then reads the result of the previous one, instead of a tensor that grows.
void read_last_part(const ir::Graph& graph, ir::Node& node) {
  const ir::ValueId self = ir::operand(node, "self");
  if (self == ir::kNoValue) return;
  const size_t rank = graph.values[self].shape.size();
  const int64_t axis = last_element_axis(node, rank);
  const ir::Node* cat_node = axis < 0 ? nullptr : maker_of(graph, self);
  while (cat_node != nullptr && ir::op_name(cat_node->op) == "aten::slice.Tensor" &&
         loops::is_full_slice(*cat_node))
    cat_node = maker_of(graph, ir::operand(*cat_node, "self"));
  if (cat_node == nullptr || ir::op_name(cat_node->op) != "aten::cat" ||
      loops::axis_of(*cat_node, rank) != axis)
    return;
  const ir::ValueId last = std::get<ir::TensorRefs>(cat_node->args.at(0).value).ids.back();
  const ir::Node* const maker = maker_of(graph, last);
  if (maker == nullptr || graph.values[last].shape.size() != rank) return;
  const auto part = loops::axis_part_of(*maker, rank);
  const bool has_element = ir::op_name(maker->op) == "aten::unsqueeze"
                               ? loops::axis_of(*maker, rank) == axis
                               : part && part->keeps_axis && part->axis == axis && part->width > 0;
  if (has_element)
    for (ir::Argument& arg : node.args)
      if (arg.name == "self") arg.value = ir::TensorRef{last};
}

}  // namespace

Recorder::Recorder(loops::Rerolling& rerolling, const ModuleNames& names,
                   std::shared_ptr<const model_file::Mapping> mapping, bool pages_may_differ,
                   bool name_constants_by_use, bool keep_sizes)
    : rerolling_(rerolling),
      graph_(rerolling.graph()),
      naming_(rerolling.naming()),
      keep_sizes_(keep_sizes),
      constants_(graph_, naming_, names, std::move(mapping), pages_may_differ,
                 name_constants_by_use),
      regions_(graph_, aliases_),
      layouts_(aliases_) {}

void Recorder::add_input(const at::Tensor& tensor, const std::string& name) {
  if (tensor.is_quantized())
    throw Error("unsupported-dtype", cat("the input ", quoted(name), " is a quantised tensor"),
                "the inputs of an exported model are plain tensors",
                "pass floats to the model, and quantise them in its forward");
  const ir::ValueId value = ir::add_value(graph_, value_like(naming_.unique(name), tensor));
  graph_.inputs.push_back(value);
  value_marks_.resize(graph_.values.size());
  value_marks_[value] = data_mark("an input");
  aliases_.add(tensor, value, -1, nullptr);
}

std::string Recorder::input_of(const at::Tensor& tensor) const {
  int entry = aliases_.find(tensor);
  while (entry >= 0 && aliases_[entry].parent >= 0) entry = aliases_[entry].parent;
  if (entry < 0) return "";
  const ir::ValueId id = aliases_[entry].value;
  const bool is_input =
      std::find(graph_.inputs.begin(), graph_.inputs.end(), id) != graph_.inputs.end();
  return is_input ? graph_.values[id].name : "";
}

int Recorder::entry_of(const at::Tensor& tensor, Location location, const std::string& use) {
  const int known = aliases_.find(tensor);
  if (known >= 0) return known;
  const ir::ValueId value = constants_.add(tensor, location, use);
  value_marks_.resize(graph_.values.size());
  const int entry = aliases_.add(tensor, value, -1, nullptr);
  aliases_.root(aliases_[entry]).is_from_model = true;
  return entry;
}

ir::ValueId Recorder::value(const at::Tensor& tensor, Location location, const std::string& use) {
  const ir::ValueId id = rerolling_.materialised(read(entry_of(tensor, location, use)), location);
  mark_additions();
  return id;
}

/// A value of which only the sizes are read.
ir::ValueId Recorder::sized_value(const at::Tensor& tensor, Location location) {
  const int entry = entry_of(tensor, location, {});
  const ir::ValueId last = sized_as(aliases_[entry]);
  const ir::ValueId id =
      rerolling_.materialised(rerolling_.is_available(last) ? last : refresh(entry), location);
  mark_additions();
  return id;
}

ir::ValueId Recorder::new_value(const ir::Node& node, const at::Tensor& like) {
  const ir::ValueId value = ir::add_value(graph_, value_like(naming_.result(graph_, node), like));
  value_marks_.resize(graph_.values.size());
  return value;
}

void Recorder::append(ir::Node node) {
  rerolling_.append(std::move(node));
  mark_additions();
}

void Recorder::mark_additions() {
  value_marks_.resize(graph_.values.size());
  const auto [nodes, scan_results] = rerolling_.take_additions();
  for (const ir::ValueId id : scan_results) value_marks_[id] = data_mark("a loop");
  for (const ir::Node& node : nodes) {
    const Mark mark = mark_of_results(node);
    for (const ir::ValueId output : node.outputs)
      if (std::find(scan_results.begin(), scan_results.end(), output) == scan_results.end())
        value_marks_[output] = mark;
  }
}

bool Recorder::is_available(const at::Tensor& tensor) const {
  const int entry = aliases_.find(tensor);
  return entry < 0 || rerolling_.is_available(aliases_[entry].value);
}

void Recorder::end_iteration() {
  // In a later iteration, their expressions would have another value.
  std::erase_if(numbers_, [](const auto& each) {
    return std::any_of(each.second.begin(), each.second.end(), depends_on_iteration);
  });
}

Mark Recorder::mark_of_results(const ir::Node& node) {
  // A random operator's result is data too: it differs from run to run.
  Mark mark = ir::is_unpredictable(node.op) ? data_mark("a random number") : nullptr;
  const auto add = [&](const Mark& more) {
    mark = !mark ? more : !more || is_data(mark) ? mark : join(mark, more);
  };
  for (const ir::Argument& arg : node.args) {
    if (!reads_only_shape(node, arg.name))
      ir::for_each_ref(arg.value, [&](ir::ValueId id) {
        if (id != ir::kNoValue) add(value_marks_[id]);
      });
    add(sizes_in(arg.value));
  }
  for (const ir::Argument& arg : node.args)
    if (!is_data(mark) && reads_only_shape(node, arg.name))
      ir::for_each_ref(arg.value, [&](ir::ValueId id) { add(shape_mark(id)); });
  return mark;
}

void Recorder::record(OpCall call, const std::vector<at::Tensor>& outputs) {
  for (const at::Tensor& output : outputs)
    if (output.is_quantized()) refuse_data_scales(call.node, value_marks_);
  for (const at::Tensor& output : outputs)
    call.node.outputs.push_back(new_value(call.node, output));
  if (!rerolling_.open().empty()) read_last_part(graph_, call.node);
  append(call.node);
  const auto shared = std::make_shared<OpCall>(std::move(call));
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!aliases_.knows(outputs[i])) bind_view(outputs[i], shared->node.outputs[i], shared, i);
}

void Recorder::bind_view(const at::Tensor& output, ir::ValueId value,
                         const std::shared_ptr<OpCall>& call, size_t index) {
  const auto same_storage = [&](const c10::IValue& input) {
    return input.isTensor() && input.toTensor().defined() && input.toTensor().has_storage() &&
           output.has_storage() && input.toTensor().is_alias_of(output);
  };
  const auto bind = [&](const at::Tensor& base, size_t input, int in_list) {
    auto view = std::make_shared<View>(View{*call, input, {}, in_list, {}, index});
    if (in_list >= 0)
      for (const c10::IValue& element : call->inputs[input].toListRef())
        view->list.push_back(aliases_.find(element.toTensor()));
    // A view must not keep its base alive: activations are freed while the program runs.
    for (size_t i = 0; i < view->call.inputs.size(); ++i) {
      c10::IValue& operand = view->call.inputs[i];
      const bool is_base = operand.isTensor() && operand.toTensor().is_same(base);
      if (is_base && i != input) view->base_again.push_back(i);
      if (is_base || is_tensor_list(operand)) operand = c10::IValue();
    }
    aliases_.add(output, value, aliases_.find(base), std::move(view));
  };
  for (size_t i = 0; i < call->inputs.size(); ++i) {
    if (same_storage(call->inputs[i])) return bind(call->inputs[i].toTensor(), i, -1);
    if (!is_tensor_list(call->inputs[i])) continue;
    const auto list = call->inputs[i].toListRef();
    // One result for each element, or else the first element with the same memory.
    if (index < list.size() && list.size() == call->node.outputs.size() &&
        same_storage(list[index]))
      return bind(list[index].toTensor(), i, static_cast<int>(index));
    for (size_t element = 0; element < list.size(); ++element)
      if (same_storage(list[element]))
        return bind(list[element].toTensor(), i, static_cast<int>(element));
  }
  aliases_.add(output, value, -1, nullptr);
}

}  // namespace t2n::trace

// SPDX-License-Identifier: Apache-2.0
// Turns in-place writes and views into pure operations: a write through a view is scattered back to
// its root.
#include <ATen/Functions.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/frontend/load/convert.h"
#include "src/frontend/load/operators.h"
#include "src/frontend/record/fill_diagonal.h"
#include "src/frontend/record/overlap.h"
#include "src/frontend/record/recorder.h"
#include "src/loops/iteration.h"

namespace t2n::trace {
namespace {

/// Sets an entry's value after a write, which never changes its shape: that of `sized`.
void replace_value(TensorInfo& entry, ir::ValueId sized, ir::ValueId value) {
  entry.unwritten = sized;
  entry.value = value;
}

/// Whether two arguments correspond: `pow_.Scalar(Tensor self, …)` is not the in-place form of
/// `pow.Scalar(Scalar self, …)`.
bool same_argument(const c10::Argument& one, const c10::Argument& other) {
  return one.name() == other.name() &&
         (one.type()->isSubtypeOf(*other.type()) || other.type()->isSubtypeOf(*one.type()));
}

/// Whether the two take the same arguments, except for the `out` arguments of `writing`.
bool same_arguments(const c10::FunctionSchema& functional, const c10::FunctionSchema& writing) {
  std::vector<c10::Argument> inputs;
  for (const c10::Argument& argument : writing.arguments())
    if (!argument.is_out()) inputs.push_back(argument);
  const auto& parameters = functional.arguments();
  return std::equal(parameters.begin(), parameters.end(), inputs.begin(), inputs.end(),
                    same_argument);
}

/// The pure operator `name` with the arguments of `schema`; the same overload name is preferred.
std::string find_overload(const std::string& name, const c10::FunctionSchema& schema) {
  std::string fallback;
  for (const auto& op : torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(name))) {
    if (op->schema().is_mutable() || !same_arguments(op->schema(), schema)) continue;
    if (op->schema().overload_name() == schema.overload_name()) return qualified_name(op->schema());
    if (fallback.empty()) fallback = qualified_name(op->schema());
  }
  return fallback;
}

std::string find_functional(const c10::FunctionSchema& schema) {
  std::string name = schema.name();
  const bool out = std::any_of(schema.arguments().begin(), schema.arguments().end(),
                               [](const c10::Argument& a) { return a.is_out(); });
  if (!out) {
    if (name.ends_with("__") && name.find("::__i") != std::string::npos)
      name.erase(name.find("::__i") + 4, 1);
    else if (name.ends_with("_"))
      name.pop_back();
    else
      return {};
  }
  const std::string plain = find_overload(name, schema);
  return plain.empty() ? find_overload(name + "_functional", schema) : plain;
}

/// The operator with this name, overload included.
const torch::jit::Operator& operator_named(const std::string& qualified) {
  const std::string name = qualified.substr(0, qualified.find('.'));
  const auto& all = torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(name));
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& op) {
    return qualified_name(op->schema()) == qualified;
  });
  T2N_ASSERT(found != all.end(), "there is no operator ", qualified);
  return **found;
}

/// The dtypes that an operator would give if it did not have to write to `out`.
std::vector<ir::DType> computed_dtypes(const std::string& functional,
                                       const c10::FunctionSchema& schema,
                                       const torch::jit::Stack& inputs) {
  torch::jit::Stack stack;
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!schema.arguments()[i].is_out()) stack.push_back(inputs[i]);
  operator_named(functional).getOperation()(stack);
  std::vector<ir::DType> out;
  for (const c10::IValue& result : stack)
    for (const at::Tensor& tensor : flatten_tensors(result))
      out.push_back(require_dtype(tensor.scalar_type()));
  return out;
}

/// Called after the operation, which gives `out` the size of its result. Views of it keep theirs.
void refuse_resized(const ir::Graph& graph, const AliasTable& aliases, const at::Tensor& out) {
  const TensorInfo& entry = aliases[aliases.find(out)];
  if (ir::static_shape(graph.values[entry.value].shape) == out.sizes().vec()) return;
  for (int other = 0; other < aliases.entries(); ++other)
    if (aliases[other].root == entry.root && aliases[other].parent >= 0)
      throw Error("unsupported-inplace",
                  "out= is a view, or has views, and the operation would resize it", {},
                  "give out= a tensor of the result's size");
}

const std::optional<ir::QuantInfo>& scale_of(const ir::Graph& graph, ir::ValueId value) {
  return graph.values[value].quant;
}

/// Refuses writes that change the scale of shared memory: torch's tensors keep their own scales,
/// but the graph has one.
void require_scale(const ir::Graph& graph, ir::ValueId value, ir::ValueId other) {
  if (scale_of(graph, value) != scale_of(graph, other))
    throw Error("unsupported-inplace",
                "a quantised tensor that shares memory with another one takes another scale",
                "the other one reads the new integers with its old scale",
                "clone() one of them first, or quantise both with one scale");
}

/// Gives the scale of `base` to the values from `first` on, which scatter into `base`.
void carry_scale(ir::Graph& graph, size_t first, ir::ValueId base) {
  const ir::Value target = graph.values[base];
  if (!target.quant) return;
  for (size_t i = first; i < graph.values.size(); ++i) {
    if (graph.values[i].dtype != target.dtype) continue;
    if (target.quant->is_per_channel() && graph.values[i].shape != target.shape)
      throw Error("unsupported-inplace",
                  "a view of a tensor with a scale for each channel is written", {},
                  "write to the tensor itself, or dequantize() it");
    graph.values[i].quant = target.quant;
  }
}

}  // namespace

std::string functional_name(const c10::FunctionSchema& schema) {
  static std::map<std::string, std::string> known;
  const std::string key = qualified_name(schema);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known.emplace(key, find_functional(schema)).first->second;
}

/// A view whose region depends on the iteration is a different view in another iteration.
void Recorder::check_view(const TensorInfo& entry) const {
  if (entry.view == nullptr) return;
  const ir::Node& node = entry.view->call.node;
  if (node.outputs.at(entry.view->output) >= rerolling_.iteration_begins() ||
      !loops::mentions_iteration(node))
    return;
  loops::refuse_loop(graph_, node, "a view that one iteration made is read or written in another",
                     "clone() it in the iteration that makes it");
}

/// The value of a tensor that the program reads.
ir::ValueId Recorder::read(int index) {
  regions_.rely_on(layouts_.note_read(index));
  return refresh(index);
}

ir::ValueId Recorder::refresh(int index) {
  const Root& root = aliases_.root(aliases_[index]);
  if (root.is_invalid)
    throw Error("unsupported-inplace",
                "statistics are read that a norm in training, or a quantiser, has changed",
                "the file does not contain these changes",
                "call model.eval() before saving, or pass training=False");
  if (aliases_[index].seen == root.version) return aliases_[index].value;
  if (aliases_.is_base_of(index, root.writer)) {
    flush_write(aliases_.root(aliases_[index]));
    return aliases_[index].value;
  }
  if (aliases_[index].parent < 0)
    throw Error("unsupported-inplace",
                "a tensor is read after another tensor on the same memory was written",
                "the two share memory without one being a view of the other",
                "clone() one of them first");
  check_view(aliases_[index]);
  const ir::ValueId base = refresh(aliases_[index].parent);
  const View& view = *aliases_[index].view;
  ir::Node node = view.call.node;
  ir::Attr& operand = node.args[view.base_input].value;
  if (auto* one = std::get_if<ir::TensorRef>(&operand)) {
    require_scale(graph_, base, one->id);
    one->id = base;
  } else
    for (size_t i = 0; i < view.list.size(); ++i)
      if (view.list[i] >= 0) std::get<ir::TensorRefs>(operand).ids[i] = refresh(view.list[i]);
  for (ir::ValueId& output : node.outputs) {
    const ir::Value like = graph_.values[output];
    output =
        ir::add_value(graph_, {naming_.result(graph_, node), like.dtype, like.shape, like.quant});
  }
  value_marks_.resize(graph_.values.size());
  replace_value(aliases_[index], sized_as(aliases_[index]), node.outputs[view.output]);
  aliases_[index].seen = root.version;
  append(std::move(node));
  return aliases_[index].value;
}

ir::ValueId Recorder::emit(std::string_view op, std::vector<ir::Argument> args, ir::DType dtype,
                           const ir::Ints& shape, Location location) {
  const ir::ValueId value =
      rerolling_.emit(op, std::move(args), dtype, ir::to_shape(shape), location);
  mark_additions();
  return value;
}

/// A write through a view that shows elements repeatedly. It is scattered directly to the root, and
/// all views, including this one, are recomputed when they are read.
void Recorder::write_to_root(int index, ir::ValueId value, Location location) {
  std::vector<int> chain;
  for (int link = index; link >= 0; link = aliases_[link].parent) chain.push_back(link);
  TensorInfo& root = aliases_[chain.back()];
  const ir::Ints shape = ir::static_shape(graph_.values[root.value].shape);
  const at::Tensor indices = at::arange(ir::element_count(shape)).reshape(shape);
  at::Tensor positions = indices;
  for (auto link = chain.rbegin() + 1; link != chain.rend(); ++link) {
    const TensorInfo& entry = aliases_[*link];
    check_view(entry);
    positions = view_of(*entry.view, positions);
  }
  const ir::ValueId base = root.value;
  const size_t first = graph_.values.size();
  require_scale(graph_, base, value);
  replace_value(root, sized_as(root), scatter_indices(indices, positions, root, value, location));
  carry_scale(graph_, first, base);
  root.seen = aliases_.root(root).version;
}

void Recorder::write(int index, ir::ValueId value, Location location) {
  Root& root = aliases_.root(aliases_[index]);
  if (root.entries_without_parent > 1)
    throw Error("unsupported-inplace", "a tensor that shares memory with another one is written",
                "the two share memory without one being a view of the other",
                "clone() one of them first");
  if (root.is_choice)
    throw Error("unsupported-inplace",
                "a write changes a tensor that a branch on data chose, or chose from",
                "torch writes to the chosen tensor, which depends on the values",
                "clone() it first, or write before the branch");
  layouts_.note_write(index);
  if (aliases_.repeats_elements(aliases_[index].parent)) {
    flush_write(root);
    ++root.version;
    return write_to_root(index, value, location);
  }
  ++root.version;
  replace_value(aliases_[index], sized_as(aliases_[index]), value);
  aliases_[index].seen = root.version;
  const bool is_view = aliases_[index].parent >= 0;
  root.writer = is_view ? index : -1;
  root.written_at = location;
  if (is_view) written_views_.push_back(index);
}

/// Scatters a write through a view back to its bases.
void Recorder::flush_write(Root& root) {
  const int writer = std::exchange(root.writer, -1);
  if (writer < 0) return;
  ir::ValueId value = aliases_[writer].value;
  for (int at = writer; aliases_[at].parent >= 0; at = aliases_[at].parent) {
    const TensorInfo view = aliases_[at];
    check_view(view);
    const ir::ValueId base = aliases_[view.parent].value;
    const size_t first = graph_.values.size();
    require_scale(graph_, base, value);
    value = scatter_back(view, base, value, root.written_at);
    carry_scale(graph_, first, base);
    replace_value(aliases_[view.parent], sized_as(aliases_[view.parent]), value);
    aliases_[view.parent].seen = root.version;
  }
}

void Recorder::flush_writes() {
  for (const int view : std::exchange(written_views_, {}))
    flush_write(aliases_.root(aliases_[view]));
}

void Recorder::replace_view(const at::Tensor& tensor, const OpCall& call) {
  // The old entry remains as the base of the new one, without a tensor.
  const int old = aliases_.find(tensor);
  layouts_.note_change_of_shape(old);
  auto view = std::make_shared<View>(View{call, 0, {}, -1, {}, 0});
  view->call.inputs[0] = c10::IValue();
  view->call.node.outputs = {new_value(call.node, tensor)};
  append(view->call.node);
  const ir::ValueId value = view->call.node.outputs[0];
  const bool is_dynamic = aliases_[old].dynamic_shape;
  TensorInfo& info = aliases_[aliases_.add(tensor, value, old, std::move(view))];
  info.dynamic_shape = is_dynamic;
  info.dynamic_rank = is_dynamic && call.schema->name() == "aten::squeeze_";
}

/// Appends the operation that computes what is written. With `out=` torch computes as without it
/// and then casts; an operation with a dtype argument computes in the dtype of `out`.
std::vector<ir::ValueId> Recorder::written_values(OpCall call,
                                                  const std::vector<at::Tensor>& written,
                                                  const std::string& functional) {
  std::vector<ir::DType> computed;
  for (const at::Tensor& tensor : written) computed.push_back(require_dtype(tensor.scalar_type()));
  const bool has_out = call.node.args.size() < call.inputs.size();
  const auto dtype = std::find_if(call.node.args.begin(), call.node.args.end(),
                                  [](const ir::Argument& arg) { return arg.name == "dtype"; });
  if (has_out && dtype != call.node.args.end() && std::holds_alternative<ir::None>(dtype->value))
    dtype->value = computed.at(0);
  else if (has_out && call.node.compute_dtype != computed.at(0))
    computed = computed_dtypes(functional, *call.schema, call.inputs);
  T2N_ASSERT(computed.size() == written.size(), functional, " gives ", computed.size(), " tensors");
  const Location location{call.node.scope, call.node.source};
  for (size_t i = 0; i < written.size(); ++i) {
    const ir::ValueId id = new_value(call.node, written[i]);
    graph_.values[id].dtype = computed[i];
    call.node.outputs.push_back(id);
  }
  std::vector<ir::ValueId> out = call.node.outputs;
  append(std::move(call.node));
  for (size_t i = 0; i < written.size(); ++i) {
    const ir::DType target_dtype = require_dtype(written[i].scalar_type());
    if (target_dtype != computed[i])
      out[i] = emit("aten::to.dtype",
                    {{"self", ir::TensorRef{out[i]}},
                     {"dtype", target_dtype},
                     {"non_blocking", false},
                     {"copy", false},
                     {"memory_format", ir::None{}}},
                    target_dtype, written[i].sizes().vec(), location);
  }
  return out;
}

void Recorder::record_write(OpCall call, const std::vector<at::Tensor>& outputs) {
  const c10::FunctionSchema& schema = *call.schema;
  const Location location{call.node.scope, call.node.source};
  const std::string name = schema.name();
  if (name == "aten::requires_grad_" || name == "aten::detach_") return;
  if (name == "aten::fill_diagonal_") {
    const at::Tensor& self = call.inputs[0].toTensor();
    refuse_overlapping(self, name);
    const auto emitted = [this](auto&&... args) { return emit(std::move(args)...); };
    return write(aliases_.find(self), diagonal_filled(emitted, call), location);
  }
  const std::string functional = functional_name(schema);
  if (functional.empty() || name == "aten::set_" || name == "aten::resize_" ||
      name == "aten::resize_as_")
    throw Error(
        "unsupported-inplace",
        cat("the in-place operator ", quoted(qualified_name(schema)), " cannot be exported"),
        "it has no functional form", "use an operator that returns a new tensor");
  call.node.op = ir::op_id(functional);
  if (has_trait(name, ir::OpTrait::changes_view)) {
    // The operation is run again as a view, and must not change its argument's geometry.
    call.run = make_run(operator_named(functional).getOperation());
    return replace_view(call.inputs[0].toTensor(), call);
  }
  std::vector<at::Tensor> written;
  std::vector<ir::Argument> kept;
  const bool is_out = std::any_of(schema.arguments().begin(), schema.arguments().end(),
                                  [](const c10::Argument& argument) { return argument.is_out(); });
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    if (!argument.is_out()) kept.push_back(call.node.args[i]);
    if (!is_written(argument)) continue;
    if (!call.inputs[i].isTensor())
      throw Error("unsupported-inplace",
                  cat(quoted(qualified_name(schema)), " writes to a list of tensors"), {},
                  "write to the tensors one by one");
    written.push_back(call.inputs[i].toTensor());
    refuse_overlapping(written.back(), name);
    refuse_read_while_written(name, written.back(), call.inputs);
    if (keep_sizes_) regions_.rely_on_regions(name, written.back(), call.inputs);
    if (argument.is_out()) refuse_resized(graph_, aliases_, written.back());
  }
  call.node.args = std::move(kept);
  const std::vector<ir::ValueId> values = written_values(std::move(call), written, functional);
  for (size_t i = 0; i < written.size(); ++i) {
    const int entry = aliases_.find(written[i]);
    T2N_ASSERT(entry >= 0, "a written tensor was never read");
    write(entry, values[i], location);
    // out= takes the sizes of the result, also where those of the sample are equal by chance.
    if (is_out) aliases_[entry].unwritten = values[i];
  }
  const bool has_new_outputs = std::any_of(outputs.begin(), outputs.end(),
                                           [&](const at::Tensor& t) { return !aliases_.knows(t); });
  if (has_new_outputs)
    throw Error("unsupported-inplace",
                cat(quoted(qualified_name(schema)),
                    " writes to an argument and returns new tensors as well"));
}

}  // namespace t2n::trace

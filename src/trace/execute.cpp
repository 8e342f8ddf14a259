// The interpreter's operations: run through torch's dispatcher, watched, and handed to the recorder.
#include <ATen/Functions.h>

#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/trace/interpreter.h"
#include "src/trace/operators.h"
#include "src/trace/torch_error.h"

namespace t2n::trace {
namespace {

using torch::jit::Node;
using torch::jit::Operator;
using torch::jit::Stack;

/// Operators that turn a tensor's values into plain numbers.
bool reads_data(const std::string& name) {
  constexpr std::array<std::string_view, 14> kNames = {
      "aten::item",          "aten::Int",           "aten::Float",         "aten::Bool",
      "aten::Complex",       "aten::IntImplicit",   "aten::FloatImplicit", "aten::ScalarImplicit",
      "aten::is_nonzero",    "aten::equal",         "aten::allclose",      "aten::_local_scalar_dense",
      "prim::tolist",        "aten::ComplexImplicit"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// torch.empty and its kin leave memory as it was; zeros are one of its legal values, and the only one
/// that gives the same file twice.
bool is_uninitialised(const std::string& name) {
  return name == "aten::empty" || name == "aten::empty_like" || name == "aten::new_empty" ||
         name == "aten::empty_strided" || name == "aten::new_empty_strided" || name == "aten::empty_permuted";
}

/// In-place dropout outside of training: nothing is written.
bool is_inert_write(const std::string& name, const Stack& inputs) {
  return name.find("dropout_") != std::string::npos && inputs.size() == 3 && inputs[2].isBool() && !inputs[2].toBool();
}

bool has_half(const Stack& stack) {
  return std::any_of(stack.begin(), stack.end(), [](const c10::IValue& value) {
    return value.isTensor() && value.toTensor().defined() &&
           (value.toTensor().scalar_type() == at::kHalf || value.toTensor().scalar_type() == at::kBFloat16);
  });
}

/// Runs in f32 and rounds back: for 16-bit types that the CPU has no kernel for, or a very slow one.
void run_in_float(const Run& run, Stack& stack) {
  at::ScalarType type = at::kHalf;
  for (c10::IValue& value : stack) {
    if (!value.isTensor() || !value.toTensor().defined()) continue;
    const at::ScalarType own = value.toTensor().scalar_type();
    if (own != at::kHalf && own != at::kBFloat16) continue;
    type = own;
    value = value.toTensor().to(at::kFloat);
  }
  run(stack);
  for (c10::IValue& value : stack)
    if (value.isTensor() && value.toTensor().scalar_type() == at::kFloat) value = value.toTensor().to(type);
}

bool is_slow_in_half(const std::string& name) { return name.find("conv") != std::string::npos; }

/// Baked device literals (`cuda:0` of the machine that traced) mean the CPU here.
void move_devices_to_cpu(Stack& stack) {
  for (c10::IValue& value : stack)
    if (value.isDevice()) value = c10::IValue(at::Device(at::kCPU));
}

}  // namespace

void Interpreter::execute(const Operator& op, const Run& run, Stack& stack) {
  const std::string& name = op.schema().name();
  if (is_denied(name))
    throw Error("denied-operator", cat("the model calls ", quoted(name), " in forward"),
                "operators that reach files, processes or other machines are never executed",
                "remove the call from the model and save it again");
  if (has_half(stack) && is_slow_in_half(name) && !op.schema().is_mutable()) return run_in_float(run, stack);
  const bool may_retry = has_half(stack) && !op.schema().is_mutable();
  const Stack before = may_retry ? stack : Stack();
  try {
    run(stack);
  } catch (const c10::NotImplementedError&) {
    if (!may_retry) throw;
    stack = before;
    run_in_float(run, stack);
  }
}

void Interpreter::run_operation(Node* node, Env& env) {
  const Operator* op = node->maybeOperator();
  const std::string kind = node->kind().toQualString();
  if (op == nullptr || kind.find("mkldnn") != std::string::npos) {
    if (kind.find("mkldnn") != std::string::npos || kind.find("MKLDNN") != std::string::npos)
      throw Error("model-format", "the model was prepared by torch.jit.optimize_for_inference",
                  cat("it holds operators of one CPU's library (", kind, ")"), "save it before that step");
    throw Error("unsupported-op", cat("the operator ", quoted(kind), " cannot be executed"));
  }
  const auto [cached, is_new] = operations_.try_emplace(node);
  if (is_new) cached->second = make_run(node->getOperation());
  const Run run = cached->second;
  const Slots operands = slots(node->inputs(), env);
  Stack inputs;
  std::vector<Shadow> shadows;
  for (const Slot& operand : operands) {
    inputs.push_back(operand.value);
    shadows.push_back(operand.shadow);
  }
  move_devices_to_cpu(inputs);
  Stack stack = inputs;
  if (op->schema().is_vararg() && op->hasOperation()) stack.emplace_back(static_cast<int64_t>(inputs.size()));

  const bool writes_tensor = op->schema().is_mutable() && !is_inert_write(op->schema().name(), inputs) &&
                             std::any_of(inputs.begin(), inputs.end(), [](const c10::IValue& v) { return !flatten_tensors(v).empty(); }) &&
                             std::any_of(op->schema().arguments().begin(), op->schema().arguments().end(), [&](const c10::Argument& a) {
                               return a.alias_info() != nullptr && a.alias_info()->isWrite() &&
                                      a.type()->kind() != c10::TypeKind::ListType && a.type()->kind() != c10::TypeKind::DictType;
                             });
  const bool is_foreach = op->schema().name().find("_foreach_") != std::string::npos;
  std::optional<Call> call;
  if (recorder_ != nullptr && (writes_tensor || (is_foreach && op->schema().is_mutable())))
    call = recorder_->prepare(*op, run, inputs, shadows, containers_, place());
  try {
    execute(*op, run, stack);
  } catch (const std::exception&) {
    if (is_unknown(op->schema().name()))
      throw Error("unsupported-op", cat("the operator ", quoted(op->schema().name()), " is not known to this LibTorch"),
                  "it belongs to a library that is not part of PyTorch",
                  "export the part of the model before it, or replace the operator");
    throw Error("forward-failed", cat(op->schema().name(), " failed: ", first_line(current_torch_message())), {},
                "do the sample inputs fit the model? `t2nnef inspect` shows its arguments");
  }
  if (is_uninitialised(op->schema().name())) stack.at(0).toTensor().zero_();

  std::vector<at::Tensor> outputs;
  for (const c10::IValue& result : stack)
    for (at::Tensor& tensor : flatten_tensors(result)) outputs.push_back(std::move(tensor));
  if (ranges_ != nullptr) ranges_->see(op->schema().name(), inputs, outputs);
  if (recorder_ != nullptr) {
    if (call) {
      recorder_->record_write(std::move(*call), outputs);
    } else if (std::any_of(outputs.begin(), outputs.end(), [&](const at::Tensor& t) { return !recorder_->knows(t); })) {
      recorder_->record(recorder_->prepare(*op, run, inputs, shadows, containers_, place()), outputs);
    }
  }
  Slots results;
  for (c10::IValue& value : stack) {
    Shadow shadow = recorder_ == nullptr ? nullptr : result_shadow(*op, inputs, shadows, value);
    if (recorder_ != nullptr) shadow_containers(op->schema().name(), inputs, shadows, value);
    results.push_back({std::move(value), std::move(shadow)});
  }
  set_outputs(node, env, std::move(results));
}

Shadow Interpreter::result_shadow(const Operator& op, const Stack& inputs, const std::vector<Shadow>& shadows,
                                  const c10::IValue& result) {
  const std::string& name = op.schema().name();
  const bool zero_dim_integer = result.isTensor() && result.toTensor().defined() && result.toTensor().dim() == 0 &&
                                at::isIntegralType(result.toTensor().scalar_type(), false);
  if (!result.isScalar() && !result.isString() && !zero_dim_integer) return nullptr;
  if (reads_data(name) && !inputs.empty() && inputs[0].isTensor() && recorder_->depends_on_input(inputs[0].toTensor())) {
    const ir::SourceId source = place().source;
    std::string where;
    if (source != ir::kNoSource) {
      const Frame& frame = graph_.sources[static_cast<size_t>(source)].frames.front();
      where = cat(" (", frame.file, ":", frame.line, ")");
    }
    const bool truth = name == "aten::Bool" || name == "aten::is_nonzero";
    return std::make_shared<const ShadowInfo>(
        ShadowInfo{ShadowInfo::Kind::data, {}, name + where, truth ? inputs[0].toTensor() : at::Tensor()});
  }
  if (name == "aten::size" && options_.keep_sizes && inputs.size() == 2) {
    const at::Tensor& tensor = inputs[0].toTensor();
    const int64_t axis = inputs[1].toInt() < 0 ? inputs[1].toInt() + tensor.dim() : inputs[1].toInt();
    const ir::ValueId value = recorder_->value(tensor, place());
    const std::string symbol = cat("size.", graph_.values[static_cast<size_t>(value)].name, ".", axis);
    auto& samples = graph_.attributes[ir::kSampleSizes];
    if (!samples.has_value()) samples = std::map<std::string, int64_t>();
    std::any_cast<std::map<std::string, int64_t>&>(samples)[symbol] = tensor.size(axis);
    return std::make_shared<const ShadowInfo>(ShadowInfo{ShadowInfo::Kind::size, ir::Dim::symbol(symbol), {}, {}});
  }
  std::vector<Shadow> all = shadows;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].isTensor() && inputs[i].toTensor().defined()) all[i] = recorder_->tensor_shadow(inputs[i].toTensor());
    // What is in a list may show in any number taken from it.
    for (const Shadow& element : containers_.find(inputs[i]))
      if (element && !all[i]) all[i] = element->kind == ShadowInfo::Kind::data ? element : nullptr;
  }
  if (name == "aten::__getitem__" && inputs.size() == 2 && inputs[1].isInt()) {
    const std::vector<Shadow> elements = containers_.find(inputs[0]);
    const int64_t index = inputs[1].toInt() < 0 ? inputs[1].toInt() + static_cast<int64_t>(elements.size()) : inputs[1].toInt();
    return index >= 0 && index < static_cast<int64_t>(elements.size()) ? elements[static_cast<size_t>(index)] : nullptr;
  }
  std::vector<c10::IValue> plain = inputs;
  for (c10::IValue& value : plain)
    if (value.isTensor() && value.toTensor().defined() && value.toTensor().dim() == 0 &&
        at::isIntegralType(value.toTensor().scalar_type(), false))
      value = value.toTensor().item().toLong();
  Shadow shadow = combine(name, plain, all);
  if (shadow && zero_dim_integer) {
    recorder_->set_tensor_shadow(result.toTensor(), shadow);
    return nullptr;
  }
  return shadow;
}

void Interpreter::shadow_containers(const std::string& name, const Stack& inputs, const std::vector<Shadow>& shadows,
                                    const c10::IValue& result) {
  if (name == "aten::size" && options_.keep_sizes && inputs.size() == 1 && result.isList()) {
    const at::Tensor& tensor = inputs[0].toTensor();
    const ir::Value& value = graph_.values[static_cast<size_t>(recorder_->value(tensor, place()))];
    auto& samples = graph_.attributes[ir::kSampleSizes];
    if (!samples.has_value()) samples = std::map<std::string, int64_t>();
    std::vector<Shadow> elements;
    for (int64_t axis = 0; axis < tensor.dim(); ++axis) {
      const std::string symbol = cat("size.", value.name, ".", axis);
      std::any_cast<std::map<std::string, int64_t>&>(samples)[symbol] = tensor.size(axis);
      elements.push_back(std::make_shared<const ShadowInfo>(ShadowInfo{ShadowInfo::Kind::size, ir::Dim::symbol(symbol), {}, {}}));
    }
    return containers_.set(result, std::move(elements));
  }
  if (name == "prim::tolist" && inputs[0].isTensor() && recorder_->depends_on_input(inputs[0].toTensor()) && result.isList()) {
    const auto data = std::make_shared<const ShadowInfo>(ShadowInfo{ShadowInfo::Kind::data, {}, name, {}});
    return containers_.set(result, std::vector<Shadow>(result.toListRef().size(), data));
  }
  if (inputs.empty() || containers_.empty()) return;
  std::vector<Shadow> elements = containers_.find(inputs[0]);
  const auto padded = [&](const c10::IValue& list) {
    std::vector<Shadow> own = containers_.find(list);
    if (list.isList()) own.resize(list.toListRef().size());
    return own;
  };
  if (name == "aten::_set_item" && inputs[0].isList()) {
    elements = padded(inputs[0]);
    const int64_t count = static_cast<int64_t>(elements.size());
    const int64_t index = inputs[1].toInt() < 0 ? inputs[1].toInt() + count : inputs[1].toInt();
    if (index >= 0 && index < count) elements[static_cast<size_t>(index)] = shadows[2];
    containers_.set(inputs[0], std::move(elements));
  } else if (name == "aten::append" && inputs[0].isList()) {
    elements = padded(inputs[0]);
    if (!elements.empty()) elements.back() = shadows[1];
    containers_.set(inputs[0], std::move(elements));
  } else if (name == "aten::add" && inputs[0].isList() && result.isList() && inputs[1].isList()) {
    elements = padded(inputs[0]);
    const std::vector<Shadow> more = padded(inputs[1]);
    elements.insert(elements.end(), more.begin(), more.end());
    containers_.set(result, std::move(elements));
  } else if (name == "aten::list" && result.isList()) {
    containers_.set(result, std::move(elements));
  } else if (name == "aten::slice" && inputs[0].isList() && result.isList() && !elements.empty()) {
    const auto count = static_cast<int64_t>(elements.size());
    const int64_t start = inputs[1].isInt() ? std::clamp<int64_t>(inputs[1].toInt() < 0 ? inputs[1].toInt() + count : inputs[1].toInt(), 0, count) : 0;
    const int64_t step = inputs[3].isInt() ? inputs[3].toInt() : 1;
    std::vector<Shadow> part;
    for (size_t i = 0; i < result.toListRef().size(); ++i)
      part.push_back(elements.at(static_cast<size_t>(start + static_cast<int64_t>(i) * step)));
    containers_.set(result, std::move(part));
  } else if (!result.isList() && inputs[0].isList() &&
             (name == "aten::insert" || name == "aten::pop" || name == "aten::reverse" || name == "aten::sort" ||
              name == "aten::extend" || name == "aten::clear" || name == "aten::remove" || name == "aten::Delete")) {
    containers_.drop(inputs[0]);
  }
}

void RangeWatch::add_input(const at::Tensor& tensor, size_t index) {
  if (!at::isIntegralType(tensor.scalar_type(), false)) return;
  carriers_[tensor.unsafeGetTensorImpl()] = index;
  keep_.push_back(tensor);
}

void RangeWatch::bound(const c10::IValue& index, int64_t high) {
  for (const at::Tensor& tensor : flatten_tensors(index)) {
    const auto carrier = carriers_.find(tensor.unsafeGetTensorImpl());
    if (carrier == carriers_.end()) continue;
    const auto [known, is_new] = highs_.try_emplace(carrier->second, high);
    if (!is_new) known->second = std::min(known->second, high);
  }
}

void RangeWatch::see(const std::string& op, const Stack& inputs, const std::vector<at::Tensor>& outputs) {
  const auto axis_size = [&](size_t self, size_t dim) {
    const at::Tensor& tensor = inputs[self].toTensor();
    return tensor.dim() == 0 ? int64_t{1} : tensor.size(inputs[dim].toInt());
  };
  if (op == "aten::embedding") bound(inputs[1], inputs[0].toTensor().size(0));
  else if (op == "aten::embedding_bag") bound(inputs[1], inputs[0].toTensor().size(0));
  else if (op == "aten::index_select" || op == "aten::gather" || op == "aten::scatter") bound(inputs[2], axis_size(0, 1));
  else if (op == "aten::one_hot" && inputs[1].toInt() > 0) bound(inputs[0], inputs[1].toInt());
  else if (op == "aten::index") {
    int64_t axis = 0;
    for (const c10::IValue& index : inputs[1].toListRef()) bound(index, inputs[0].toTensor().size(axis++));
  }
  // Operations whose result holds the very values of their first operand.
  constexpr std::array<std::string_view, 22> kCarry = {
      "aten::view",      "aten::reshape", "aten::flatten",   "aten::squeeze",    "aten::unsqueeze", "aten::expand",
      "aten::transpose", "aten::permute", "aten::slice",     "aten::select",     "aten::to",        "aten::clone",
      "aten::contiguous", "aten::t",      "aten::unflatten", "aten::_to_copy",   "aten::detach",    "aten::long",
      "aten::expand_as", "aten::type_as", "aten::alias",     "aten::split"};
  if (inputs.empty() || !inputs[0].isTensor()) return;
  const auto carrier = carriers_.find(inputs[0].toTensor().unsafeGetTensorImpl());
  if (carrier == carriers_.end() || std::find(kCarry.begin(), kCarry.end(), op) == kCarry.end()) return;
  for (const at::Tensor& output : outputs) {
    if (!at::isIntegralType(output.scalar_type(), false)) continue;
    carriers_[output.unsafeGetTensorImpl()] = carrier->second;
    keep_.push_back(output);
  }
}

std::vector<std::optional<Range>> RangeWatch::ranges(size_t inputs) const {
  std::vector<std::optional<Range>> out(inputs);
  for (const auto& [input, high] : highs_)
    if (input < inputs) out[input] = Range{0, high};
  return out;
}

}  // namespace t2n::trace

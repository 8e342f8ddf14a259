// What the interpreter knows of numbers beside their value: sizes and data, followed through scalar
// operations and lists.
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <array>

#include "src/diag/error.h"
#include "src/trace/interpreter.h"

namespace t2n::trace {
namespace {

using torch::jit::Stack;

/// Operators that turn a tensor's values into plain numbers.
bool reads_data(const std::string& name) {
  constexpr std::array<std::string_view, 14> kNames = {
      "aten::item",          "aten::Int",
      "aten::Float",         "aten::Bool",
      "aten::Complex",       "aten::IntImplicit",
      "aten::FloatImplicit", "aten::ScalarImplicit",
      "aten::is_nonzero",    "aten::equal",
      "aten::allclose",      "aten::_local_scalar_dense",
      "prim::tolist",        "aten::ComplexImplicit"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// List operations that move elements about in ways that are not followed.
bool scrambles_list(const std::string& name) {
  constexpr std::array<std::string_view, 8> kNames = {
      "aten::insert", "aten::pop",   "aten::reverse", "aten::sort",
      "aten::extend", "aten::clear", "aten::remove",  "aten::Delete"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

bool is_integer_scalar(const c10::IValue& value) {
  return value.isTensor() && value.toTensor().defined() && value.toTensor().dim() == 0 &&
         at::isIntegralType(value.toTensor().scalar_type(), false);
}

int64_t from_front(int64_t index, int64_t count) { return index < 0 ? index + count : index; }

Shadow data_shadow(std::string origin, at::Tensor truth = {}) {
  return std::make_shared<const ShadowInfo>(
      ShadowInfo{ShadowInfo::Kind::data, {}, std::move(origin), std::move(truth)});
}

}  // namespace

Shadow Interpreter::size_shadow(const at::Tensor& tensor, int64_t axis) {
  const ir::ValueId value = recorder_->value(tensor, place());
  const ir::Symbol symbol =
      ir::Symbol::AxisSize{graph_.values[static_cast<size_t>(value)].name, axis};
  std::any& samples = graph_.attributes[ir::kSampleSizes];
  if (!samples.has_value()) samples = ir::Sizes();
  std::any_cast<ir::Sizes&>(samples)[symbol] = tensor.size(axis);
  return std::make_shared<const ShadowInfo>(
      ShadowInfo{ShadowInfo::Kind::size, ir::Dim::symbol(symbol), {}, {}});
}

Shadow Interpreter::count_shadow(const at::Tensor& tensor) {
  ir::Dim count = 1;
  for (int64_t axis = 0; axis < tensor.dim(); ++axis)
    count = count * size_shadow(tensor, axis)->expr;
  return std::make_shared<const ShadowInfo>(
      ShadowInfo{ShadowInfo::Kind::size, std::move(count), {}, {}});
}

std::string Interpreter::origin(const std::string& name) {
  const std::string id = guard_id();
  return id.empty() ? name : cat(name, " (", id, ")");
}

Shadow Interpreter::element_shadow(const c10::IValue& list, int64_t index) const {
  const std::vector<Shadow> elements = containers_.find(list);
  const auto count = static_cast<int64_t>(elements.size());
  const int64_t at = from_front(index, count);
  return at >= 0 && at < count ? elements[static_cast<size_t>(at)] : nullptr;
}

Shadow Interpreter::result_shadow(const std::string& name, const Stack& inputs,
                                  const std::vector<Shadow>& shadows, const c10::IValue& result) {
  const bool integer_tensor = is_integer_scalar(result);
  if (!result.isScalar() && !result.isString() && !integer_tensor) return nullptr;
  if (reads_data(name) && inputs[0].isTensor() &&
      recorder_->depends_on_input(inputs[0].toTensor())) {
    const bool truth = name == "aten::Bool" || name == "aten::is_nonzero";
    return data_shadow(origin(name), truth ? inputs[0].toTensor() : at::Tensor());
  }
  if (name == "aten::size" && options_.keep_sizes && inputs.size() == 2)
    return size_shadow(inputs[0].toTensor(),
                       from_front(inputs[1].toInt(), inputs[0].toTensor().dim()));
  if (name == "aten::len" && options_.keep_sizes && inputs[0].isTensor())
    return size_shadow(inputs[0].toTensor(), 0);
  if (name == "aten::len" && inputs[0].isList()) return containers_.length(inputs[0]);
  if (name == "aten::numel" && options_.keep_sizes) return count_shadow(inputs[0].toTensor());
  if (name == "aten::__getitem__" && inputs.size() == 2 && inputs[1].isInt()) {
    const Shadow element = element_shadow(inputs[0], inputs[1].toInt());
    return element ? element : combine(name, inputs, shadows);
  }

  Stack numbers = inputs;
  std::vector<Shadow> known = shadows;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (is_integer_scalar(inputs[i])) {
      known[i] = recorder_->tensor_shadow(inputs[i].toTensor());
      numbers[i] = inputs[i].toTensor().item().toLong();
    }
    // What is in a list may show in any number taken from it.
    for (const Shadow& element : containers_.find(inputs[i]))
      if (element && !known[i] && element->kind == ShadowInfo::Kind::data) known[i] = element;
  }
  Shadow shadow = combine(name, numbers, known);
  if (!shadow || !integer_tensor) return shadow;
  recorder_->set_tensor_shadow(result.toTensor(), shadow);
  return nullptr;
}

void Interpreter::shadow_new_list(const std::string& name, const Stack& inputs,
                                  const c10::IValue& result) {
  const std::vector<Shadow> elements = containers_.find(inputs[0]);
  const auto count = static_cast<int64_t>(elements.size());
  std::vector<Shadow> out;
  if (name == "aten::size" && options_.keep_sizes && inputs.size() == 1) {
    for (int64_t axis = 0; axis < inputs[0].toTensor().dim(); ++axis)
      out.push_back(size_shadow(inputs[0].toTensor(), axis));
  } else if (name == "prim::tolist" && recorder_->depends_on_input(inputs[0].toTensor())) {
    out.assign(result.toListRef().size(), data_shadow(origin(name)));
  } else if (name == "aten::add" && inputs[1].isList()) {
    out = elements;
    out.resize(inputs[0].toListRef().size());
    const std::vector<Shadow> more = containers_.find(inputs[1]);
    out.insert(out.end(), more.begin(), more.end());
    out.resize(result.toListRef().size());
  } else if (name == "aten::list") {
    out = elements;
  } else if (name == "aten::slice" && count > 0) {
    const int64_t begin = inputs[1].isInt() ? from_front(inputs[1].toInt(), count) : 0;
    const int64_t step = inputs[3].isInt() ? inputs[3].toInt() : 1;
    for (size_t i = 0; i < result.toListRef().size(); ++i)
      out.push_back(elements.at(
          static_cast<size_t>(std::max<int64_t>(begin, 0) + static_cast<int64_t>(i) * step)));
  }
  if (!out.empty()) containers_.set(result, std::move(out));
}

/// What the length of a new list follows from.
Shadow Interpreter::length_shadow(const std::string& name, const Stack& inputs) {
  if (name == "aten::unbind" && options_.keep_sizes && inputs[0].isTensor()) {
    const at::Tensor& whole = inputs[0].toTensor();
    return size_shadow(whole, from_front(inputs[1].toInt(), whole.dim()));
  }
  const bool same =
      name == "aten::list" || (name == "aten::slice" && inputs[1].isNone() && inputs[2].isNone() &&
                               inputs[3].isInt() && std::abs(inputs[3].toInt()) == 1);
  if (same) return containers_.length(inputs[0]);
  if (name != "aten::add" || inputs.size() != 2 || !inputs[0].isList() || !inputs[1].isList())
    return nullptr;
  const Shadow first = containers_.length(inputs[0]), second = containers_.length(inputs[1]);
  if (!first && !second) return nullptr;
  const auto count = [](const c10::IValue& list, const Shadow& shadow) {
    return shadow ? shadow->expr : ir::Dim(static_cast<int64_t>(list.toListRef().size()));
  };
  return size_of(count(inputs[0], first) + count(inputs[1], second));
}

void Interpreter::shadow_containers(const std::string& name, const Stack& inputs,
                                    const std::vector<Shadow>& shadows, const c10::IValue& result) {
  if (inputs.empty()) return;
  if (name == "aten::append" && inputs[0].isList()) {
    std::vector<Shadow> elements = containers_.find(inputs[0]);
    elements.resize(inputs[0].toListRef().size());
    elements.back() = shadows[1];
    containers_.set(inputs[0], std::move(elements));
    const Shadow length = containers_.length(inputs[0]);
    if (length && changed_lists_.empty())
      containers_.set_length(inputs[0], size_of(length->expr + ir::Dim(1)));
  } else if (name == "aten::_set_item" && inputs[0].isList()) {
    std::vector<Shadow> elements = containers_.find(inputs[0]);
    elements.resize(inputs[0].toListRef().size());
    const int64_t at = from_front(inputs[1].toInt(), static_cast<int64_t>(elements.size()));
    elements.at(static_cast<size_t>(at)) = shadows[2];
    containers_.set(inputs[0], std::move(elements));
  } else if (scrambles_list(name)) {
    containers_.drop(inputs[0]);
  } else if (result.isList()) {
    shadow_new_list(name, inputs, result);
    if (!result.is(inputs[0])) containers_.set_length(result, length_shadow(name, inputs));
  }
}

}  // namespace t2n::trace

// SPDX-License-Identifier: Apache-2.0
// Guards of division, strings and lists.
#include <ATen/ExpandUtils.h>
#include <ATen/core/jit_type.h>

#include <algorithm>
#include <limits>

#include "src/frontend/load/elements.h"
#include "src/frontend/load/guard_rows.h"

namespace t2n::trace {
namespace {

// Division: -2^63 / -1 does not fit into 64 bits, and the processor raises an exception.

bool overflows(int64_t a, int64_t b) { return a == std::numeric_limits<int64_t>::min() && b == -1; }

void divide_ints(const Operands& in) {
  if (in.size() >= 2 && in[1].isInt() && in[1].toInt() == 0)
    throw Error("forward-failed", "an integer is divided by zero", {},
                "do the sample inputs fit the model? `t2nnef inspect` shows its arguments");
  if (in.size() >= 2 && in[0].isInt() && in[1].isInt() && overflows(in[0].toInt(), in[1].toInt()))
    in.refuse("it divides the least integer by -1");
}

bool is_integer(const c10::IValue& value) {
  if (value.isInt()) return true;
  return value.isTensor() && value.toTensor().defined() &&
         at::isIntegralType(value.toTensor().scalar_type(), true);
}

/// Booleans: which elements are `number`. A number that the dtype does not hold would be compared
/// as another one.
at::Tensor where_equal(const c10::IValue& value, int64_t number) {
  if (value.isInt()) return at::scalar_tensor(value.toInt() == number, at::kBool);
  return value.toTensor().eq(number);
}

bool is_long(const c10::IValue& value) {
  return value.isInt() || value.toTensor().scalar_type() == at::kLong;
}

/// Only i32 and i64 are not divided in a wider dtype. A number takes the dtype of a tensor.
void divide_tensors(const Operands& in) {
  if (in.size() < 2 || !is_integer(in[0]) || !is_integer(in[1])) return;
  if (!in[1].isInt() && !at::isSignedType(in[1].toTensor().scalar_type())) return;
  if (in[0].isTensor() && in[1].isTensor() &&
      !at::are_expandable(in[0].toTensor().sizes(), in[1].toTensor().sizes()))
    return;  // the operator says so
  const bool is_wide = is_long(in[0]);
  if (!is_wide && in[0].toTensor().scalar_type() != at::kInt) return;
  at::Tensor is_least = where_equal(in[0], std::numeric_limits<int32_t>::min());
  if (is_wide)
    is_least = is_least.logical_or(where_equal(in[0], std::numeric_limits<int64_t>::min()));
  if (is_least.logical_and(where_equal(in[1], -1)).any().item<bool>())
    in.refuse("it divides the least integer by -1");
}

void factorial(const Operands& in) {
  in.require(in[0].toInt() <= 1000, "the factorial of a number this large does not end");
}

// Size limits of strings and lists.

constexpr long long kMaxTextSize = 1LL << 26;
constexpr long long kMaxList = 1LL << 24;

void check_text(const Operands& in, double size) {
  if (size > static_cast<double>(kMaxTextSize)) in.limit("a text", kMaxTextSize);
}

double text_size(const c10::IValue& value) {
  return value.isString() ? static_cast<double>(value.toStringRef().size()) : 0;
}

void widen(const Operands& in) { check_text(in, static_cast<double>(in.integer("width", 0))); }

void expand_tabs(const Operands& in) {
  check_text(
      in, text_size(in[0]) * static_cast<double>(std::max<int64_t>(1, in.integer("tabsize", 8))));
}

void join_texts(const Operands& in) {
  double sum = 0;
  for (const c10::IValue& each : in[1].toListRef()) sum += text_size(each) + text_size(in[0]);
  check_text(in, sum);
}

void add_texts(const Operands& in) { check_text(in, text_size(in[0]) + text_size(in[1])); }

void replace_text(const Operands& in) {
  const std::string* old = in.text("old");
  const std::string* replacement = in.text("new");
  if (old == nullptr || replacement == nullptr) return;
  const double times = text_size(in[0]) / static_cast<double>(std::max<size_t>(1, old->size())) + 1;
  check_text(in, text_size(in[0]) + times * static_cast<double>(replacement->size()));
}

void check_list(const Operands& in, double size) {
  if (size > static_cast<double>(kMaxList)) in.limit("a list", kMaxList);
}

double list_size(const c10::IValue& value) {
  return value.isList() ? static_cast<double>(value.toListRef().size()) : 0;
}

void repeat_list(const Operands& in) {
  const c10::IValue& list = in[0].isList() ? in[0] : in[1];
  const c10::IValue& times = in[0].isList() ? in[1] : in[0];
  check_list(in, list_size(list) * static_cast<double>(std::max<int64_t>(0, times.toInt())));
}

void join_lists(const Operands& in) { check_list(in, list_size(in[0]) + list_size(in[1])); }
void range_list(const Operands& in) { check_list(in, static_cast<double>(in[0].toInt())); }
void tensor_list(const Operands& in) {
  const at::Tensor tensor = in.tensor("self");
  if (tensor.defined()) check_list(in, static_cast<double>(tensor.numel()));
}

/// Whether the text of a value contains an address, as that of an object does.
bool shows_address(const c10::IValue& value, int depth) {
  if (value.isNone() || value.isTensor() || value.isScalar() || value.isString() ||
      value.isDevice() || value.isEnum())
    return false;
  if (depth > 100) return true;
  const auto inner = [&](const c10::IValue& each) { return shows_address(each, depth + 1); };
  if (value.isList()) {
    const auto list = value.toListRef();
    return std::any_of(list.begin(), list.end(), inner);
  }
  if (value.isTuple()) {
    const auto& elements = value.toTupleRef().elements();
    return std::any_of(elements.begin(), elements.end(), inner);
  }
  if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict())
      if (inner(entry.key()) || inner(entry.value())) return true;
    return false;
  }
  return true;
}

/// An upper bound for the length of a value's text.
double shown_size(const c10::IValue& value, int depth) {
  if (value.isString()) return text_size(value);
  if (depth > 100) return static_cast<double>(kMaxTextSize) + 1;
  double sum = 32;
  if (value.isTensor() && value.toTensor().defined())
    return 32 * static_cast<double>(value.toTensor().numel());
  if (!value.isObject())
    for_each_part(value, [&](const c10::IValue& each) { sum += shown_size(each, depth + 1); });
  return sum;
}

void show_values(const Operands& in) {
  double sum = 0;
  // These take any number of operands, and the operand count as an extra one.
  const torch::jit::Stack& stack = in.stack();
  if (stack.empty() || !stack.back().isInt()) return;
  const size_t end = stack.size() - 1;
  const size_t count =
      std::min(end, static_cast<size_t>(std::max<int64_t>(0, stack.back().toInt())));
  for (size_t i = end - count; i < end; ++i) {
    if (shows_address(stack[i], 0)) in.refuse("the text of an object is its address in memory");
    sum += shown_size(stack[i], 0);
    check_text(in, sum);
  }
}

void show_value(const Operands& in) {
  if (shows_address(in[0], 0)) in.refuse("the text of an object is its address in memory");
  check_text(in, shown_size(in[0], 0));
}

/// Whether a value contains objects, which LibTorch's interpreter compares by a method of theirs.
bool has_object(const c10::IValue& value, int depth) {
  if (value.isObject() || depth > 100) return true;
  if (!value.isTuple()) return false;
  const auto& elements = value.toTupleRef().elements();
  return std::any_of(elements.begin(), elements.end(),
                     [&](const c10::IValue& each) { return has_object(each, depth + 1); });
}

void compare_objects(const Operands& in) {
  if (!in[0].isList()) return;
  for (const c10::IValue& each : in[0].toListRef())
    if (has_object(each, 0))
      throw Error("unsupported-op", "the model sorts objects by a method of their class",
                  "LibTorch would call it, and what it does could not be followed",
                  "sort numbers or tensors");
}

constexpr GuardRow kValueRows[] = {
    {"aten::floordiv.int", divide_ints},
    {"aten::floordiv", divide_ints},
    {"aten::remainder.int", divide_ints},
    {"aten::remainder", divide_tensors},
    {"aten::remainder_", divide_tensors},
    {"aten::divmod.int", divide_ints},
    {"aten::fmod", divide_tensors},
    {"aten::fmod_", divide_tensors},
    {"aten::mathremainder", divide_ints},
    {"aten::__round_to_zero_floordiv", divide_ints},
    {"aten::floor_divide", divide_tensors},
    {"aten::floor_divide_", divide_tensors},
    {"aten::div.Tensor_mode", divide_tensors},
    {"aten::div.Scalar_mode", divide_tensors},
    {"aten::div.out_mode", divide_tensors},
    {"aten::div_.Tensor_mode", divide_tensors},
    {"aten::div_.Scalar_mode", divide_tensors},
    {"aten::divide.Tensor_mode", divide_tensors},
    {"aten::divide.Scalar_mode", divide_tensors},
    {"aten::divide.out_mode", divide_tensors},
    {"aten::divide_.Tensor_mode", divide_tensors},
    {"aten::divide_.Scalar_mode", divide_tensors},
    {"aten::factorial", factorial},
    {"aten::ljust", widen},
    {"aten::rjust", widen},
    {"aten::center", widen},
    {"aten::zfill", widen},
    {"aten::expandtabs", expand_tabs},
    {"aten::join", join_texts},
    {"aten::add.str", add_texts},
    {"aten::replace", replace_text},
    {"aten::mul.left_t", repeat_list},
    {"aten::mul.right_", repeat_list},
    {"aten::mul_.t", repeat_list},
    {"aten::add.t", join_lists},
    {"aten::add_.t", join_lists},
    {"aten::extend.t", join_lists},
    {"prim::rangelist", range_list},
    {"aten::_tensor_to_list", tensor_list},
    {"aten::str", show_value},
    {"aten::format", show_values},
    {"aten::percentFormat", show_values},
    {"aten::sort", compare_objects},
    {"aten::sorted", compare_objects},
};

}  // namespace

std::span<const GuardRow> guards_of_values() { return kValueRows; }

}  // namespace t2n::trace

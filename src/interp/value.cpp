// SPDX-License-Identifier: Apache-2.0
#include "src/interp/value.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>

#include "src/diag/error.h"
#include "src/frontend/load/convert.h"
#include "src/limits/limits.h"

namespace t2n::interp {
namespace {

std::string element_type_text(const at::Tensor& tensor) {
  const auto dtype = trace::from_torch(tensor.scalar_type());
  return dtype ? std::string(ir::dtype_name(*dtype)) : c10::toString(tensor.scalar_type());
}

const at::Tensor* single_element(const Value& value) {
  const at::Tensor* const tensor = value.get<at::Tensor>();
  return tensor != nullptr && tensor->numel() == 1 ? tensor : nullptr;
}

at::Tensor stacked(const Values& items) {
  Tensors out;
  for (const Value& item : items) out.push_back(to_tensor(item));
  return out.empty() ? at::zeros({0}) : at::stack(out);
}

[[noreturn]] void expected(std::string_view what, const Value& value) {
  fail(cat("expected ", what, ", found ", described(value)));
}

}  // namespace

void fail(std::string message, std::string why, std::string help) {
  throw Error("engine-failed", std::move(message), std::move(why), std::move(help));
}

void fail_length(size_t index, size_t count) {
  throw Error("nnef-invalid",
              cat("a list of ", count, count == 1 ? " item" : " items", " has no item ", index),
              "an argument or an operand has too few items or axes");
}

std::string shape_text(at::IntArrayRef sizes) {
  std::string out = "[";
  for (const int64_t size : sizes) out += cat(out.size() > 1 ? "," : "", size);
  return out + "]";
}

std::string described(const Value& value) {
  if (const auto* tensor = value.get<at::Tensor>())
    return cat("a tensor of ", element_type_text(*tensor), " ", shape_text(tensor->sizes()));
  if (const auto* integer = value.get<int64_t>()) return cat("the integer ", *integer);
  if (const auto* scalar = value.get<double>()) return cat("the scalar ", *scalar);
  if (const auto* logical = value.get<bool>()) return *logical ? "true" : "false";
  if (const auto* text = value.get<std::string>()) return cat("the string ", quoted(*text));
  if (const auto* items = value.get<Values>()) return cat("an array of ", items->size());
  return "nothing";
}

bool is_constant(const Value& value) {
  const auto* items = value.get<Values>();
  if (items == nullptr) return value.constant;
  return std::all_of(items->begin(), items->end(), is_constant);
}

at::Tensor to_tensor(const Value& value) {
  if (const auto* tensor = value.get<at::Tensor>()) return *tensor;
  if (const auto* integer = value.get<int64_t>()) return at::scalar_tensor(*integer, at::kLong);
  if (const auto* scalar = value.get<double>()) return at::scalar_tensor(*scalar, at::kFloat);
  if (const auto* logical = value.get<bool>()) return at::scalar_tensor(*logical, at::kBool);
  if (const auto* items = value.get<Values>()) return stacked(*items);
  expected("a tensor", value);
}

int64_t to_integer(const Value& value) {
  if (const auto* integer = value.get<int64_t>()) return *integer;
  const at::Tensor* const tensor = single_element(value);
  if (tensor != nullptr && at::isIntegralType(tensor->scalar_type(), /*includeBool=*/false))
    return tensor->item<int64_t>();
  expected("an integer", value);
}

double to_scalar(const Value& value) {
  if (const auto* scalar = value.get<double>()) return *scalar;
  if (const auto* integer = value.get<int64_t>()) return static_cast<double>(*integer);
  if (const at::Tensor* const tensor = single_element(value)) return tensor->item<double>();
  expected("a scalar", value);
}

bool to_logical(const Value& value) {
  if (const auto* logical = value.get<bool>()) return *logical;
  const at::Tensor* const tensor = single_element(value);
  if (tensor != nullptr && tensor->scalar_type() == at::kBool) return tensor->item<bool>();
  expected("a logical", value);
}

const std::string& to_string(const Value& value) {
  if (const auto* text = value.get<std::string>()) return *text;
  expected("a string", value);
}

Values to_items(const Value& value) {
  if (const auto* items = value.get<Values>()) return *items;
  const auto* tensor = value.get<at::Tensor>();
  if (tensor == nullptr || tensor->dim() != 1) expected("an array", value);
  if (tensor->numel() > limits::kItems)
    throw Error("nnef-limit", cat("an array of more than ", limits::kItems, " items"));
  Values out;
  for (const at::Tensor& item : tensor->unbind()) out.emplace_back(item, value.constant);
  return out;
}

}  // namespace t2n::interp

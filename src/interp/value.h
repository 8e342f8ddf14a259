// SPDX-License-Identifier: Apache-2.0
// The value of an NNEF expression.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "src/interp/checked.h"

namespace t2n::interp {

using Ints = Checked<int64_t>;
using Tensors = Checked<at::Tensor>;

struct Value;
/// An array or a tuple.
using Values = Checked<Value>;

/// Parameters of a quantised tract tensor: float = (integer - zero_point) * scale.
struct Quantisation {
  double scale = 1;
  int64_t zero_point = 0;
};

/// A tensor or a primitive. Dimensions are integers, as every symbol has a number at run time.
struct Value {
  std::variant<std::monostate, at::Tensor, int64_t, double, bool, std::string, Values> data;
  /// Depends on no input: tract casts such operands to the other side's dtype.
  bool constant = true;
  std::optional<Quantisation> quantisation = {};  ///< of tensors of i8, u8 and i32

  Value() = default;
  template <typename T>
  requires(!std::is_same_v<T, Value>)
      Value(T item, bool is_constant = true)  // NOLINT: values are values
      : data(std::move(item)), constant(is_constant) {}

  template <typename T>
  const T* get() const {
    return std::get_if<T>(&data);
  }
  bool is_tensor() const { return get<at::Tensor>() != nullptr; }
  bool is_absent() const { return get<std::monostate>() != nullptr; }
};

// All of these throw `engine-failed` with a description of the value.

/// Integers, scalars and logicals become tensors of rank 0: i64, f32, bool; arrays of rank 1.
at::Tensor to_tensor(const Value& value);
/// An integer, or an integer tensor of one element.
int64_t to_integer(const Value& value);
/// A scalar or an integer, or a tensor of one element.
double to_scalar(const Value& value);
bool to_logical(const Value& value);
const std::string& to_string(const Value& value);
/// Items of an array or tuple; those of a tensor of rank 1 are its elements.
Values to_items(const Value& value);

/// Whether the value depends on no input.
bool is_constant(const Value& value);

/// "a tensor of f32 [2,3]", "the integer 3", for messages.
std::string described(const Value& value);

/// "[2,3]"
std::string shape_text(at::IntArrayRef sizes);

/// Throws Error `engine-failed`; the evaluator adds the statement.
[[noreturn]] void fail(std::string message, std::string why = {}, std::string help = {});

}  // namespace t2n::interp

// SPDX-License-Identifier: Apache-2.0
// Arguments of an operation: tensors by reference, or plain values of the kinds in TorchScript
// schemas.
#pragma once

#include <complex>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ir/dtype.h"
#include "ir/shape.h"

namespace t2n::ir {

/// Index of a value in its graph. kNoValue stands for an absent tensor (an empty `Tensor?`).
using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;

struct None {
  friend bool operator==(None, None) { return true; }
};

struct TensorRef {
  ValueId id = kNoValue;
  friend bool operator==(TensorRef, TensorRef) = default;
};

/// A tensor list; `Tensor?[]` may hold kNoValue.
struct TensorRefs {
  std::vector<ValueId> ids;
  friend bool operator==(const TensorRefs&, const TensorRefs&) = default;
};

using Attr = std::variant<None, TensorRef, TensorRefs, Dim, double, bool, std::complex<double>,
                          std::string, DType, std::vector<Dim>, std::vector<double>,
                          std::vector<bool>, std::vector<std::string>>;

/// An argument with its schema name.
struct Argument {
  std::string name;
  Attr value;
};

/// "none", "%x", "[%a, none]", "3", "[1, S]", "1.5", "true", "\"same\"", "f32".
/// `value_name` turns an id into the text after '%'.
std::string attr_str(const Attr& attr, const std::function<std::string(ValueId)>& value_name);

/// The integers in an argument: one, those of a list, or none.
std::span<const Dim> dims(const Attr& attr);
std::span<Dim> dims(Attr& attr);
/// Whether one of them is not a plain number.
bool is_symbolic(const Attr& attr);

/// Calls `visit` for every tensor that the attribute refers to, except absent ones.
template <typename Visit>
void for_each_ref(const Attr& attr, Visit&& visit) {
  if (const auto* one = std::get_if<TensorRef>(&attr)) {
    if (one->id != kNoValue) visit(one->id);
  } else if (const auto* many = std::get_if<TensorRefs>(&attr)) {
    for (const ValueId id : many->ids)
      if (id != kNoValue) visit(id);
  }
}

/// The same for rewriting: `change` receives a reference to each id.
template <typename Change>
void change_refs(Attr& attr, Change&& change) {
  if (auto* one = std::get_if<TensorRef>(&attr)) {
    if (one->id != kNoValue) change(one->id);
  } else if (auto* many = std::get_if<TensorRefs>(&attr)) {
    for (ValueId& id : many->ids)
      if (id != kNoValue) change(id);
  }
}

}  // namespace t2n::ir

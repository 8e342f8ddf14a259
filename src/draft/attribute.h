// SPDX-License-Identifier: Apache-2.0
// Attributes of NNEF operations, made from plain values.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/draft/tensor_entry.h"
#include "src/nnef/ast.h"

namespace t2n::draft {

/// A named attribute. Integers always print as NNEF integers, doubles as scalars (`1.0`).
struct Attribute {
  std::string_view name;
  nnef::Value value;

  Attribute(std::string_view key, nnef::Value v) : name(key), value(std::move(v)) {}
  Attribute(std::string_view key, int64_t v) : Attribute(key, nnef::integer(v)) {}
  Attribute(std::string_view key, int v) : Attribute(key, nnef::integer(v)) {}
  Attribute(std::string_view key, double v) : Attribute(key, nnef::scalar(v)) {}
  Attribute(std::string_view key, bool v) : Attribute(key, nnef::logical(v)) {}
  Attribute(std::string_view key, const char* v) : Attribute(key, nnef::string(v)) {}
  Attribute(std::string_view key, const std::string& v) : Attribute(key, nnef::string(v)) {}
  Attribute(std::string_view key, const Ints& v);
  Attribute(std::string_view key, const Dim& v);
  Attribute(std::string_view key, const Shape& v);
  /// `[(before, after), …]`
  Attribute(std::string_view key, const std::vector<std::pair<int64_t, int64_t>>& v);
};
using Attributes = std::vector<Attribute>;

/// The attribute's value, or null.
const nnef::Value* find(const Attributes& attributes, std::string_view name);

/// An integer, or the dimension expression.
nnef::Value dim_value(const Dim& dim);

}  // namespace t2n::draft

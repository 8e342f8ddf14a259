// SPDX-License-Identifier: Apache-2.0
// Expressions of NNEF as data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/shape.h"

namespace t2n::nnef {

struct Value;
struct Argument;
struct Loop;
using Values = std::vector<Value>;

/// Kinds of an expression; those from binary to comprehension only occur in fragments.
enum class Kind {
  identifier,     ///< text
  reference,      ///< integer: a tensor of a draft, which has no final name yet
  integer,        ///< integer
  scalar,         ///< number; printed with '.' or 'e', reads back as the same f32 (f64: is_f64)
  logical,        ///< logical
  string,         ///< text
  array,          ///< items
  tuple,          ///< items
  invocation,     ///< text = operation, type = generic type or "", arguments
  binary,         ///< text = operator, items = {left, right}
  unary,          ///< text = operator, items = {operand}
  if_else,        ///< items = {condition, then, otherwise}
  subscript,      ///< items = {sequence, index}, or {sequence, begin, end} for ranges
  comprehension,  ///< `[for a in x, b in y if c yield e]`: loops, condition, items = {yield}
  dimension,      ///< dim: an expression over symbols such as `2*S + 1`, in a flat document
  none,           ///< absent (end of a subscript range)
};

struct Value {
  Kind kind = Kind::none;
  std::string text;
  std::string type;
  int64_t integer = 0;
  double number = 0;
  bool is_f64 = false;  ///< a scalar that needs f64 precision in print
  bool logical = false;
  Values items;
  std::vector<Argument> arguments;
  std::vector<Loop> loops;
  ir::Dim dim;
  std::vector<Value> condition;  ///< empty or one, of a comprehension
};

/// `name = value`; positional if the name is empty.
struct Argument {
  std::string name;
  Value value;
};

struct Loop {
  std::string variable;
  Value sequence;
};

Value identifier(std::string name);
Value reference(int64_t id);
Value integer(int64_t value);
Value scalar(double value);
Value logical(bool value);
Value string(std::string text);
Value array(Values items);
Value tuple(Values items);
Value dimension(ir::Dim dim);  ///< an integer if it is constant
Value invocation(std::string operation, std::vector<Argument> arguments, std::string type = {});

}  // namespace t2n::nnef

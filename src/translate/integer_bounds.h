// SPDX-License-Identifier: Apache-2.0
// Ranges of integers, and the operands of an operation as ranges.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/node_args.h"

namespace t2n::ops {

/// f32 represents every integer up to this one: 2^24.
inline constexpr double kExactIntegers = 16777216;

struct Bounds {
  double low = 0;
  double high = 0;
};
inline Bounds operator+(Bounds a, Bounds b) { return {a.low + b.low, a.high + b.high}; }
Bounds operator*(Bounds a, Bounds b);
inline Bounds up_to(double magnitude) { return {-magnitude, magnitude}; }
double magnitude(Bounds b);
Bounds hull(Bounds a, Bounds b);
Bounds intersection(Bounds a, Bounds b);
double elements(const ir::Shape& shape);

/// Integers, and booleans as 0 and 1.
bool is_integral(ir::DType dtype);
Bounds limits_of(ir::DType dtype);

/// The operands of a node as ranges.
class OperandBounds {
 public:
  OperandBounds(const ir::Graph& graph, const ir::Node& node, const std::vector<Bounds>& known)
      : args_(graph, node), known_(known) {}

  /// A tensor, the hull of several, or a number; `otherwise` if the argument is none of these.
  Bounds at(std::string_view name, Bounds otherwise = {}) const;
  Bounds of(ir::ValueId id) const;
  bool has(std::string_view name) const { return args_.has_argument(name); }
  /// A string argument; "" if there is none.
  std::string text(std::string_view name) const;
  /// Whether the operator has that name, with any overload.
  bool is_called(std::string_view base_name) const;

  std::vector<ir::ValueId> tensors() const;
  const ir::Value& value(ir::ValueId id) const { return args_.value(id); }
  const ir::Value& output() const { return value(args_.node().outputs[0]); }
  const ir::Shape& shape(size_t operand) const { return value(tensors().at(operand)).shape; }
  /// The size of the axis that an argument names; of all axes if it names none.
  double axis_size(std::string_view name) const;
  /// An upper bound for indices and counts: the most elements of any operand or result, and the
  /// greatest integer among the arguments.
  double most() const;

 private:
  ir::NodeArgs args_;
  const std::vector<Bounds>& known_;
};

}  // namespace t2n::ops

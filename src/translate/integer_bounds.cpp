// SPDX-License-Identifier: Apache-2.0
#include "src/translate/integer_bounds.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "src/diag/error.h"

namespace t2n::ops {

double magnitude(Bounds b) { return std::max(std::abs(b.low), std::abs(b.high)); }

Bounds operator*(Bounds a, Bounds b) {
  const auto [low, high] =
      std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {low, high};
}

Bounds hull(Bounds a, Bounds b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

Bounds intersection(Bounds a, Bounds b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

bool is_integral(ir::DType dtype) { return ir::is_integer(dtype) || dtype == ir::DType::boolean; }

Bounds limits_of(ir::DType dtype) {
  const double range = std::exp2(8.0 * static_cast<double>(ir::dtype_size(dtype)));
  if (dtype == ir::DType::boolean) return {0, 1};
  const bool is_unsigned = dtype < ir::DType::i8;
  return is_unsigned ? Bounds{0, range - 1} : Bounds{-range / 2, range / 2 - 1};
}

double elements(const ir::Shape& shape) {
  double out = 1;
  for (const ir::Dim& dim : shape) out *= static_cast<double>(dim.value());
  return out;
}

Bounds OperandBounds::at(std::string_view name, Bounds otherwise) const {
  if (!has(name)) return otherwise;
  if (const auto number = args_.scalar(name)) return {*number, *number};
  std::optional<Bounds> all;
  ir::for_each_ref(args_.required(name),
                   [&](ir::ValueId id) { all = all ? hull(*all, of(id)) : of(id); });
  return all.value_or(otherwise);
}

Bounds OperandBounds::of(ir::ValueId id) const {
  return is_integral(value(id).dtype) ? known_[id] : Bounds{};
}

std::string OperandBounds::text(std::string_view name) const {
  const auto* text = std::get_if<std::string>(args_.argument(name));
  return text == nullptr ? "" : *text;
}

bool OperandBounds::is_called(std::string_view base_name) const {
  const std::string_view name = args_.op();
  return name == cat("aten::", base_name) || name.starts_with(cat("aten::", base_name, "."));
}

std::vector<ir::ValueId> OperandBounds::tensors() const {
  std::vector<ir::ValueId> out;
  ir::for_each_input(args_.node(), [&](ir::ValueId id) { out.push_back(id); });
  return out;
}

double OperandBounds::axis_size(std::string_view name) const {
  const ir::Shape& shape = this->shape(0);
  const auto* dim = std::get_if<ir::Dim>(args_.argument(name));
  if (dim == nullptr || shape.empty()) return elements(shape);
  return static_cast<double>(shape.at(ir::from_front(dim->value(), std::ssize(shape))).value());
}

double OperandBounds::most() const {
  double out = elements(output().shape);
  for (const ir::ValueId id : tensors()) out = std::max(out, elements(value(id).shape));
  for (const ir::Argument& argument : args_.node().args)
    if (const auto* number = std::get_if<ir::Dim>(&argument.value))
      out = std::max(out, std::abs(static_cast<double>(number->value())));
  return out;
}

}  // namespace t2n::ops

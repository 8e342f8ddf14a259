// Operations on geometry in strict NNEF; elements are unchanged.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "src/diag/error.h"
#include "src/nnef_ops/arith.h"
#include "src/nnef_ops/strict_call.h"

namespace t2n::strict {
namespace {

/// Operands of one type; integers stay `integer` only if all operands are.
std::vector<Ref> unified(Builder& out, const std::vector<Ref>& operands) {
  const bool is_uniform = std::all_of(operands.begin(), operands.end(), [&](Ref x) {
    return type_of(x) == type_of(operands[0]) && out.dtype(x) == out.dtype(operands[0]);
  });
  if (is_uniform) return operands;
  std::vector<Ref> numbers;
  for (const Ref x : operands) numbers.push_back(as_number(out, x));
  return numbers;
}

/// The same operation, with all attributes whose defaults differ between NNEF-Tools and tract.
std::vector<Ref> emit_same(const Call& call, Builder& out, std::string_view op,
                           const Attributes& attributes) {
  const std::vector<Ref> operands = unified(out, call.operands);
  const bool is_integer = type_of(operands.at(0)) == Type::integer;
  std::vector<TensorType> types;
  for (const TensorType& type : call.results)
    types.push_back(
        {is_integer || type.dtype == DType::boolean ? type.dtype : DType::f32, type.shape});
  std::vector<Ref> results =
      out.emit_all(op, operands, attributes, types, {.is_list = call.form.is_list});
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = retyped(out, results[i], call.results[i].dtype);
  return results;
}

std::vector<Ref> unchanged(const Call& call, Builder& out) {
  return emit_same(call, out, call.op, call.attributes);
}

/// By `concat` along an added axis: NNEF-Tools' converter to ONNX lacks `stack`.
std::vector<Ref> stack(const Call& call, Builder& out) {
  const int64_t axis = call.at("axis").integer;
  std::vector<Ref> parts;
  for (const Ref x : call.operands) parts.push_back(out.unsqueeze(x, {axis}));
  const Form list{.is_list = true};
  return emit_same({"concat", parts, call.attributes, call.results, list, {}}, out, "concat",
                   call.attributes);
}

/// NNEF-Tools only copies numbers.
std::vector<Ref> copy(const Call& call, Builder& out) {
  const Ref x = call.operands[0];
  if (x.dtype == DType::boolean) return {emit(out, "and", {x, x}, {}, call.result())};
  return unchanged(call, out);
}

std::vector<Ref> slice(const Call& call, Builder& out) {
  Attributes attributes = call.attributes;
  if (call.find("stride") == nullptr)
    attributes.emplace_back("stride", Ints(call.at("axes").items.size(), 1));
  return emit_same(call, out, call.op, attributes);
}

std::vector<Ref> broadcast(const Call& call, Builder& out) {
  Ref x = call.operands[0];
  const Shape& shape = call.result().shape;
  Ints added(shape.size() - out.shape(x).size());
  std::iota(added.begin(), added.end(), 0);
  x = out.unsqueeze(x, added);
  Ints repeats;
  for (size_t i = 0; i < shape.size(); ++i)
    repeats.push_back(shape[i].value() / std::max<int64_t>(out.shape(x)[i].value(), 1));
  const std::vector<Ref> operands = {x};
  const Attributes attributes = {{"repeats", repeats}};
  return emit_same({"tile", operands, attributes, call.results, {}, {}}, out, "tile", attributes);
}

using Padding = std::vector<std::pair<int64_t, int64_t>>;

/// Pads by concatenating blocks of one number.
Ref concat_padding(Builder& out, Ref x, const Padding& padding, double value) {
  for (int axis = 0; axis < out.rank(x); ++axis) {
    const auto [before, after] = padding[axis];
    std::vector<Ref> parts;
    const auto add_block = [&](int64_t n) {
      if (n > 0)
        parts.push_back(out.full(out.scalar(value, DType::f32), with_size(out.shape(x), axis, n)));
    };
    add_block(before);
    parts.push_back(x);
    add_block(after);
    x = out.concat(parts, axis);
  }
  return x;
}

/// Pads by gathering the entries of each axis.
Ref gather_padding(Builder& out, Ref x, const Padding& padding, bool is_reflected) {
  for (int axis = 0; axis < out.rank(x); ++axis) {
    const auto [before, after] = padding[axis];
    if (before == 0 && after == 0) continue;
    const int64_t n = extent(out, x, axis);
    std::vector<int64_t> entries;
    for (int64_t i = -before; i < n + after; ++i) {
      const int64_t gather_padding = i >= n ? 2 * (n - 1) - i : std::abs(i);
      entries.push_back(is_reflected ? gather_padding : std::clamp<int64_t>(i, 0, n - 1));
    }
    const Ref index = int_constant(out, entries, {n + before + after}, "border");
    x = out.call("tract_core_gather", {x, index}, {{"axis", axis}}, out.dtype(x),
                 with_size(out.shape(x), axis, n + before + after));
  }
  return x;
}

/// NNEF-Tools only pads spatial axes, of three to five in total, and with finite numbers.
bool is_supported_pad(const Padding& padding, double value) {
  const auto is_none = [](const auto& pair) { return pair.first == 0 && pair.second == 0; };
  return padding.size() >= 3 && padding.size() <= 5 && is_none(padding[0]) && is_none(padding[1]) &&
         std::isfinite(static_cast<float>(value));
}

std::vector<Ref> pad(const Call& call, Builder& out) {
  const TensorType& type = call.result();
  const Ref x = as_number(out, call.operands[0]);
  const Padding padding = call.pairs("padding");
  const std::string& border = call.at("border").text;
  const nnef::Value* number = call.find("value");
  const double value = number == nullptr ? 0.0 : number->number;
  if (border != "constant")
    return {retyped(out, gather_padding(out, x, padding, border == "reflect"), type.dtype)};
  if (!is_supported_pad(padding, value))
    return {retyped(out, concat_padding(out, x, padding, value), type.dtype)};
  const Ref y = emit(out, "pad", {x}, call.attributes, {DType::f32, type.shape});
  return {retyped(out, y, type.dtype)};
}

/// The upper or lower triangle; a product with zeros would keep NaN.
std::vector<Ref> triangle(const Call& call, Builder& out) {
  const Ref x = call.operands[0];
  const int rank = out.rank(x);
  const Shape& shape = call.result().shape;
  const Dim rows = shape.at(shape.size() - 2), columns = shape.back();
  const bool is_upper = call.at("upper").logical;
  const int64_t k = call.at("k").integer;
  std::vector<int64_t> keeps;
  for (int64_t row = 0; row < rows.value(); ++row)
    for (int64_t column = 0; column < columns.value(); ++column)
      keeps.push_back(is_upper ? column - row >= k : column - row <= k);
  Ints mask_shape(static_cast<size_t>(rank), 1);
  mask_shape[rank - 2] = rows.value();
  mask_shape.back() = columns.value();
  const Ref mask = out.constant(ir::tensor_of(DType::boolean, mask_shape, keeps), "triangle");
  const bool is_logical = out.dtype(x) == DType::boolean;
  return {is_logical ? logical_and(out, mask, x) : select(out, mask, x, out.scalar(0.0, x.dtype))};
}

}  // namespace

std::vector<RuleRow> shape_rules() {
  return {{"reshape", unchanged},
          {"squeeze", unchanged},
          {"unsqueeze", unchanged},
          {"transpose", unchanged},
          {"concat", unchanged},
          {"stack", stack},
          {"unstack", unchanged},
          {"split", unchanged},
          {"tile", unchanged},
          {"copy", copy},
          {"slice", slice},
          {"tract_core_broadcast", broadcast},
          {"pad", pad},
          {"tract_core_trilu", triangle}};
}

}  // namespace t2n::strict

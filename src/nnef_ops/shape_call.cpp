// SPDX-License-Identifier: Apache-2.0
// Arguments of a call as plain numbers, and checks and rules that many operations share.
#include "src/nnef_ops/shape_call.h"

#include <algorithm>
#include <limits>

namespace t2n::nnef_ops {

using nnef::Kind;
using nnef::Value;

namespace {

/// The shape of nested numbers; all rows must have equal lengths.
Ints array_shape(const Value& value) {
  if (value.kind != Kind::array) return {};
  Ints out = value.items.empty() ? Ints{} : array_shape(value.items[0]);
  out.insert(out.begin(), static_cast<int64_t>(value.items.size()));
  return out;
}

bool fits(int64_t number) {
  return number >= std::numeric_limits<int32_t>::min() &&
         number <= std::numeric_limits<int32_t>::max();
}

/// Beyond 32 bits, readers silently wrap numbers; within, no formula overflows 64 bits.
void check_numbers(const std::string& operation, const Value& value) {
  if (value.kind == Kind::integer && !fits(value.integer))
    throw Error("nnef-invalid",
                cat(quoted(operation), ": the integer ", value.integer, " does not fit 32 bits"));
  for (const Value& item : value.items) check_numbers(operation, item);
}

void check_extents(const std::string& operation, const Shapes& shapes) {
  for (const Ints& shape : shapes)
    for (const int64_t extent : shape)
      if (!fits(extent))
        throw Error("nnef-invalid", cat(quoted(operation), ": the extent ", extent,
                                        " of its result does not fit 32 bits"));
}

bool is_known(const Value& value, const ShapeOf& shape_of) {
  if (value.kind == Kind::identifier) return shape_of(value.text) != nullptr;
  for (const Value& item : value.items)
    if (!is_known(item, shape_of)) return false;
  return true;
}

}  // namespace

Ints ShapeCall::shape_of(const Value& value) const {
  if (value.kind == Kind::array) return array_shape(value);
  if (value.kind != Kind::identifier) return {};
  const Ints* const found = shape_of_(value.text);
  T2N_ASSERT(found != nullptr, "no shape of ", value.text);
  return *found;
}

std::optional<Ints> ShapeCall::numbers_of(std::string_view parameter) const {
  const Value* const found = find(parameter);
  if (found == nullptr || found->kind != Kind::array) return {};
  for (const Value& item : found->items)
    if (item.kind != Kind::integer) return {};
  return ints(parameter);
}

std::optional<int64_t> ShapeCall::number_of(std::string_view parameter) const {
  const Value* const found = find(parameter);
  const bool is_number = found != nullptr && found->kind == Kind::integer;
  return is_number ? std::optional(found->integer) : std::nullopt;
}

Shapes ShapeCall::shapes(std::string_view parameter) const {
  Shapes out;
  for (const Value& item : value(parameter).items) out.push_back(shape_of(item));
  return out;
}

Shapes ShapeCall::operand_shapes() const {
  Shapes out;
  for (size_t i = 0; i < arguments().size(); ++i)
    if (const std::string& type = declaration().parameters[i].type;
        type.starts_with("tensor<") && !type.ends_with("]"))
      out.push_back(shape_of(*arguments()[i]));
  return out;
}

Ints ShapeCall::positive(std::string_view parameter, size_t count) const {
  Ints out = ints(parameter);
  require(out.size() == count, quoted(parameter), " has ", out.size(), " numbers, and ", count,
          " are needed");
  for (const int64_t item : out)
    require(item > 0, quoted(parameter), " is ", shape_text(out), ", and must be positive");
  return out;
}

Ints ShapeCall::axes(std::string_view parameter, size_t rank) const {
  const Ints out = ints(parameter);
  std::vector<bool> seen(rank, false);
  for (const int64_t item : out) {
    require(item >= 0 && item < static_cast<int64_t>(rank), quoted(parameter), " names axis ", item,
            " of a tensor with ", rank, " axes");
    require(!seen[item], quoted(parameter), " names axis ", item, " twice");
    seen[item] = true;
  }
  return out;
}

size_t ShapeCall::axis(std::string_view parameter, size_t rank) const {
  const int64_t out = integer(parameter);
  require(out >= 0 && out < static_cast<int64_t>(rank), quoted(parameter), " is ", out,
          " for a tensor with ", rank, " axes");
  return out;
}

void ShapeCall::one_of(std::string_view parameter,
                       std::span<const std::string_view> allowed) const {
  const std::string& actual = text(parameter);
  if (std::find(allowed.begin(), allowed.end(), actual) != allowed.end()) return;
  std::string known;
  for (const std::string_view each : allowed) known += cat(known.empty() ? "" : ", ", quoted(each));
  refuse(quoted(parameter), " is ", quoted(actual), ", and can be ", known);
}

void check_reflection(const ShapeCall& call, size_t axis, int64_t extent,
                      std::pair<int64_t, int64_t> padding) {
  const std::string& border = call.text("border");
  if (!border.starts_with("reflect")) return;
  const int64_t limit = extent - (border == "reflect" ? 1 : 0);
  call.require(padding.first <= limit && padding.second <= limit, "axis ", axis, " of extent ",
               extent, " is padded by (", padding.first, ", ", padding.second,
               "), more than can be reflected");
}

std::ostream& operator<<(std::ostream& out, const ShapeText& text) {
  return out << ir::shape_str(ir::to_shape(text.shape));
}

Ints broadcast(const ShapeCall& call, const Ints& a, const Ints& b) {
  Ints out = a.size() >= b.size() ? a : b;
  const Ints& shorter = a.size() >= b.size() ? b : a;
  for (size_t i = 0; i < shorter.size(); ++i) {
    if (out[i] == shorter[i] || shorter[i] == 1) continue;
    call.require(out[i] == 1, "the shapes ", shape_text(a), " and ", shape_text(b),
                 " do not broadcast: axes are matched from the first on");
    out[i] = shorter[i];
  }
  return out;
}

bool broadcasts_to(const Ints& from, const Ints& to) {
  if (from.size() > to.size()) return false;
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] != 1 && from[i] != to[i]) return false;
  return true;
}

int64_t product(int64_t a, int64_t b) {
  int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::numeric_limits<int64_t>::max() : out;
}

int64_t volume(const Ints& sizes) {
  int64_t out = 1;
  for (const int64_t size : sizes) out = product(out, size);
  return out;
}

Shapes unary_shape(const ShapeCall& call) { return {call.first_shape()}; }

Shapes broadcast_shape(const ShapeCall& call) {
  Ints out;
  for (const Ints& shape : call.operand_shapes()) out = broadcast(call, out, shape);
  return {out};
}

Shapes over_first_shape(const ShapeCall& call) {
  const Shapes shapes = call.operand_shapes();
  for (const Ints& shape : shapes)
    call.require(broadcasts_to(shape, shapes[0]), "the shape ", shape_text(shape),
                 " does not broadcast to ", shape_text(shapes[0]));
  return {shapes[0]};
}

std::optional<Shapes> infer_shapes(const spec::BoundCall& call, const ShapeOf& shape_of) {
  const ShapeRule rule = book().at(call.operation()).standard;
  T2N_ASSERT(rule != nullptr, "no shape rule for ", call.operation());
  for (const Value* argument : call.arguments()) check_numbers(call.operation(), *argument);
  for (const Value* argument : call.arguments())
    if (!is_known(*argument, shape_of)) return std::nullopt;
  Shapes out = rule(ShapeCall(call, shape_of));
  check_extents(call.operation(), out);
  return out;
}

}  // namespace t2n::nnef_ops

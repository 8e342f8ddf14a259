// Arguments of a call as plain numbers, and checks that many operations share.
#include "src/nnef_ops/shape_call.h"

#include <algorithm>
#include <limits>

namespace t2n::spec {

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

}  // namespace

const Value& ShapeCall::value(std::string_view parameter) const {
  const Value* const found = argument(declaration_, arguments_, parameter);
  T2N_ASSERT(found != nullptr, declaration_.name, " lacks ", parameter);
  return *found;
}

Ints ShapeCall::shape_of(const Value& value) const {
  if (value.kind == Kind::array) return array_shape(value);
  if (value.kind != Kind::identifier) return {};
  const Ints* const found = shape_of_(value.text);
  T2N_ASSERT(found != nullptr, "no shape of ", value.text);
  return *found;
}

std::optional<Ints> ShapeCall::numbers_of(std::string_view parameter) const {
  const Value* const found = argument(declaration_, arguments_, parameter);
  if (found == nullptr || found->kind != Kind::array) return {};
  for (const Value& item : found->items)
    if (item.kind != Kind::integer) return {};
  return ints(parameter);
}

std::optional<int64_t> ShapeCall::number_of(std::string_view parameter) const {
  const Value* const found = argument(declaration_, arguments_, parameter);
  const bool is_number = found != nullptr && found->kind == Kind::integer;
  return is_number ? std::optional(found->integer) : std::nullopt;
}

Ints ShapeCall::shape(std::string_view parameter) const { return shape_of(value(parameter)); }

Shapes ShapeCall::shapes(std::string_view parameter) const {
  Shapes out;
  for (const Value& item : value(parameter).items) out.push_back(shape_of(item));
  return out;
}

Shapes ShapeCall::operand_shapes() const {
  Shapes out;
  for (size_t i = 0; i < arguments_.size(); ++i)
    if (declaration_.parameters[i].type.starts_with("tensor<") &&
        !declaration_.parameters[i].type.ends_with("]"))
      out.push_back(shape_of(*arguments_[i]));
  return out;
}

int64_t ShapeCall::integer(std::string_view parameter) const { return value(parameter).integer; }
double ShapeCall::number(std::string_view parameter) const { return value(parameter).number; }
bool ShapeCall::flag(std::string_view parameter) const { return value(parameter).logical; }
const std::string& ShapeCall::text(std::string_view parameter) const {
  return value(parameter).text;
}

Ints ShapeCall::ints(std::string_view parameter) const {
  Ints out;
  for (const Value& item : value(parameter).items) out.push_back(item.integer);
  return out;
}

Pairs ShapeCall::pairs(std::string_view parameter) const {
  Pairs out;
  for (const Value& item : value(parameter).items)
    out.emplace_back(item.items[0].integer, item.items[1].integer);
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

}  // namespace t2n::spec

#include "src/interp/tract_support.h"

#include <algorithm>
#include <cctype>
#include <tuple>

namespace t2n::interp {
namespace {

struct DTypeRow {
  const char* name;
  at::ScalarType dtype;
};
constexpr DTypeRow kDTypes[] = {
    {"bool", at::kBool},  {"u8", at::kByte},  {"u16", at::kUInt16}, {"u32", at::kUInt32},
    {"u64", at::kUInt64}, {"i8", at::kChar},  {"i16", at::kShort},  {"i32", at::kInt},
    {"i64", at::kLong},   {"f16", at::kHalf}, {"f32", at::kFloat},  {"f64", at::kDouble},
    {"tdim", at::kLong},
};

bool holds(at::ScalarType wide, at::ScalarType narrow) {
  const bool same_kind = at::isFloatingType(wide) == at::isFloatingType(narrow) &&
                         wide != at::kBool && narrow != at::kBool &&
                         at::isSignedType(wide) == at::isSignedType(narrow);
  return same_kind && at::elementSize(wide) >= at::elementSize(narrow);
}

}  // namespace

int64_t axis_of(const Call& call, std::string_view name, int64_t rank) {
  const int64_t axis = call.i64(name);
  if (axis >= 0 && axis < rank) return axis;
  fail(cat("there is no axis ", axis), cat("the rank is ", rank));
}

std::vector<int64_t> axes_of(const Call& call, std::string_view name, int64_t rank) {
  std::vector<int64_t> axes = call.ints(name);
  for (const int64_t axis : axes)
    if (axis < 0 || axis >= rank) fail(cat("there is no axis ", axis), cat("the rank is ", rank));
  std::sort(axes.begin(), axes.end());
  return axes;
}

at::ScalarType dtype_named(const std::string& name) {
  std::string lower = name;
  for (char& letter : lower)
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  for (const DTypeRow& row : kDTypes)
    if (lower == row.name) return row.dtype;
  fail(cat("there is no type ", quoted(name)));
}

std::string dtype_text(at::ScalarType dtype) {
  for (const DTypeRow& row : kDTypes)
    if (dtype == row.dtype) return row.name;
  return c10::toString(dtype);
}

void require_dtype(const at::Tensor& tensor, std::initializer_list<at::ScalarType> known) {
  if (std::find(known.begin(), known.end(), tensor.scalar_type()) != known.end()) return;
  std::string names;
  for (const at::ScalarType each : known) names += (names.empty() ? "" : ", ") + dtype_text(each);
  fail(cat("it does not take ", dtype_text(tensor.scalar_type())), cat("it takes ", names));
}

at::Tensor half_or_float(const Call& call, std::string_view name) {
  at::Tensor out = call.tensor(name);
  require_dtype(out, {at::kHalf, at::kFloat});
  return out;
}

void require_whole(const at::Tensor& tensor, bool or_bool) {
  if (at::isIntegralType(tensor.scalar_type(), or_bool)) return;
  fail(cat("it does not take ", dtype_text(tensor.scalar_type())),
       or_bool ? "it takes integers and bool" : "it takes integers");
}

std::pair<at::Tensor, at::Tensor> operands(const Call& call) {
  at::Tensor x = call.tensor("x"), y = call.tensor("y");
  for (const char* name : {"x", "y"})
    if (call.value(name).get<int64_t>() != nullptr)
      fail("tract takes an integer literal for a dimension, which has no bits", "",
           "cast it: tract_core_cast(3, to='i64')");
  const auto literal = [](const Value& value) { return value.constant; };
  if (x.scalar_type() != y.scalar_type()) {
    if (literal(call.value("x")) != literal(call.value("y"))) {
      if (literal(call.value("x"))) x = x.to(y.scalar_type());
      y = y.to(x.scalar_type());
    } else {
      std::tie(x, y) = common_dtype(call, "x", "y");
    }
  }
  while (x.dim() < y.dim()) x = x.unsqueeze(-1);
  while (y.dim() < x.dim()) y = y.unsqueeze(-1);
  return {x, y};
}

std::pair<at::Tensor, at::Tensor> common_dtype(const Call& call, std::string_view first,
                                               std::string_view second) {
  const at::Tensor a = call.tensor(first), b = call.tensor(second);
  if (a.scalar_type() == b.scalar_type()) return {a, b};
  if (holds(a.scalar_type(), b.scalar_type())) return {a, b.to(a.scalar_type())};
  if (holds(b.scalar_type(), a.scalar_type())) return {a.to(b.scalar_type()), b};
  fail(cat(dtype_text(a.scalar_type()), " and ", dtype_text(b.scalar_type()),
           " have no common type"));
}

}  // namespace t2n::interp

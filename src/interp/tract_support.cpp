// SPDX-License-Identifier: Apache-2.0
#include "src/interp/tract_support.h"

#include <algorithm>

#include "src/frontend/load/convert.h"
#include "src/interp/builtins.h"
#include "src/interp/operands.h"
#include "src/spec/input_facts.h"

namespace t2n::interp {
namespace {

bool is_wider_or_equal(at::ScalarType wide, at::ScalarType narrow) {
  const bool same_kind = at::isFloatingType(wide) == at::isFloatingType(narrow) &&
                         wide != at::kBool && narrow != at::kBool &&
                         at::isSignedType(wide) == at::isSignedType(narrow);
  return same_kind && at::elementSize(wide) >= at::elementSize(narrow);
}

}  // namespace

int64_t axis_of(const KernelCall& call, std::string_view name, int64_t rank) {
  return checked_axis(call.i64(name), rank);
}

Ints axes_of(const KernelCall& call, std::string_view name, int64_t rank) {
  Ints axes = checked_axes(call, name, rank);
  std::sort(axes.begin(), axes.end());
  return axes;
}

at::ScalarType dtype_named(const std::string& name) {
  const auto dtype = spec::tract_dtype(name);
  if (!dtype) fail(cat("there is no type ", quoted(name)));
  return trace::to_torch(*dtype);
}

std::string dtype_text(at::ScalarType dtype) {
  const auto known = trace::from_torch(dtype);
  return known ? std::string(ir::dtype_name(*known)) : c10::toString(dtype);
}

void require_dtype(const at::Tensor& tensor, std::initializer_list<at::ScalarType> known) {
  if (std::find(known.begin(), known.end(), tensor.scalar_type()) != known.end()) return;
  std::string names;
  for (const at::ScalarType each : known) names += (names.empty() ? "" : ", ") + dtype_text(each);
  fail(cat("unsupported element type ", dtype_text(tensor.scalar_type())),
       cat("supported: ", names));
}

at::Tensor half_or_float(const KernelCall& call, std::string_view name) {
  at::Tensor out = call.tensor(name);
  require_dtype(out, {at::kHalf, at::kFloat});
  return out;
}

void require_integers(const at::Tensor& tensor, bool or_bool) {
  if (at::isIntegralType(tensor.scalar_type(), or_bool)) return;
  fail(cat("unsupported element type ", dtype_text(tensor.scalar_type())),
       or_bool ? "supported: integers and bool" : "supported: integers");
}

std::pair<at::Tensor, at::Tensor> common_dtype(const KernelCall& call, std::string_view first,
                                               std::string_view second) {
  const at::Tensor a = call.tensor(first), b = call.tensor(second);
  if (a.scalar_type() == b.scalar_type()) return {a, b};
  if (is_wider_or_equal(a.scalar_type(), b.scalar_type())) return {a, b.to(a.scalar_type())};
  if (is_wider_or_equal(b.scalar_type(), a.scalar_type())) return {a.to(b.scalar_type()), b};
  fail(cat(dtype_text(a.scalar_type()), " and ", dtype_text(b.scalar_type()),
           " have no common type"));
}

}  // namespace t2n::interp

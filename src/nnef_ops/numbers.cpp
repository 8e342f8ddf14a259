// SPDX-License-Identifier: Apache-2.0
// The types of numbers in strict NNEF.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "src/diag/error.h"
#include "src/nnef_ops/arith.h"
#include "src/nnef_ops/strict_call.h"

namespace t2n::nnef_ops {

using draft::is_loaded;
using draft::joined;
using draft::kLargeBytes;
using draft::stored_bytes;
using draft::TensorEntry;
using draft::without_broadcast_axes;

Ref retyped(Builder& out, Ref x, DType dtype) {
  if (x.dtype == dtype) return x;
  if (!out.is_constant(x))
    return {x.tensor, dtype, ir::is_integer(dtype) && type_of(x) != NumberType::integer};
  TensorEntry entry = out.draft().at(x.tensor);
  entry.dtype = dtype;
  entry.variable = -1;
  return {out.draft().add(std::move(entry)), dtype};
}

namespace {

/// Whether all stored integers are in range.
bool is_exact(const TensorEntry& entry, Exactness exactness) {
  constexpr int64_t kExact = int64_t{1} << 24;
  for (const ir::Tensor& part : entry.parts) {
    if (!ir::is_integer(part.dtype) || !part.is_loaded()) continue;
    const ir::Tensor stored = ir::contiguous(without_broadcast_axes(part));
    for (int64_t i = 0; i < stored.elements(); ++i) {
      const int64_t value = ir::element_i64(stored, i);
      const bool fits = value >= -kExact && value <= kExact;
      const auto exact = static_cast<double>(value);
      const bool is_single = static_cast<double>(static_cast<float>(value)) == exact;
      if (!fits && (exactness == Exactness::computable || !is_single)) return false;
    }
  }
  return true;
}

void check_exact(Builder& out, const TensorEntry& entry, Exactness exactness) {
  if (is_exact(entry, exactness)) return;
  throw Error("unsupported-argument",
              cat("integers beyond 2^24 have no translation for ", out.target_name()),
              "standard NNEF computes with scalars only, which readers store as f32",
              "export for tract, which has integers of 64 bits");
}

/// Finite f64 numbers beyond f32 become its largest ones: a mask of -1e300 is not infinite.
Ref finite(Builder& out, Ref x) {
  const TensorEntry& entry = out.draft().at(x.tensor);
  if (entry.dtype != DType::f64 || stored_bytes(entry) > kLargeBytes || !is_loaded(entry)) return x;
  constexpr double kFurthest = std::numeric_limits<float>::max();
  const ir::Tensor stored = joined(entry);
  std::vector<double> values = ir::to_f64(stored);
  const auto is_wide = [](double v) { return std::isfinite(v) && std::abs(v) > kFurthest; };
  if (std::none_of(values.begin(), values.end(), is_wide)) return x;
  for (double& each : values)
    if (is_wide(each)) each = std::copysign(kFurthest, each);
  return out.constant(ir::tensor_of<double>(DType::f32, stored.shape, values), entry.name);
}

}  // namespace

Ref as_number(Builder& out, Ref x, Exactness exactness) {
  const TensorEntry& entry = out.draft().at(x.tensor);
  if (out.is_constant(x)) {
    check_exact(out, entry, exactness);
    return retyped(out, finite(out, x), DType::f32);
  }
  if (type_of(x) == NumberType::scalar) return retyped(out, x, DType::f32);
  return emit(out, "cast", {x}, {}, {DType::f32, entry.shape}, {.generic = "scalar"});
}

Ref as_integer(Builder& out, Ref x) {
  if (type_of(x) == NumberType::integer) return x;
  const DType dtype = ir::is_integer(out.dtype(x)) ? out.dtype(x) : DType::i64;
  if (out.is_constant(x)) return out.cast(x, dtype);
  const Ref number = as_number(out, x);
  return emit(out, "cast", {number}, {}, {dtype, out.shape(x)}, {.generic = "integer"});
}

Ref wrapped(Builder& out, Ref x, DType dtype) {
  if (!ir::is_integer(dtype) || ir::dtype_size(dtype) > 2) return retyped(out, x, dtype);
  const double range = std::exp2(8.0 * static_cast<double>(ir::dtype_size(dtype)));
  const bool is_signed = dtype == DType::i8 || dtype == DType::i16;
  const Ref low = out.scalar(is_signed ? range / 2 : 0.0, DType::f32);
  const Ref ranges =
      out.elementwise("floor", {div(out, add(out, x, low), out.scalar(range, DType::f32))});
  return retyped(out, sub(out, x, mul(out, ranges, out.scalar(range, DType::f32))), dtype);
}

Ref truncated(Builder& out, Ref x) {
  const Ref magnitude = out.elementwise("floor", {out.elementwise("abs", {x})});
  return mul(out, out.elementwise("sign", {x}), magnitude);
}

Ref emit(Builder& out, std::string_view op, const Refs& operands, const Attributes& attributes,
         const TensorType& type, const Form& form) {
  return out.emit_all(op, operands, attributes, {type}, form)[0];
}

}  // namespace t2n::nnef_ops

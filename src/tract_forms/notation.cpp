// SPDX-License-Identifier: Apache-2.0
#include "src/tract_forms/notation.h"

#include <cmath>
#include <utility>

#include "src/tract_forms/sizes/size_text.h"

namespace t2n::tract_forms {

using draft::Attribute;
using draft::Ref;
using draft::TensorEntry;
using ir::Dim;
using ir::DType;
using ir::Shape;

namespace {

nnef::Value cast_literal(nnef::Value number, DType dtype) {
  return nnef::invocation(
      "tract_core_cast",
      {{"", std::move(number)}, {"to", nnef::string(std::string(ir::dtype_name(dtype)))}});
}

std::optional<nnef::Value> float_literal(double value, DType dtype) {
  // NaN has no literal; tract reads every scalar as f32.
  if (std::isnan(value)) return {};
  if (dtype == DType::f64 && static_cast<double>(static_cast<float>(value)) != value) return {};
  if (dtype == DType::f32) return nnef::scalar(value);
  return cast_literal(nnef::scalar(value), dtype);
}

std::optional<nnef::Value> integer_literal(const ir::Tensor& value) {
  // An integer literal is a TDim in tract: 64 bits, signed.
  const auto as_i64 = draft::converted(value, DType::i64);
  if (!as_i64) return {};
  return cast_literal(nnef::integer(ir::element_i64(*as_i64, 0)), value.dtype);
}

std::optional<nnef::Value> literal(const ir::Tensor& number) {
  if (number.dtype == DType::boolean) return nnef::logical(ir::element_i64(number, 0) != 0);
  if (ir::is_integer(number.dtype)) return integer_literal(number);
  return float_literal(ir::element_f64(number, 0), number.dtype);
}

/// tract_core_broadcast restores the broadcast axes.
Ref write_broadcast(draft::Draft& draft, Ref ref, TensorEntry base) {
  const Shape shape = draft.at(ref).shape;
  const nnef::Value small = draft.operand(draft.add(std::move(base)));
  return draft.append_call("tract_core_broadcast",
                           {{"", small}, {"shape", Attribute("shape", shape).value}},
                           {{draft.at(ref).dtype, shape}})[0];
}

/// tract stores all dtypes.
void check_stored(const TensorEntry&) {}

}  // namespace

draft::Notation notation() {
  return {.literal = literal,
          .write_broadcast = write_broadcast,
          .check_stored = check_stored,
          .check_size = [](const Dim& size) { (void)size_text(size); }};
}

}  // namespace t2n::tract_forms

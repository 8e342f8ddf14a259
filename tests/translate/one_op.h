// SPDX-License-Identifier: Apache-2.0
// One operation on x f32[2,3], translated by a function: what the emitter writes for it.
#pragma once

#include <functional>
#include <string>

#include "src/translate/emitter.h"
#include "tests/translate/builder.h"

namespace t2n::ops {

inline const target::Target kNew = target::parse_target("tract@0.23.9");
inline const target::Target kOld = target::parse_target("tract@0.22.4");

inline ir::Tensor iota(const Ints& shape, DType dtype = DType::f32) {
  std::vector<double> values(static_cast<size_t>(ir::element_count(shape)));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  return ir::tensor_of(dtype, shape, values);
}

using Translation1 = std::function<Ref(Emitter& out, Ref x)>;

/// Translates `y = op(x)` with x f32[2,3] by calling `translation`.
inline nnef::Document one_op(const Translation1& translation, const Ints& shape,
                             DType dtype = DType::f32, const target::Target& target = kNew,
                             DType input_dtype = DType::f32) {
  test::Builder b;
  const ir::ValueId x = b.input("x", {2, 3}, input_dtype);
  b.output(b.node("test::op", {test::arg("self", x)}, "layer.0.op", shape, dtype), "y");
  Emitter out(b.graph, target);
  out.begin(b.graph.nodes[0]);
  out.result(translation(out, out.value(x)));
  return out.finish();
}

inline std::string statements(const Translation1& translation, const Ints& shape,
                              DType dtype = DType::f32, DType input_dtype = DType::f32) {
  return test::body(one_op(translation, shape, dtype, kNew, input_dtype));
}

}  // namespace t2n::ops

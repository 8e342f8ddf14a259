// SPDX-License-Identifier: Apache-2.0
// tract's casts, ranges, shapes and broadcasts.
#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "src/interp/kernel.h"
#include "src/interp/kernels.h"
#include "src/interp/operands.h"
#include "src/interp/tract_support.h"

namespace t2n::interp {
namespace {

Tensors tract_shape_of(const KernelCall& call) {
  return {at::tensor(call.tensor("input").sizes(), at::kLong)};
}

/// numpy's rules: aligned at the last axis, unlike all other operations. Both sides may broadcast.
Tensors broadcast(const KernelCall& call) {
  const at::Tensor input = call.tensor("input");
  Ints shape = call.ints("shape");
  while (static_cast<int64_t>(shape.size()) < input.dim()) shape.insert(shape.begin(), 1);
  const size_t lead = shape.size() - static_cast<size_t>(input.dim());
  for (size_t i = lead; i < shape.size(); ++i) {
    const int64_t size = input.size(static_cast<int64_t>(i - lead));
    if (shape[i] < 0) fail(cat("there is no size ", shape[i]));
    if (shape[i] == 1) shape[i] = size;
    if (size != 1 && size != shape[i])
      fail(cat(shape_text(input.sizes()), " cannot be broadcast to ", shape_text(shape)));
  }
  return {input.expand(shape)};
}

int64_t range_length(double start, double end, double step) {
  if (step == 0) fail("the step is zero");
  return std::max<int64_t>(0, static_cast<int64_t>(std::ceil((end - start) / step)));
}

/// `end` is exclusive. Dimensions become i64.
Tensors range(const KernelCall& call) {
  const at::Tensor start = call.tensor("start"), end = call.tensor("end");
  const at::Tensor step = call.tensor("step");
  if (start.scalar_type() != end.scalar_type() || start.scalar_type() != step.scalar_type())
    fail(cat("start, end and step are ", dtype_text(start.scalar_type()), ", ",
             dtype_text(end.scalar_type()), " and ", dtype_text(step.scalar_type())));
  for (const at::Tensor* each : {&start, &end, &step})
    if (each->numel() != 1) fail(cat(shape_text(each->sizes()), " is not a single number"));
  const int64_t length =
      range_length(start.item<double>(), end.item<double>(), step.item<double>());
  const at::Tensor steps = at::arange(length, at::kLong).to(start.scalar_type());
  return {steps.mul(step.reshape({})).add(start.reshape({}))};
}

/// Integers wrap around; floats are truncated and saturate, NaN is 0 and true. If graph.quant names
/// the result, it defines the conversion of floats.
Tensors tract_cast(const KernelCall& call) {
  const at::Tensor input = call.tensor("input");
  if (call.site().is_named && input.is_floating_point()) return {input};
  if (!call.has("to")) {
    if (call.site().is_named) return {input};
    fail("'to' is missing", "graph.quant does not define the result either",
         "for example: to = 'f32'");
  }
  return {interp::cast(input, dtype_named(call.str("to")))};
}

}  // namespace

void register_tract_shape(Kernels& kernels) {
  kernels.add("tract_core_shape_of", tract_shape_of);
  kernels.add("tract_core_broadcast", broadcast);
  kernels.add("tract_core_range", range);
  kernels.add("tract_core_cast", tract_cast);
}

}  // namespace t2n::interp

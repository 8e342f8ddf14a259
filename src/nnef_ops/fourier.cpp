// SPDX-License-Identifier: Apache-2.0
// Fourier transforms; in standard NNEF a product with a matrix.
#include "ir/unit_circle.h"
#include "src/diag/error.h"
#include "src/nnef_ops/arith.h"
#include "src/nnef_ops/book.h"
#include "src/nnef_ops/flow_call.h"
#include "src/nnef_ops/shape_call.h"
#include "src/nnef_ops/strict_call.h"

namespace t2n::nnef_ops {
namespace {

Flows fft_flow(const FlowCall& call) {
  return {along_other_axes(call, {call.integer("axis")}, "takes a Fourier transform")};
}

/// [2n, 2n]: maps pairs of real and imaginary parts to pairs of the spectrum.
ir::Tensor dft_of_pairs(int64_t n, bool is_inverse) {
  std::vector<double> values;
  const double sign = is_inverse ? 1 : -1;
  for (int64_t j = 0; j < n; ++j)
    for (const bool is_imaginary : {false, true})
      for (int64_t k = 0; k < n; ++k) {
        const ir::CirclePoint point = ir::circle_point(j * k, n);
        values.push_back(is_imaginary ? -sign * point.sin : point.cos);
        values.push_back(is_imaginary ? point.cos : sign * point.sin);
      }
  return ir::tensor_of<double>(DType::f32, {2 * n, 2 * n}, values);
}

Refs lower_fourier(const StrictCall& call, Builder& out) {
  constexpr int64_t kLongest = 1024;  // 16 MiB of matrix
  const Ref x = as_number(out, call.operands[0]);
  const int axis = static_cast<int>(call.at("axis").integer);
  const int rank = out.rank(x);
  const int64_t n = extent(out, x, axis);
  if (n > kLongest)
    refuse(call, out,
           cat("standard NNEF expresses a Fourier transform as a product with a matrix, here "
               "of ",
               2 * n, " x ", 2 * n));
  Ints order = all_axes(rank);
  order.erase(order.begin() + axis);
  order.insert(order.end() - 1, axis);
  const Ref moved = out.transpose(x, order);
  const Shape ordered_shape = out.shape(moved);
  const Dim rows = Dim(ir::element_count(ir::static_shape(ordered_shape)) / (2 * n));
  const Ref lines = out.reshape(moved, {rows, Dim(2 * n)});
  const nnef::Value* inverse_flag = call.find("inverse");
  const bool is_inverse = inverse_flag != nullptr && inverse_flag->logical;
  const Ref matrix = out.constant(dft_of_pairs(n, is_inverse), "dft");
  const Ref y = emit(out, "matmul", {lines, matrix}, {}, {DType::f32, {rows, Dim(2 * n)}});
  return {retyped(out, out.transpose(out.reshape(y, ordered_shape), inverse(order)),
                  call.result().dtype)};
}

Flows stft_flow(const FlowCall& call) {
  Flow out = call.first_flow();
  if (call.integer("axis") != out.axis)
    blocked("takes frames along another axis than the streamed one");
  out.delayed = true;
  if (out.rank >= 0) ++out.rank;
  return with_new_shape(out);
}

}  // namespace

void add_fourier(Book& book) {
  book.add("tract_core_fft", {nullptr, unary_shape, fft_flow, lower_fourier});
  book.add("tract_core_stft", {nullptr, nullptr, stft_flow});
}

}  // namespace t2n::nnef_ops

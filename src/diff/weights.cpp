// SPDX-License-Identifier: Apache-2.0
// Compares bytes first, and numbers only if the bytes differ.
#include "src/diff/weights.h"

#include <cmath>
#include <limits>

#include "ir/cast.h"
#include "src/diag/error.h"

namespace t2n::diff {
namespace {

double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double out = std::abs(a - b);
  return std::isnan(out) ? std::numeric_limits<double>::infinity() : out;
}

/// The largest difference of two tensors of one shape, of any dtypes.
double max_distance(const ir::Tensor& a, const ir::Tensor& b) {
  const ir::Tensor left = ir::contiguous(ir::as_pairs(a));
  const ir::Tensor right = ir::contiguous(ir::as_pairs(b));
  const size_t count = left.elements();
  const auto numbers = [](const ir::Tensor& tensor, size_t start, std::span<double> out) {
    const size_t size = ir::dtype_size(tensor.dtype);
    ir::cast_elements(tensor.dtype, tensor.bytes.subspan(start * size, out.size() * size),
                      ir::DType::f64, std::as_writable_bytes(out));
  };
  constexpr size_t kBlock = 4096;
  std::vector<double> x(std::min(kBlock, count));
  std::vector<double> y(x.size());
  double largest = 0;
  for (size_t start = 0; start < count; start += kBlock) {
    const size_t length = std::min(kBlock, count - start);
    numbers(left, start, std::span(x).first(length));
    numbers(right, start, std::span(y).first(length));
    for (size_t i = 0; i < length; ++i) largest = std::max(largest, distance(x[i], y[i]));
  }
  return largest;
}

Difference changed(const std::string& subject, std::string aspect, std::string before,
                   std::string after) {
  return {.part = Part::weight,
          .kind = Difference::Kind::changed,
          .operation = {},
          .subject = subject,
          .aspect = std::move(aspect),
          .before = std::move(before),
          .after = std::move(after)};
}

}  // namespace

std::string weight_type(const nnef::StoredTensor& tensor) {
  const std::string dtype(ir::dtype_name(tensor.values.dtype));
  return cat(dtype, ir::shape_str(ir::to_shape(tensor.values.shape)),
             tensor.item == dtype ? "" : cat(" as ", tensor.item));
}

std::vector<Difference> compare_weights(const std::string& subject, const nnef::StoredTensor& a,
                                        const nnef::StoredTensor& b) {
  std::vector<Difference> out;
  if (weight_type(a) != weight_type(b))
    out.push_back(changed(subject, "type", weight_type(a), weight_type(b)));
  if (a.values.shape != b.values.shape || ir::same_values(a.values, b.values)) return out;
  const double largest = max_distance(a.values, b.values);
  // Equal numbers with other bytes have another dtype, or are other zeros or NaNs.
  if (largest == 0 && !out.empty()) return out;
  out.push_back(changed(subject, largest == 0 ? "bytes" : "values", {}, {}));
  out.back().max_abs = largest;
  return out;
}

}  // namespace t2n::diff

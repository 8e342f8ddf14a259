// SPDX-License-Identifier: Apache-2.0
// Files whose weights are not the model's.
#include <algorithm>
#include <cmath>

#include "ir/cast.h"
#include "tests/lies/lies.h"

namespace t2n::test {
namespace {

/// Integers stay within their bits.
template <typename Change>
ir::Tensor changed(const nnef::Blob& blob, Change change) {
  std::vector<double> numbers = ir::to_f64(blob.parts[0]);
  change(numbers);
  const ir::DType dtype = blob.parts[0].dtype;
  if (!ir::is_float(dtype))
    for (double& number : numbers)
      number = dtype == ir::DType::u8 ? std::clamp(std::nearbyint(number), 0.0, 255.0)
                                      : std::clamp(std::nearbyint(number), -127.0, 127.0);
  ir::OwnedTensor out = ir::allocate(blob.parts[0].dtype, blob.parts[0].shape);
  ir::cast_elements(ir::DType::f64, std::as_bytes(std::span(numbers)), out.tensor.dtype, out.data);
  return out.tensor;
}

bool is_code(const nnef::Blob& blob) {
  return blob.parts.size() == 1 &&
         (blob.parts[0].dtype == ir::DType::i8 || blob.parts[0].dtype == ir::DType::u8);
}

/// Weights that a lie may change: floats, or integers of 8 bits.
bool is_weight(const nnef::Blob& blob) {
  constexpr int64_t kMost = 1 << 24;
  return blob.parts.size() == 1 && (ir::is_float(blob.parts[0].dtype) || is_code(blob)) &&
         !blob.parts[0].bytes.empty() && blob.parts[0].elements() > 0 &&
         blob.parts[0].elements() <= kMost;
}

template <typename Change>
Lie lie(const Truth& truth, size_t at, const char* kind, Change change) {
  Lie out{kind, truth.document.blobs[at].label, truth.document};
  out.document.blobs[at].parts[0] = changed(truth.document.blobs[at], change);
  return out;
}

/// Every weight as f16 would hold it.
void lie_of_halves(const Truth& truth, Lies& out) {
  Lie lie{"weights-in-f16", "all", truth.document};
  bool is_any = false;
  for (nnef::Blob& blob : lie.document.blobs) {
    if (!is_weight(blob) || blob.parts[0].dtype != ir::DType::f32) continue;
    is_any = true;
    blob.parts[0] = changed(blob, [](std::vector<double>& numbers) {
      for (double& number : numbers)
        number = ir::half_to_float(ir::float_to_half(static_cast<float>(number)));
    });
  }
  if (is_any) out.push_back(std::move(lie));
}

/// Of the first half, as the others may be next to nothing.
size_t largest_of(const std::vector<double>& numbers) {
  size_t at = 0;
  for (size_t k = 0; k < (numbers.size() + 1) / 2; ++k)
    if (std::abs(numbers[k]) > std::abs(numbers[at])) at = k;
  return at;
}

/// What is least: one code by one step; of floats, such as the scales of channels, one by 2 %.
void lie_of_one_step(const Truth& truth, size_t at, Lies& out) {
  const bool is_codes = is_code(truth.document.blobs[at]);
  out.push_back(lie(truth, at, is_codes ? "code-off-by-one" : "element-scaled",
                    [&](std::vector<double>& numbers) {
                      constexpr double kWrong = 1.02;
                      double& number = numbers[largest_of(numbers)];
                      number = is_codes ? number + (number > 0 ? -1 : 1) : number * kWrong;
                    }));
}

}  // namespace

void lie_of_weights(const Truth& truth, Lies& out) {
  lie_of_halves(truth, out);
  std::vector<size_t> places;
  for (size_t i = 0; i < truth.document.blobs.size(); ++i)
    if (is_weight(truth.document.blobs[i])) places.push_back(i);
  // Each lie holds a weight of its own: a few spread over the file are enough.
  constexpr size_t kMost = 8;
  const size_t step = std::max<size_t>((places.size() + kMost - 1) / kMost, 1);
  for (size_t place = 0; place < places.size(); place += step) {
    const size_t i = places[place];
    const nnef::Blob& blob = truth.document.blobs[i];
    out.push_back(lie(truth, i, "weight-element", [](std::vector<double>& numbers) {
      double& number = numbers[largest_of(numbers)];
      number = number == 0 ? 1 : -number;
    }));
    lie_of_one_step(truth, i, out);
    out.push_back(lie(truth, i, "weight-scaled", [](std::vector<double>& numbers) {
      constexpr double kWrong = 1.02;
      for (double& number : numbers) number *= kWrong;
    }));
    if (blob.parts[0].elements() >= 4)
      out.push_back(lie(truth, i, "weight-rolled", [](std::vector<double>& numbers) {
        std::rotate(numbers.begin(), numbers.begin() + 1, numbers.end());
      }));
  }
}

}  // namespace t2n::test

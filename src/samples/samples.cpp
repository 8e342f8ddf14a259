// SPDX-License-Identifier: Apache-2.0
#include "src/samples/samples.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <new>
#include <numbers>
#include <numeric>

#include "src/diag/error.h"

namespace t2n {
namespace {

uint64_t drawing_seed = 0;  ///< of --seed

/// SplitMix64 (Steele, Lea, Flood 2014): its only state is a counter; equal on every platform.
class Generator {
 public:
  Generator(uint64_t seed, uint64_t stream)
      : state_(seed * 0x9E3779B97F4A7C15ULL + stream * 0xD1B54A32D192ED03ULL +
               drawing_seed * 0xA0761D6478BD642FULL + 1) {}

  uint64_t next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1.0p-53; }
  /// Box-Muller transform.
  double normal() {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }
  int64_t below(int64_t count) {
    return static_cast<int64_t>(next() % static_cast<uint64_t>(count));
  }

 private:
  uint64_t state_;
};

template <typename T>
void put(std::span<std::byte> data, int64_t index, T value) {
  std::memcpy(data.data() + static_cast<size_t>(index) * sizeof(T), &value, sizeof(T));
}

void put_float(std::span<std::byte> data, int64_t index, ir::DType dtype, double value) {
  const auto single = static_cast<float>(value);
  if (dtype == ir::DType::f64) return put(data, index, value);
  if (dtype == ir::DType::f16) return put(data, index, ir::float_to_half(single));
  if (dtype == ir::DType::bf16) return put(data, index, ir::float_to_bfloat(single));
  put(data, index, single);
}

void put_integer(std::span<std::byte> data, int64_t index, ir::DType dtype, int64_t value) {
  // Little endian: a number's low bytes are the number in any narrower type.
  const size_t size = ir::dtype_size(dtype);
  std::memcpy(data.data() + static_cast<size_t>(index) * size, &value, size);
}

bool all_equal(const ir::Tensor& tensor) {
  const size_t size = ir::dtype_size(tensor.dtype);
  for (size_t at = size; at + size <= tensor.bytes.size(); at += size)
    if (std::memcmp(tensor.bytes.data(), tensor.bytes.data() + at, size) != 0) return false;
  return true;
}

[[noreturn]] void refuse_size(ir::DType dtype, const ir::Ints& shape) {
  throw Error("input-shape",
              cat("cannot generate random values of ", ir::dtype_name(dtype),
                  ir::shape_str(ir::to_shape(shape))),
              "a tensor of this shape does not fit into memory", "check the sizes");
}

/// Refuses inputs larger than a TiB.
ir::OwnedTensor allocate_input(ir::DType dtype, const ir::Ints& shape) {
  constexpr int64_t kMost = int64_t{1} << 40;
  int64_t bytes = ir::dtype_size(dtype);
  for (const int64_t size : shape)
    if (size > 0 && (__builtin_mul_overflow(bytes, size, &bytes) || bytes > kMost))
      refuse_size(dtype, shape);
  try {
    return ir::allocate(dtype, shape);
  } catch (const std::bad_alloc&) {
    refuse_size(dtype, shape);
  }
}

}  // namespace

void set_drawing_seed(uint64_t seed) { drawing_seed = seed; }

ir::Tensor draw(ir::DType dtype, const ir::Ints& shape, std::optional<trace::IntegerRange> range,
                uint64_t seed, uint64_t stream, std::optional<FloatRange> float_range) {
  Generator generator(seed, stream);
  ir::OwnedTensor out = allocate_input(dtype, shape);
  const trace::IntegerRange bounds = range.value_or(trace::IntegerRange{0, 2});
  const int64_t count = out.tensor.elements() * (ir::is_complex(dtype) ? 2 : 1);
  const ir::DType part = ir::component_dtype(dtype);
  for (int64_t i = 0; i < count; ++i) {
    if (ir::is_float(part) && float_range)
      put_float(
          out.data, i, part,
          float_range->first + generator.uniform() * (float_range->second - float_range->first));
    else if (ir::is_float(part))
      put_float(out.data, i, part, generator.normal());
    else
      put_integer(out.data, i, part,
                  dtype == ir::DType::boolean
                      ? generator.below(2)
                      : bounds.first + generator.below(bounds.second - bounds.first));
  }
  return ordered(out.tensor, range);
}

ir::Tensor ordered(const ir::Tensor& tensor, const std::optional<trace::IntegerRange>& range) {
  if (!range || (!range->is_descending && !range->is_ascending) || !ir::is_integer(tensor.dtype))
    return tensor;
  std::vector<int64_t> values = ir::to_i64(tensor);
  if (range->is_descending) std::sort(values.begin(), values.end(), std::greater<>());
  if (range->is_ascending) std::sort(values.begin(), values.end());
  if (range->is_ascending && !values.empty()) values[0] = range->first;
  ir::OwnedTensor out = ir::allocate(tensor.dtype, tensor.shape);
  for (size_t i = 0; i < values.size(); ++i)
    put_integer(out.data, static_cast<int64_t>(i), tensor.dtype, values[i]);
  return out.tensor;
}

ir::Tensor vary(const ir::Tensor& tensor, uint64_t seed, uint64_t stream) {
  const ir::Tensor source = ir::contiguous(tensor);
  Generator generator(seed, stream);
  ir::OwnedTensor out = ir::allocate(source.dtype, source.shape);
  const int64_t count = source.elements();
  if (count > 0 && ir::is_float(source.dtype) && all_equal(source)) {
    const double value = ir::element_f64(source, 0);
    for (int64_t i = 0; i < count; ++i)
      put_float(out.data, i, source.dtype,
                value + generator.normal() * std::max(1.0, std::abs(value)));
    return out.tensor;
  }
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), int64_t{0});
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[generator.below(static_cast<int64_t>(i))]);
  const size_t size = ir::dtype_size(source.dtype);
  for (size_t i = 0; i < order.size(); ++i)
    std::memcpy(out.data.data() + i * size,
                source.bytes.data() + static_cast<size_t>(order[i]) * size, size);
  return out.tensor;
}

ir::Tensor vary_state(const ir::Tensor& tensor, std::optional<trace::IntegerRange> range,
                      uint64_t seed, uint64_t stream) {
  const ir::Tensor source = ir::contiguous(tensor);
  const int64_t count = source.elements();
  if (count == 0 || !all_equal(source) || ir::is_complex(source.dtype))
    return vary(tensor, seed, stream);
  const double value = ir::element_f64(source, 0);
  if (ir::is_float(source.dtype) && value == 0) return vary(tensor, seed, stream);
  if (source.dtype == ir::DType::boolean || range)
    return draw(source.dtype, source.shape, range, seed, stream);
  Generator generator(seed, stream);
  ir::OwnedTensor out = ir::allocate(source.dtype, source.shape);
  constexpr int64_t kSteps = 8;
  for (int64_t i = 0; i < count; ++i) {
    if (ir::is_float(source.dtype))
      put_float(out.data, i, source.dtype, value * (0.5 + generator.uniform()));
    else
      put_integer(out.data, i, source.dtype,
                  static_cast<int64_t>(value) + 1 + generator.below(kSteps));
  }
  return out.tensor;
}

std::string drawn_inputs(const std::vector<Sample>& samples) {
  std::string out;
  for (const Sample& sample : samples)
    if (const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value);
        tensor != nullptr && tensor->bytes.empty() && tensor->elements() > 0)
      out += cat(out.empty() ? "" : ", ", quoted(trace::flat_name(sample.input.path)));
  return out;
}

bool needs_ranges(const std::vector<Sample>& samples) {
  for (const Sample& sample : samples)
    if (const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value))
      if (tensor->bytes.empty() && tensor->elements() > 0 && ir::is_integer(tensor->dtype) &&
          !sample.range)
        return true;
  return false;
}

double largest_magnitude(const ir::Tensor& tensor) {
  double out = 0;
  for (const double value : ir::to_f64(ir::as_pairs(tensor)))
    if (std::isfinite(value)) out = std::max(out, std::abs(value));
  return out;
}

ir::Tensor resized(const ir::Tensor& tensor, const ir::Ints& shape) {
  if (tensor.bytes.empty() || tensor.elements() == 0) {
    ir::Tensor out;
    out.dtype = tensor.dtype;
    out.shape = shape;
    out.strides = ir::contiguous_strides(shape);
    return out;
  }
  ir::OwnedTensor out = ir::allocate(tensor.dtype, shape);
  const size_t size = ir::dtype_size(tensor.dtype);
  Generator generator(1, 1);
  for (int64_t i = 0; i < out.tensor.elements(); ++i) {
    int64_t rest = i;
    int64_t source = 0;
    for (size_t axis = shape.size(); axis-- > 0; rest /= shape[axis])
      source += rest % shape[axis] % tensor.shape[axis] * tensor.strides[axis];
    std::memcpy(out.data.data() + static_cast<size_t>(i) * size,
                tensor.bytes.data() + static_cast<size_t>(source) * size, size);
    // Repeated values would tie if the model sorts or takes maxima.
    if (ir::is_float(tensor.dtype) && i >= tensor.elements()) {
      const double value = ir::element_f64(tensor, source);
      constexpr double kShare = 0.1;
      put_float(out.data, i, tensor.dtype,
                value + kShare * generator.normal() * std::max(kShare, std::abs(value)));
    }
  }
  return out.tensor;
}

std::vector<trace::SampleInput> fill(const std::vector<Sample>& samples, uint64_t seed) {
  std::vector<trace::SampleInput> out;
  uint64_t stream = 0;
  for (const Sample& sample : samples) {
    out.push_back(sample.input);
    auto* tensor = std::get_if<ir::Tensor>(&out.back().value);
    if (tensor == nullptr) continue;
    ++stream;
    if (tensor->bytes.empty())
      *tensor = draw(tensor->dtype, tensor->shape, sample.range, seed, stream, sample.float_range);
    else if (seed != 0)
      *tensor = sample.input.is_state ? vary_state(*tensor, sample.range, seed, stream)
                                      : vary(*tensor, seed, stream);
  }
  return out;
}

}  // namespace t2n

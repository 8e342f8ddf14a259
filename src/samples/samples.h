// SPDX-License-Identifier: Apache-2.0
// Generates values for inputs of known shape and dtype, equal on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/tensor.h"
#include "src/model/model.h"
#include "src/model/traced.h"

namespace t2n {

/// Floats from the first to the second one.
using FloatRange = std::pair<double, double>;

/// Floats are normal, or uniform in `float_range`; booleans fair; integers uniform in `range`
/// (without one: 0 or 1). `stream` distinguishes inputs of one seed.
ir::Tensor draw(ir::DType dtype, const ir::Ints& shape, std::optional<trace::IntegerRange> range,
                uint64_t seed, uint64_t stream, std::optional<FloatRange> float_range = {});

/// Changes all values drawn from now on; 0 is the default.
void set_drawing_seed(uint64_t seed);

/// Sorts the values if their range requires it: descending, or ascending from its first number.
ir::Tensor ordered(const ir::Tensor& tensor, const std::optional<trace::IntegerRange>& range);

/// Permutes the elements, or adds noise if all are equal floats.
ir::Tensor vary(const ir::Tensor& tensor, uint64_t seed, uint64_t stream);

/// The same for states, which are often counts, scales or variances: equal floats keep their sign;
/// equal integers grow, or are drawn from the range that they index.
ir::Tensor vary_state(const ir::Tensor& tensor, std::optional<trace::IntegerRange> range,
                      uint64_t seed, uint64_t stream);

/// A value or shape of an input, from the user or the model file, with the range of random
/// integers.
struct Sample {
  trace::SampleInput input;
  std::optional<trace::IntegerRange> range;
  std::string file = {};  ///< the .npz of several inputs that contains it
  std::optional<FloatRange> float_range = {};
};

/// Names of the inputs with random values, quoted; "" if there are none.
std::string drawn_inputs(const std::vector<Sample>& samples);
inline constexpr const char* kOtherValues =
    "pass typical values with --input x=@x.npy, a range as in x=2,3,f32:0.1..1, or another seed "
    "with --seed N";

/// True if an integer input has neither values nor a range: a first run must find the range.
bool needs_ranges(const std::vector<Sample>& samples);

/// The largest magnitude of all finite elements; 0 if there is none.
double largest_magnitude(const ir::Tensor& tensor);

/// Repeats or cuts the values to another shape of the same rank; without values only the shape.
ir::Tensor resized(const ir::Tensor& tensor, const ir::Ints& shape);

/// Values for every tensor. Seed 0 keeps existing values; others vary them.
std::vector<trace::SampleInput> fill(const std::vector<Sample>& samples, uint64_t seed);

}  // namespace t2n

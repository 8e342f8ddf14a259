// Values for inputs of which only shape and dtype are known; equal on every machine.
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
using RealRange = std::pair<double, double>;

/// Floats are normal, or uniform in `reals`; booleans fair; integers uniform in `range` (without
/// one: 0 or 1). `stream` tells inputs of one seed apart.
ir::Tensor draw(ir::DType dtype, const ir::Ints& shape, std::optional<trace::IntegerRange> range,
                uint64_t seed, uint64_t stream, std::optional<RealRange> reals = {});

/// Draws other values from now on; 0: those of a process that never called it.
void set_drawing_seed(uint64_t seed);

/// The values in the order that their range requires: descending, ascending from its first number
/// on, or any.
ir::Tensor ordered(const ir::Tensor& tensor, const std::optional<trace::IntegerRange>& range);

/// Other values like `given`, for a second run: its elements in another order, and noise if all are
/// equal floats.
ir::Tensor vary(const ir::Tensor& given, uint64_t seed, uint64_t stream);

/// The same for states, which are often counts, scales or variances: equal floats keep their sign;
/// equal integers grow, or are drawn from the range that they index.
ir::Tensor vary_state(const ir::Tensor& given, std::optional<trace::IntegerRange> range,
                      uint64_t seed, uint64_t stream);

/// What the user or the file says about an input, with the range of integers to draw.
struct Sample {
  trace::SampleInput input;
  std::optional<trace::IntegerRange> range;
  std::string file = {};  ///< the .npz that was given as a whole
  std::optional<RealRange> reals = {};
};

/// Names of the inputs whose values are drawn here, quoted; "" if there are none.
std::string drawn_inputs(const std::vector<Sample>& samples);
inline constexpr const char* kOtherValues =
    "give typical values with --input x=@x.npy, a range as in x=2,3,f32:0.1..1, or other draws "
    "with --seed N";

/// True if an integer input has neither values nor a range: a first run must learn it.
bool needs_ranges(const std::vector<Sample>& samples);

/// The largest of all finite elements, without sign; 0 if there is none.
double largest_magnitude(const ir::Tensor& tensor);

/// The values repeated or cut to another shape of the same rank; without values only the shape.
ir::Tensor resized(const ir::Tensor& tensor, const ir::Ints& shape);

/// Values for every tensor. Seed 0 keeps given values; others vary them.
std::vector<trace::SampleInput> fill(const std::vector<Sample>& samples, uint64_t seed);

}  // namespace t2n

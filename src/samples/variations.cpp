// SPDX-License-Identifier: Apache-2.0
#include "src/samples/variations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>

#include "ir/cast.h"
#include "ir/op_traits.h"

namespace t2n {
namespace {

/// f64 numbers as a tensor of floats or integers.
ir::Tensor tensor_of_numbers(ir::DType dtype, const ir::Ints& shape,
                             const std::vector<double>& numbers) {
  ir::OwnedTensor out = ir::allocate(dtype, shape);
  ir::cast_elements(ir::DType::f64, std::as_bytes(std::span(numbers)), dtype, out.data);
  return out.tensor;
}

/// `count` numbers in [0, below), determined by seed and stream.
std::vector<int64_t> random_integers(int64_t count, int64_t below, uint64_t seed, uint64_t stream) {
  return ir::to_i64(draw(ir::DType::i64, {count}, trace::IntegerRange{0, below}, seed, stream));
}

template <typename Function>
ir::Tensor mapped(const ir::Tensor& tensor, Function function) {
  std::vector<double> numbers = ir::to_f64(tensor);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = function(numbers[i], i);
  return tensor_of_numbers(tensor.dtype, tensor.shape, numbers);
}

/// Changes equal integers and booleans, which a permutation would not change.
ir::Tensor with_changed_integers(const ir::Tensor& tensor, const Sample& sample, uint64_t seed,
                                 uint64_t stream) {
  const auto flips = random_integers(tensor.elements(), 2, seed, stream);
  if (tensor.dtype == ir::DType::boolean)
    return mapped(tensor, [&](double value, size_t i) {
      return i == 0 || flips[i] == 1 ? 1 - value : value;
    });
  if (sample.range) return draw(tensor.dtype, tensor.shape, sample.range, seed, stream);
  const double first = ir::element_f64(tensor, 0);
  const bool is_mask = tensor.elements() > 1 && (first == 0 || first == 1) && seed % 2 == 1;
  constexpr int64_t kMost = 9;
  const auto steps = random_integers(tensor.elements(), kMost, seed, stream);
  return mapped(tensor, [&](double value, size_t i) {
    if (is_mask) return i == 0 || flips[i] == 1 ? 1 - value : value;
    const auto step = static_cast<double>(steps[i] + 1);
    return std::max(value + (flips[i] == 1 ? step : -step), sample.range ? 0.0 : -1e18);
  });
}

ir::Tensor redrawn(const ir::Tensor& value, const Sample& sample, uint64_t seed, uint64_t stream) {
  const auto& sample_tensor = std::get<ir::Tensor>(sample.input.value);
  if (sample_tensor.bytes.empty())
    return draw(value.dtype, value.shape, sample.range, seed, stream, sample.float_range);
  if (sample.input.is_state) return vary_state(value, sample.range, seed, stream);
  if (sample.range && sample.range->are_lengths)
    return draw(value.dtype, value.shape, sample.range, seed, stream);
  ir::Tensor out = vary(value, seed, stream);
  const bool is_integer_type = ir::is_integer(value.dtype) || value.dtype == ir::DType::boolean;
  return is_integer_type && ir::same_values(out, value)
             ? with_changed_integers(value, sample, seed, stream)
             : out;
}

/// Values near the thresholds, on them, and between them and zero.
ir::Tensor crossed(const ir::Tensor& value, const Sample& sample, const Variation& variation,
                   uint64_t stream) {
  const std::vector<double>& thresholds = variation.thresholds;
  const int64_t count = value.elements();
  const auto which =
      random_integers(count, static_cast<int64_t>(thresholds.size()), variation.seed, stream);
  const auto side = random_integers(count, 4, variation.seed + 1, stream);
  const bool is_float = ir::is_float(value.dtype);
  return mapped(value, [&](double original, size_t i) {
    const double threshold = thresholds[which[i]];
    constexpr double kShare = 0.1;
    const double step = is_float ? std::max(kShare * std::abs(threshold), kShare) : 1;
    constexpr std::array<double, 4> kSides = {-1, 0, 1, 3};
    const double moved = threshold + kSides.at(side[i]) * step;
    if (is_float) return moved;
    const auto rounded = static_cast<double>(std::llround(moved));
    const bool fits = !sample.range || (rounded >= static_cast<double>(sample.range->first) &&
                                        rounded < static_cast<double>(sample.range->second));
    return fits ? rounded : original;
  });
}

/// Floats 0, 1 and -1; every other zero is negative.
ir::Tensor simple(const ir::Tensor& value, uint64_t seed, uint64_t stream) {
  const auto which = random_integers(value.elements(), 3, seed, stream);
  return mapped(value, [&](double, size_t i) {
    return which[i] == 1 && i % 2 == 1 ? -0.0 : static_cast<double>(which[i] - 1);
  });
}

/// Multiplies by random powers of ten, such that the sum has the other sign.
ir::Tensor with_magnitudes(const ir::Tensor& value, uint64_t seed, uint64_t stream) {
  constexpr int64_t kMost = 4;
  const auto powers = random_integers(value.elements(), 2 * kMost + 1, seed, stream);
  const auto signs = random_integers(value.elements(), 2, seed + 1, stream);
  double before = 0;
  double after = 0;
  const ir::Tensor out = mapped(value, [&](double x, size_t i) {
    const double changed_value =
        (signs[i] == 0 ? x : -x) * std::pow(10.0, static_cast<double>(powers[i] - kMost));
    before += x;
    after += changed_value;
    return changed_value;
  });
  if ((before < 0) != (after < 0)) return out;
  return mapped(out, [](double x, size_t) { return -x; });
}

ir::Tensor halved(const ir::Tensor& value, uint64_t seed, uint64_t stream) {
  constexpr int64_t kMost = 8;
  const auto numbers = random_integers(value.elements(), 4 * kMost + 1, seed, stream);
  const auto parts = random_integers(value.elements(), 5, seed + 1, stream);
  // Halves are two of five.
  constexpr std::array<double, 5> kParts = {1, 2, 2, 4, 8};
  return mapped(value, [&](double, size_t i) {
    const double part = kParts.at(parts[i]);
    const auto odd = static_cast<double>(2 * (numbers[i] - 2 * kMost) + 1);
    return part == 1 ? std::floor(odd / 2) : odd / part;
  });
}

/// The limits of signed and unsigned integer types with `count` values, and their neighbours.
/// Elements that the dtype cannot represent stay unchanged.
ir::Tensor at_ends(const ir::Tensor& value, double count) {
  const std::array<double, 8> ends = {count + 1,  -count / 2 - 1, count / 2, count - 1,
                                      -count / 2, count / 2 - 1,  count,     -count};
  const double bits = 8 * static_cast<double>(ir::dtype_size(value.dtype));
  const bool is_unsigned = value.dtype == ir::DType::u8;
  const double most = std::exp2(is_unsigned ? bits : bits - 1);
  return mapped(value, [&](double original, size_t i) {
    const double end_value = ends.at(i % ends.size());
    return end_value < most && end_value >= (is_unsigned ? 0 : -most) ? end_value : original;
  });
}

ir::Tensor with_special(const ir::Tensor& value, double special, uint64_t seed, uint64_t stream) {
  const auto which = random_integers(value.elements(), 4, seed, stream);
  return mapped(value, [&](double original, size_t i) {
    if (which[i] > 1) return original;
    return which[i] == 0 ? special : -special;
  });
}

/// Section `part` of `parts` of the numbers in the range.
ir::Tensor swept(const ir::Tensor& value, const trace::IntegerRange& range, uint64_t part,
                 uint64_t parts) {
  const auto count = static_cast<uint64_t>(value.elements());
  const auto span = static_cast<uint64_t>(range.second - range.first);
  const uint64_t positions = parts * count;
  const double step = static_cast<double>(span - 1) / static_cast<double>(positions);
  return mapped(value, [&](double, size_t i) {
    const uint64_t position = part * count + i;
    if (span <= positions)
      return static_cast<double>(range.first + static_cast<int64_t>(position % span));
    // The last position gets the last number: errors are most likely at the end of a table.
    const bool is_last = position + 1 == positions && positions > 1;
    const double at =
        is_last ? static_cast<double>(span - 1) : std::floor(step * static_cast<double>(position));
    return static_cast<double>(range.first) + at;
  });
}

ir::Tensor equal_rows(const ir::Tensor& value, uint64_t seed) {
  const std::vector<double> numbers = ir::to_f64(value);
  const size_t width = value.shape.empty() ? 1 : value.shape.back();
  const size_t row = static_cast<size_t>(seed) % std::max<size_t>(numbers.size() / width, 1);
  return mapped(value, [&](double, size_t i) { return numbers[row * width + i % width]; });
}

/// Counts and lengths up to the largest one of the sample.
ir::Tensor within(const ir::Tensor& value, const Sample& sample, uint64_t seed, uint64_t stream) {
  const std::vector<int64_t> numbers = ir::to_i64(value);
  const int64_t most = *std::max_element(numbers.begin(), numbers.end());
  if (most < 1 || sample.range) return redrawn(value, sample, seed, stream);
  return draw(value.dtype, value.shape, trace::IntegerRange{0, most + 1}, seed, stream);
}

/// Nothing for changes that do not apply to floats.
std::optional<ir::Tensor> changed_floats(const ir::Tensor& value, const Variation& variation,
                                         uint64_t stream) {
  const uint64_t seed = variation.seed;
  const double factor = variation.factor;
  switch (variation.change) {
    case Change::scale: return mapped(value, [&](double x, size_t) { return factor * x; });
    case Change::negate: return mapped(value, [](double x, size_t) { return -x; });
    case Change::sign: return mapped(value, [&](double x, size_t) { return factor * std::abs(x); });
    case Change::simple: return simple(value, seed, stream);
    case Change::equal_rows: return equal_rows(value, seed);
    case Change::magnitudes: return with_magnitudes(value, seed, stream);
    case Change::halves: return halved(value, seed, stream);
    case Change::special: return with_special(value, factor, seed, stream);
    case Change::redraw:
    case Change::cross:
    case Change::sweep:
    case Change::from_end:
    case Change::uniform:
    case Change::integers:
    case Change::within:
    case Change::ends: break;
  }
  return {};
}

/// Nothing for changes that do not apply to integers, or not to these.
std::optional<ir::Tensor> changed_integers(const ir::Tensor& value, const Sample& sample,
                                           const Variation& variation, uint64_t stream) {
  constexpr int64_t kWide = 11;
  const uint64_t seed = variation.seed;
  switch (variation.change) {
    case Change::sweep:
      if (sample.range) return swept(value, *sample.range, seed, variation.parts);
      break;
    case Change::from_end:
      if (sample.range)
        return mapped(swept(value, *sample.range, 0, 1), [&](double x, size_t) {
          return x - static_cast<double>(sample.range->second);
        });
      break;
    case Change::within: return within(value, sample, seed, stream);
    case Change::integers:
      if (is_free_integer(sample))
        return draw(value.dtype, value.shape,
                    trace::IntegerRange{seed % 2 == 0 ? -kWide : 0, kWide}, seed, stream);
      break;
    case Change::ends:
      if (is_free_integer(sample)) return at_ends(value, variation.factor);
      return value;
    case Change::redraw:
    case Change::cross:
    case Change::uniform:
    case Change::scale:
    case Change::negate:
    case Change::sign:
    case Change::simple:
    case Change::equal_rows:
    case Change::magnitudes:
    case Change::halves:
    case Change::special: break;
  }
  return {};
}

ir::Tensor changed(const ir::Tensor& value, const Sample& sample, const Variation& variation,
                   uint64_t stream) {
  const uint64_t seed = variation.seed;
  const bool is_float = ir::is_float(value.dtype);
  const bool is_integer_type = ir::is_integer(value.dtype) || value.dtype == ir::DType::boolean;
  if (is_integer_type && variation.keeps_integers) return value;
  if (sample.input.is_state || value.elements() == 0) return redrawn(value, sample, seed, stream);
  // The user's range applies to all sets.
  if (sample.float_range && variation.change != Change::equal_rows)
    return redrawn(value, sample, seed, stream);
  if (variation.change == Change::uniform)
    return is_mask(sample) ? mapped(value, [&](double, size_t) { return variation.factor; })
                           : value;
  const bool crosses = variation.change == Change::cross && !variation.thresholds.empty();
  if (crosses && (is_float || ir::is_integer(value.dtype)))
    return crossed(value, sample, variation, stream);
  std::optional<ir::Tensor> out;
  if (is_float) out = changed_floats(value, variation, stream);
  if (ir::is_integer(value.dtype)) out = changed_integers(value, sample, variation, stream);
  return out ? *std::move(out) : redrawn(value, sample, seed, stream);
}

void collect(const ir::Graph& graph, std::set<double>& out) {
  const std::vector<int> constants = ir::constant_index(graph);
  for (const ir::Node& node : graph.nodes) {
    if (node.body) collect(*node.body, out);
    const std::string_view op = ir::op_name(node.op);
    if (!has_trait(op.substr(0, op.find('.')), ir::OpTrait::compares_first)) continue;
    for (const ir::Argument& argument : node.args) {
      if (const auto* number = std::get_if<double>(&argument.value)) out.insert(*number);
      if (const auto* size = std::get_if<ir::Dim>(&argument.value); size && size->is_constant())
        out.insert(static_cast<double>(size->value()));
      const auto* ref = std::get_if<ir::TensorRef>(&argument.value);
      if (ref == nullptr || ref->id == ir::kNoValue) continue;
      const int at = constants[ref->id];
      if (at < 0) continue;
      const ir::Tensor& constant = graph.constants[at].data;
      if (constant.bytes.empty() || ir::is_complex(constant.dtype)) continue;
      // A few elements represent a tensor of limits.
      constexpr int64_t kFew = 4;
      const ir::Tensor plain = ir::contiguous(constant);
      const int64_t step = std::max<int64_t>((plain.elements() + kFew - 1) / kFew, 1);
      for (int64_t k = 0; k < plain.elements(); k += step) out.insert(ir::element_f64(plain, k));
    }
  }
}

}  // namespace

bool is_mask(const Sample& sample) {
  const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value);
  if (tensor == nullptr || tensor->elements() < 2 || sample.input.is_state) return false;
  if (tensor->dtype == ir::DType::boolean) return true;
  if (!ir::is_integer(tensor->dtype) || sample.range) return false;
  const std::vector<int64_t> values =
      tensor->bytes.empty() ? std::vector<int64_t>() : ir::to_i64(*tensor);
  return std::all_of(values.begin(), values.end(), [](int64_t x) { return x == 0 || x == 1; });
}

bool is_free_integer(const Sample& sample) {
  const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value);
  return tensor != nullptr && ir::is_integer(tensor->dtype) && !sample.range &&
         !sample.input.is_state && (tensor->bytes.empty() || !is_mask(sample));
}

std::vector<double> thresholds_of(const ir::Graph& graph) {
  std::set<double> found;
  collect(graph, found);
  // Limits of dtypes occur in comparisons, but not in inputs.
  constexpr double kLargest = 1e6;
  std::erase_if(found, [](double x) { return !(std::abs(x) <= kLargest); });
  constexpr size_t kMost = 16;
  const std::vector<double> all(found.begin(), found.end());
  if (all.size() <= kMost) return all;
  std::vector<double> out;
  for (size_t k = 0; k < kMost; ++k) out.push_back(all[k * (all.size() - 1) / (kMost - 1)]);
  return out;
}

std::vector<trace::SampleInput> varied(const std::vector<Sample>& samples,
                                       const Variation& variation) {
  std::vector<trace::SampleInput> out = fill(samples, 0);
  uint64_t stream = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    auto* tensor = std::get_if<ir::Tensor>(&out[i].value);
    if (tensor == nullptr) continue;
    ++stream;
    const bool chosen = !variation.only || std::find(variation.only->begin(), variation.only->end(),
                                                     i) != variation.only->end();
    if (chosen)
      *tensor = ordered(changed(*tensor, samples[i], variation, stream), samples[i].range);
  }
  return out;
}

}  // namespace t2n

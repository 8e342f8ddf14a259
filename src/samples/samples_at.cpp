// SPDX-License-Identifier: Apache-2.0
#include "src/samples/samples_at.h"

#include <algorithm>

#include "src/diag/error.h"

namespace t2n {
namespace {

/// The smallest new size of the changed axes for which `is_chosen(old size, new size)`.
template <typename Predicate>
std::optional<int64_t> smallest_new_size(const std::vector<Sample>& before,
                                         const std::vector<Sample>& now, Predicate is_chosen) {
  std::optional<int64_t> out;
  for (size_t i = 0; i < before.size(); ++i) {
    const auto* old_tensor = std::get_if<ir::Tensor>(&before[i].input.value);
    const auto* new_tensor = std::get_if<ir::Tensor>(&now[i].input.value);
    if (old_tensor == nullptr || new_tensor == nullptr) continue;
    for (size_t axis = 0; axis < old_tensor->shape.size(); ++axis)
      if (const int64_t size = new_tensor->shape[axis]; is_chosen(old_tensor->shape[axis], size))
        out = std::min(out.value_or(size), size);
  }
  return out;
}

/// Replaces numbers above `most`: indices by smaller ones, others by `most`.
void fit_values(Sample& sample, int64_t most, bool are_indices) {
  auto& tensor = std::get<ir::Tensor>(sample.input.value);
  if (tensor.bytes.empty() || tensor.dtype != ir::DType::i64) return;
  std::vector<int64_t> values = ir::to_i64(tensor);
  for (int64_t& each : values)
    if (each > most) each = are_indices ? each % (most + 1) : most;
  tensor = ordered(ir::tensor_of<int64_t>(ir::DType::i64, tensor.shape, values), sample.range);
}

/// Keeps sequence lengths and indices within an axis that became shorter. Numbers of unknown
/// meaning may refer to such an axis, too.
void fit_ranges(const std::vector<Sample>& before, std::vector<Sample>& now) {
  for (Sample& sample : now) {
    const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value);
    if (tensor == nullptr || !ir::is_integer(tensor->dtype)) continue;
    if (!sample.range) {
      if (tensor->bytes.empty() || tensor->elements() == 0) continue;
      const std::vector<int64_t> values = ir::to_i64(*tensor);
      const int64_t most = *std::max_element(values.begin(), values.end());
      const auto is_shorter = [&](int64_t old_size, int64_t size) {
        return old_size >= most && size < old_size;
      };
      if (most <= 0) continue;
      if (const auto size = smallest_new_size(before, now, is_shorter))
        fit_values(sample, *size, false);
      continue;
    }
    const bool are_lengths = sample.range->are_lengths;
    const int64_t known = sample.range->second - (are_lengths ? 1 : 0);
    const auto has_changed = [&](int64_t old_size, int64_t size) {
      return old_size == known && size != known;
    };
    const auto size = smallest_new_size(before, now, has_changed);
    if (!size || (*size > known && !are_lengths)) continue;
    // No number is an index of an empty axis: the run reports that.
    sample.range->second = std::max(are_lengths ? *size + 1 : *size, sample.range->first + 1);
    fit_values(sample, sample.range->second - 1, !are_lengths);
  }
}

}  // namespace

bool is_sample_of(const trace::SampleInput& sample, const std::string& name, size_t index) {
  const std::string flat = trace::flat_name(sample.path);
  return flat == name || flat == cat("input_", index);
}

std::vector<ir::Tensor> values_of(const std::vector<trace::SampleInput>& inputs,
                                  const std::vector<std::string>& names) {
  std::vector<ir::Tensor> out;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto found = std::find_if(inputs.begin(), inputs.end(), [&](const auto& input) {
      return std::holds_alternative<ir::Tensor>(input.value) && is_sample_of(input, names[i], i);
    });
    T2N_ASSERT(found != inputs.end(), "the input '", names[i], "' has no sample");
    out.push_back(std::get<ir::Tensor>(found->value));
  }
  return out;
}

std::vector<Sample> with_ranges(std::vector<Sample> samples, const std::vector<std::string>& names,
                                const std::vector<std::optional<trace::IntegerRange>>& ranges) {
  for (size_t i = 0; i < names.size() && i < ranges.size(); ++i)
    for (Sample& sample : samples)
      if (!sample.range && is_sample_of(sample.input, names[i], i)) sample.range = ranges[i];
  return samples;
}

std::vector<Sample> samples_at(const std::vector<Sample>& samples,
                               const std::vector<std::string>& names,
                               const std::vector<ir::Shape>& shapes, const dynamic::Sizes& sizes) {
  std::vector<Sample> out = samples;
  for (size_t i = 0; i < names.size(); ++i) {
    if (std::all_of(shapes[i].begin(), shapes[i].end(),
                    [](const ir::Dim& dim) { return dim.is_constant(); }))
      continue;
    for (Sample& sample : out) {
      auto* tensor = std::get_if<ir::Tensor>(&sample.input.value);
      if (tensor == nullptr || !is_sample_of(sample.input, names[i], i)) continue;
      *tensor = resized(*tensor, ir::evaluate(shapes[i], sizes));
      break;
    }
  }
  fit_ranges(samples, out);
  return out;
}

}  // namespace t2n

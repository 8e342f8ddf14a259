// SPDX-License-Identifier: Apache-2.0
#include "src/samples/calibration_set.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "ir/cast.h"
#include "src/diag/error.h"
#include "src/samples/input_spec.h"
#include "src/samples/samples_at.h"
#include "src/spec/input_sizes.h"

namespace t2n {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_samples(const std::string& what, const std::string& help) {
  throw Error("calibration", what, {}, help);
}

std::vector<std::string> files_of(const std::string& spec) {
  const std::string path = calibration_path(spec);
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return {path};
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(path)) {
    const std::string suffix = entry.path().extension().string();
    if (suffix == ".npz" || suffix == ".pt" || suffix == ".npy") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  if (out.empty())
    refuse_samples(
        cat("the folder ", quoted(path), " holds no .npz, .npy or .pt file to calibrate with"),
        "save a batch per file: numpy.savez(\"0.npz\", x=images)");
  return out;
}

/// The tensor converted to another dtype. Floats are rounded, since numpy's default is f64;
/// integers must be representable. Nothing for other conversions.
std::optional<ir::Tensor> in_dtype(const ir::Tensor& tensor, ir::DType dtype) {
  if (tensor.dtype == dtype) return tensor;
  const bool are_numbers = ir::is_float(tensor.dtype) || ir::is_integer(tensor.dtype);
  if (ir::is_float(dtype) && are_numbers)
    return ir::tensor_of<double>(dtype, tensor.shape, ir::to_f64(tensor));
  if (!ir::is_integer(dtype) || !ir::is_integer(tensor.dtype)) return std::nullopt;
  ir::OwnedTensor out = ir::allocate(dtype, tensor.shape);
  if (ir::cast_elements(tensor.dtype, ir::contiguous(tensor).bytes, dtype, out.data))
    return std::nullopt;
  return out.tensor;
}

/// Whether sizes from axis `from` on equal the graph's; dynamic sizes accept any value.
bool fits_shape(const ir::Ints& shape, const ir::Shape& expected, size_t from) {
  if (shape.size() != expected.size()) return false;
  for (size_t i = from; i < shape.size(); ++i)
    if (expected[i].is_constant() && expected[i].value() != shape[i]) return false;
  return true;
}

/// `count` rows starting at `start`; the first row follows the last.
ir::Tensor rows_of(const ir::Tensor& tensor, int64_t start, int64_t count) {
  const ir::Tensor plain = ir::contiguous(tensor);
  ir::Ints shape = plain.shape;
  const int64_t all = shape.at(0);
  shape[0] = count;
  ir::OwnedTensor out = ir::allocate(plain.dtype, shape);
  const size_t row = plain.bytes.size() / static_cast<size_t>(all);
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(out.data.data() + static_cast<size_t>(i) * row,
                plain.bytes.data() + static_cast<size_t>((start + i) % all) * row, row);
  return out.tensor;
}

}  // namespace

std::string calibration_path(const std::string& spec) {
  return spec.starts_with('@') ? spec.substr(1) : spec;
}

CalibrationSet::CalibrationSet(const ir::Graph& graph, std::vector<Sample> samples,
                               const std::vector<std::string>& specs)
    : samples_(std::move(samples)) {
  for (const ir::ValueId id : graph.inputs) inputs_.push_back(graph.values[id]);
  for (const std::string& spec : specs)
    for (std::string& file : files_of(spec)) files_.push_back(std::move(file));
  if (files_.empty())
    refuse_samples(
        "quantised activations, and rounding by gptq, need samples to calibrate with",
        "add --calibrate @FILE.npz, with an array for each input, or use --compress int8-weights");
}

void CalibrationSet::rewind() {
  file_ = 0;
  rows_ = row_ = 0;
  arrays_.clear();
}

ir::Tensor CalibrationSet::values_of(size_t input, const std::vector<Sample>& samples) const {
  const ir::Value& value = inputs_[input];
  const std::string& file = files_[file_ - 1];
  for (const Sample& sample : samples) {
    if (!is_sample_of(sample.input, value.name, input)) continue;
    const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value);
    if (tensor == nullptr || (tensor->bytes.empty() && tensor->elements() > 0)) continue;
    const std::optional<ir::Tensor> converted = in_dtype(*tensor, value.dtype);
    if (!converted)
      refuse_samples(
          cat(quoted(file), ": ", quoted(value.name), " is ", ir::dtype_name(tensor->dtype),
              ", the model takes ", ir::dtype_name(value.dtype)),
          "save the array in that dtype");
    if (!fits_shape(tensor->shape, value.shape, 1) && !fits_shape(tensor->shape, value.shape, 0))
      refuse_samples(cat(quoted(file), ": ", quoted(value.name), " has the shape ",
                         ir::shape_str(ir::to_shape(tensor->shape)), ", the model takes ",
                         ir::shape_str(value.shape)),
                     "axis 0 may contain several batches; the other sizes must equal the model's");
    if (tensor->elements() == 0)
      refuse_samples(cat(quoted(file), ": ", quoted(value.name), " has no elements"),
                     "provide at least one sample");
    if (!ir::is_finite(*converted))
      refuse_samples(cat(quoted(file), ": ", quoted(value.name), " holds NaN or infinities",
                         ir::is_finite(*tensor) ? cat(" in ", ir::dtype_name(value.dtype)) : ""),
                     "remove these samples");
    return *converted;
  }
  // States keep their values in the samples.
  for (const Sample& sample : samples_)
    if (sample.input.is_state && is_sample_of(sample.input, value.name, input))
      return std::get<ir::Tensor>(fill({sample}, 0).at(0).value);
  refuse_samples(
      cat(quoted(file), " has no values for the input ", quoted(value.name)),
      cat("save it with one array per input: numpy.savez(\"FILE.npz\", ", value.name, "=…)"));
}

bool CalibrationSet::open_next() {
  if (file_ == files_.size()) return false;
  const std::vector<Sample> samples = parse_inputs({cat("@", files_[file_++])});
  arrays_.clear();
  has_rows_.assign(inputs_.size(), false);
  rows_ = row_ = 0;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    arrays_.push_back(values_of(i, samples));
    const ir::Tensor& array = arrays_.back();
    if (fits_shape(array.shape, inputs_[i].shape, 0) && !array.shape.empty() &&
        inputs_[i].shape[0].is_constant())
      continue;  // one batch
    if (array.shape.empty()) continue;
    if (rows_ != 0 && rows_ != array.shape[0])
      refuse_samples(cat(quoted(files_[file_ - 1]), ": inputs have ", rows_, " and ",
                         array.shape[0], " rows along axis 0"),
                     "save the same number of rows for each input");
    rows_ = array.shape[0];
    has_rows_[i] = true;
  }
  return true;
}

std::vector<ir::Tensor> CalibrationSet::next() {
  if (row_ >= std::max<int64_t>(rows_, arrays_.empty() ? 0 : 1) && !open_next()) return {};
  std::vector<ir::Tensor> out;
  int64_t step = 1;
  for (size_t i = 0; i < arrays_.size(); ++i) {
    if (!has_rows_[i]) {
      out.push_back(arrays_[i]);
      continue;
    }
    // A dynamic axis may be time: consecutive entries must stay together.
    const ir::Dim& batch = inputs_[i].shape[0];
    const int64_t count = batch.is_constant() ? batch.value() : rows_;
    step = std::max(step, count);
    out.push_back(rows_of(arrays_[i], row_, count));
  }
  row_ += step;
  filled_ = rows_ == 0 ? 0 : std::max<int64_t>(row_ - rows_, 0);
  return out;
}

ir::Sizes CalibrationSet::sizes_of(const std::vector<ir::Tensor>& batch) const {
  spec::SizeRules rules;
  std::vector<ir::Ints> shapes;
  for (size_t i = 0; i < batch.size(); ++i) {
    spec::InputFact fact;
    fact.name = inputs_[i].name;
    for (const ir::Dim& dim : inputs_[i].shape)
      fact.sizes.push_back(
          {dim.str(), dim.is_constant() ? std::optional(dim.value()) : std::nullopt, dim});
    rules.inputs.push_back(std::move(fact));
    shapes.push_back(batch[i].shape);
  }
  return spec::bind_sizes(rules, shapes);
}

}  // namespace t2n

// SPDX-License-Identifier: Apache-2.0
// Guards of operators over tensors.
#include <ATen/Functions.h>
#include <ATen/core/jit_type.h>

#include <algorithm>
#include <limits>

#include "src/frontend/load/guard_rows.h"

namespace t2n::trace {
namespace {

/// Every value of an integer tensor is in [low, high).
bool is_in_range(const at::Tensor& values, int64_t low, int64_t high) {
  if (!values.defined() || values.numel() == 0) return true;
  if (!at::isIntegralType(values.scalar_type(), false)) return false;
  return values.min().item<int64_t>() >= low && values.max().item<int64_t>() < high;
}

/// How many bytes of its storage a view would need; -1 if the view is impossible.
int64_t extent(const at::Tensor& self, const std::vector<int64_t>& sizes,
               const std::vector<int64_t>& strides) {
  __int128 last = self.storage_offset();
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || strides[i] < 0) return -1;
    if (sizes[i] == 0) return 0;
    last += static_cast<__int128>(sizes[i] - 1) * strides[i];
    if (last > (__int128{1} << 60)) return -1;
  }
  return static_cast<int64_t>((last + 1) * static_cast<__int128>(self.element_size()));
}

void alias(const Operands& in) {
  const at::Tensor self = in.tensor("self");
  const std::vector<int64_t> sizes = in.integers("size");
  const std::vector<int64_t> strides = in.integers("stride");
  in.require(self.defined() && self.has_storage() && sizes.size() == strides.size(),
             "the view's sizes and strides do not match");
  const int64_t bytes = extent(self, sizes, strides);
  in.require(bytes >= 0 && bytes <= static_cast<int64_t>(self.storage().nbytes()),
             "the view reaches beyond the tensor's memory");
}

void ctc(const Operands& in) {
  const at::Tensor probabilities = in.tensor("log_probs");
  const at::Tensor targets = in.tensor("targets");
  in.require(probabilities.defined() && targets.defined() && probabilities.dim() >= 2 &&
                 targets.dim() <= 2,
             "its operands have too few axes");
  const int64_t classes = probabilities.size(-1);
  const int64_t batch = probabilities.dim() == 3 ? probabilities.size(1) : 1;
  in.require(is_in_range(targets, 0, classes), "a target is not one of the classes");
  const int64_t blank = in.integer("blank", 0);
  in.require(blank >= 0 && blank < classes, "the blank is not one of the classes");
  const std::vector<int64_t> inputs = in.integers("input_lengths");
  const std::vector<int64_t> lengths = in.integers("target_lengths");
  in.require(
      static_cast<int64_t>(inputs.size()) == batch && static_cast<int64_t>(lengths.size()) == batch,
      "there is not one length for each sequence");
  int64_t sum = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    in.require(inputs[i] >= 0 && inputs[i] <= probabilities.size(0), "a length does not fit");
    in.require(lengths[i] >= 0 && lengths[i] <= targets.numel(), "a length does not fit");
    if (targets.dim() == 2) in.require(lengths[i] <= targets.size(1), "a length does not fit");
    sum += lengths[i];
  }
  if (targets.dim() < 2) in.require(sum <= targets.numel(), "the lengths do not fit the targets");
}

/// Lengths must not exceed the tensor's steps: torch would pack fewer rows than it reports.
void pack(const Operands& in) {
  const at::Tensor input = in.tensor("input");
  const at::Tensor lengths = in.tensor("lengths");
  const c10::IValue* batch_first = in.find("batch_first");
  in.require(input.defined() && input.dim() >= 2 && lengths.defined() && lengths.dim() == 1 &&
                 lengths.scalar_type() == at::kLong && batch_first != nullptr,
             "its lengths are not a list of integers, or there is no batch");
  const int64_t steps = input.size(batch_first->toBool() ? 1 : 0);
  for (const int64_t each : in.integers("lengths"))
    if (each > steps)
      throw Error("forward-failed",
                  cat("aten::_pack_padded_sequence failed: a sequence is ", each,
                      " long, and the tensor has ", steps, " steps"),
                  {}, "do the sample inputs fit the model? `t2nnef inspect` shows its arguments");
}

/// Batch sizes of packed sequences must never grow, and their sum is the number of rows.
void packed(const Operands& in) {
  const at::Tensor data = in.tensor("data");
  const at::Tensor sizes = in.tensor("batch_sizes");
  in.require(data.defined() && sizes.defined() && data.dim() >= 1 && sizes.dim() == 1 &&
                 sizes.numel() > 0 && sizes.scalar_type() == at::kLong,
             "the sizes of the batch are not a list of integers");
  int64_t sum = 0;
  int64_t before = data.size(0);
  for (const int64_t each : in.integers("batch_sizes")) {
    in.require(each > 0 && each <= before, "the sizes of the batch grow, or are not positive");
    before = each;
    sum += each;
    in.require(sum <= data.size(0), "the sizes of the batch exceed the number of rows");
  }
  in.require(sum == data.size(0), "the sizes of the batch do not add up to the number of rows");
  const c10::IValue* state = in.find("hx");
  if (state == nullptr) return;
  const int64_t batch = sizes[0].item<int64_t>();
  const auto fits = [&](const c10::IValue& each) {
    return each.isTensor() && each.toTensor().dim() == 3 && each.toTensor().size(1) == batch;
  };
  if (state->isTensor()) return in.require(fits(*state), "the state has another batch");
  for (const c10::IValue& each : state->toListRef())
    in.require(fits(each), "the state has another batch");
}

void bags(const Operands& in) {
  const at::Tensor indices = in.tensor("indices");
  const at::Tensor offsets = in.tensor("offsets");
  if (!indices.defined()) return;
  const c10::IValue* weight = in.find("weight");
  if (weight != nullptr && weight->isTensor() && weight->toTensor().dim() > 0)
    in.require(is_in_range(indices, 0, weight->toTensor().size(0)), "an index is beyond the rows");
  if (!offsets.defined()) return;
  in.require(offsets.dim() == 1 && is_in_range(offsets, 0, indices.numel() + 1),
             "an offset is beyond the indices");
  const std::vector<int64_t> starts = in.integers("offsets");
  in.require(std::is_sorted(starts.begin(), starts.end()), "the offsets are not sorted");
  const c10::IValue* has_end = in.find("include_last_offset");
  const bool needs_end = has_end != nullptr && has_end->isBool() && has_end->toBool();
  in.require(!needs_end || !starts.empty(), "the last offset is missing");
  const at::Tensor scales = in.tensor("per_sample_weights");
  if (scales.defined())
    in.require(scales.numel() == indices.numel(), "there is not one weight for each index");
}

/// Vectors with one element per channel.
void norm(const Operands& in) {
  const at::Tensor input = in.tensor("input");
  in.require(input.defined() && input.dim() >= 2, "it has no axis of channels");
  for (const char* name : {"weight", "bias", "running_mean", "running_var"}) {
    const at::Tensor each = in.tensor(name);
    if (each.defined())
      in.require(each.dim() == 1 && each.numel() == input.size(1) &&
                     at::isFloatingType(each.scalar_type()),
                 "a vector does not have one float for each channel");
  }
  in.require(at::isFloatingType(input.scalar_type()), "its input is not of floats");
  const c10::IValue* training = in.find("training");
  if (training == nullptr || (training->isBool() && !training->toBool()))
    in.require(in.tensor("running_mean").defined() && in.tensor("running_var").defined(),
               "it has no statistics");
}

void group_norm(const Operands& in) {
  const at::Tensor input = in.tensor("input");
  const int64_t batch = in.integer("N", -1);
  const int64_t channels = in.integer("C", -1);
  const int64_t pixels = in.integer("HxW", -1);
  const int64_t groups = in.integer("group", -1);
  in.require(input.defined() && groups > 0 && channels >= 0 && channels % groups == 0,
             "the channels are not a multiple of the groups");
  in.require(batch >= 0 && pixels >= 0 &&
                 static_cast<double>(batch) * static_cast<double>(channels) *
                         static_cast<double>(pixels) ==
                     static_cast<double>(input.numel()),
             "the sizes are not those of the tensor");
  for (const char* name : {"weight", "bias"}) {
    const at::Tensor each = in.tensor(name);
    if (each.defined())
      in.require(each.numel() == channels, "a vector does not have one element for each channel");
  }
}

/// Row exchanges of a factorisation, counted from 1.
void pivots(const Operands& in) {
  at::Tensor rows = in.tensor("pivots");
  if (!rows.defined()) rows = in.tensor("LU_pivots");
  at::Tensor matrix;
  for (const char* name : {"LU", "LU_data", "LD"})
    if (!matrix.defined()) matrix = in.tensor(name);
  in.require(rows.defined() && matrix.defined() && matrix.dim() >= 2, "there are no pivots");
  const int64_t count = matrix.size(-2);
  const bool is_ldl = in.tensor("LD").defined();  // blocks of two are negative
  in.require(is_in_range(is_ldl ? rows.abs() : rows, 1, count + 1), "a pivot is not a row");
}

void fourier(const Operands& in) {
  const at::Tensor self = in.tensor("self");
  const std::vector<int64_t> axes = in.integers("dim");
  for (size_t i = 0; i < axes.size(); ++i) {
    in.require(self.defined() && axes[i] >= 0 && axes[i] < self.dim(), "it has no such axis");
    in.require(std::find(axes.begin() + static_cast<std::ptrdiff_t>(i) + 1, axes.end(), axes[i]) ==
                   axes.end(),
               "an axis is named twice");
  }
  in.require(!axes.empty(), "it names no axis");
  in.require(in.integer("last_dim_size", 1) >= 1, "the last axis has no elements");
}

void per_channel(const Operands& in) {
  const at::Tensor self = in.tensor("self");
  int64_t axis = in.integer("axis", in.integer("ch_axis", -1));
  in.require(self.defined() && axis >= 0 && axis < self.dim(), "it has no such axis");
  for (const char* name : {"scale", "scales", "zero_point", "zero_points"}) {
    const at::Tensor each = in.tensor(name);
    if (each.defined())
      in.require(each.numel() == self.size(axis), "there is not one scale for each channel");
  }
}

void observer(const Operands& in) {
  const c10::IValue* by_row = in.find("per_row_fake_quant");
  if (by_row != nullptr && by_row->isBool() && by_row->toBool()) return per_channel(in);
  for (const char* name : {"scale", "zero_point", "observer_on", "fake_quant_on"}) {
    const at::Tensor each = in.tensor(name);
    if (each.defined()) in.require(each.numel() >= 1, "a vector has no elements");
  }
}

void stack(const Operands& in) {
  const c10::IValue* tensors = in.find("tensors");
  in.require(tensors != nullptr && tensors->isTensorList() && !tensors->toTensorList().empty(),
             "there is nothing to stack");
}

void weight_norm(const Operands& in) {
  const at::Tensor v = in.tensor("v");
  const at::Tensor g = in.tensor("g");
  const int64_t axis = in.integer("dim", 0);
  in.require(v.defined() && g.defined() && v.dim() > 0 && v.numel() > 0 &&
                 v.scalar_type() == g.scalar_type() && at::isFloatingType(v.scalar_type()),
             "its operands are not tensors of one type");
  in.require(axis >= -1 && axis < v.dim() && g.numel() == (axis == -1 ? 1 : v.size(axis)),
             "there is not one norm for each channel");
}

void eigenvalues(const Operands& in) {
  const at::Tensor matrix = in.tensor("self");
  in.require(matrix.defined() && matrix.dim() >= 2 && matrix.size(-1) == matrix.size(-2),
             "its operand is not a square matrix");
  in.require(at::isfinite(matrix).all().item<bool>(), "its matrix is not finite");
}

/// Operators that split an axis into a list of tensors.
void parts(const Operands& in) {
  constexpr int64_t kMax = 1'000'000;
  const at::Tensor self = in.tensor("self");
  const int64_t axis = in.integer("dim", 0);
  if (!self.defined() || self.dim() == 0 || axis < -self.dim() || axis >= self.dim()) return;
  int64_t count = in.integer("sections", in.integer("chunks", self.size(axis)));
  if (const int64_t each = in.integer("split_size", 0); each > 0) count = self.size(axis) / each;
  if (count > kMax) in.limit("a list", kMax);
}

/// Bounds the number that decides how long an operator loops.
void bound_number(const Operands& in) {
  constexpr int64_t kMax = 10'000;
  const c10::IValue* n = in.find("n");
  if (n == nullptr) return;
  if (n->isTensor()) {
    const at::Tensor all = n->toTensor();
    in.require(all.numel() == 0 || all.abs().max().item<double>() <= static_cast<double>(kMax),
               "its degree is too large");
  } else if (n->isInt() || n->isDouble()) {
    const double value = n->toScalar().toDouble();
    in.require(value >= -static_cast<double>(kMax) && value <= static_cast<double>(kMax),
               "its degree is too large");
  }
}

void bound_range(const Operands& in) {
  constexpr int64_t kMax = int64_t{1} << 53;
  const int64_t from = in.integer("from", 0);
  const int64_t to = in.integer("to", kMax);
  in.require(from < to && from >= -kMax && to <= kMax, "its range is empty or too large");
}

constexpr GuardRow kTensorRows[] = {
    {"aten::_reshape_alias", alias},
    {"aten::_reshape_alias_copy", alias},
    {"aten::ctc_loss", ctc},
    {"aten::_ctc_loss", ctc},
    {"aten::_pack_padded_sequence", pack},
    {"aten::_pad_packed_sequence", packed},
    {"aten::lstm.data", packed},
    {"aten::gru.data", packed},
    {"aten::rnn_tanh.data", packed},
    {"aten::rnn_relu.data", packed},
    {"aten::quantized_lstm.data", packed},
    {"aten::quantized_gru.data", packed},
    {"aten::embedding_bag", bags},
    {"aten::_embedding_bag", bags},
    {"aten::_embedding_bag_forward_only", bags},
    {"quantized::embedding_bag_byte", bags},
    {"quantized::embedding_bag_4bit", bags},
    {"quantized::embedding_bag_byte_rowwise_offsets", bags},
    {"quantized::embedding_bag_4bit_rowwise_offsets", bags},
    {"quantized::embedding_bag_2bit_rowwise_offsets", bags},
    {"aten::native_batch_norm", norm},
    {"aten::_native_batch_norm_legit", norm},
    {"aten::_native_batch_norm_legit_functional", norm},
    {"aten::_native_batch_norm_legit_no_training", norm},
    {"aten::_batch_norm_no_update", norm},
    {"aten::_batch_norm_with_update", norm},
    {"aten::_batch_norm_with_update_functional", norm},
    {"aten::_batch_norm_impl_index", norm},
    {"aten::native_group_norm", group_norm},
    {"aten::lu_solve", pivots},
    {"aten::lu_unpack", pivots},
    {"aten::linalg_lu_solve", pivots},
    {"aten::linalg_ldl_solve", pivots},
    {"aten::_fft_c2c", fourier},
    {"aten::_fft_c2r", fourier},
    {"aten::_fft_r2c", fourier},
    {"aten::unbind", parts},
    {"aten::split", parts},
    {"aten::unsafe_split", parts},
    {"aten::chunk", parts},
    {"aten::unsafe_chunk", parts},
    {"aten::tensor_split.sections", parts},
    {"aten::_stack", stack},
    {"aten::_weight_norm_interface", weight_norm},
    {"aten::_weight_norm", weight_norm},
    {"aten::linalg_eig", eigenvalues},
    {"aten::linalg_eigvals", eigenvalues},
    {"aten::linalg_matrix_power", bound_number},
    {"aten::matrix_power", bound_number},
    {"aten::special_chebyshev_polynomial_t", bound_number},
    {"aten::special_chebyshev_polynomial_u", bound_number},
    {"aten::special_chebyshev_polynomial_v", bound_number},
    {"aten::special_chebyshev_polynomial_w", bound_number},
    {"aten::special_shifted_chebyshev_polynomial_t", bound_number},
    {"aten::special_shifted_chebyshev_polynomial_u", bound_number},
    {"aten::special_shifted_chebyshev_polynomial_v", bound_number},
    {"aten::special_shifted_chebyshev_polynomial_w", bound_number},
    {"aten::special_hermite_polynomial_h", bound_number},
    {"aten::special_hermite_polynomial_he", bound_number},
    {"aten::special_laguerre_polynomial_l", bound_number},
    {"aten::special_legendre_polynomial_p", bound_number},
    {"aten::random", bound_range},
    {"aten::random_", bound_range},
    {"aten::_make_per_channel_quantized_tensor", per_channel},
    {"aten::quantize_per_channel", per_channel},
    {"aten::_fake_quantize_learnable_per_channel_affine", per_channel},
    {"aten::_fake_quantize_learnable_per_tensor_affine", observer},
    {"aten::_fused_moving_avg_obs_fq_helper", observer},
    {"aten::_fused_moving_avg_obs_fq_helper_functional", observer},
    {"aten::fused_moving_avg_obs_fake_quant", observer},
};

}  // namespace

std::span<const GuardRow> guards_of_tensors() { return kTensorRows; }

}  // namespace t2n::trace

// SPDX-License-Identifier: Apache-2.0
// Guards of operators that read tensors in LibTorch's own packed order. Its kernels compute the
// size of such a tensor from other operands and do not check it.
#include <ATen/Functions.h>

#include <limits>

#include "src/frontend/load/guard_rows.h"

namespace t2n::trace {
namespace {

bool is_float_tensor(const at::Tensor& tensor) {
  const at::ScalarType type = tensor.scalar_type();
  return type == at::kFloat || type == at::kHalf || type == at::kBFloat16;
}

/// The kernels index with 32 bits.
bool fits_int32(const at::Tensor& tensor) {
  return tensor.numel() > 0 && tensor.numel() <= std::numeric_limits<int32_t>::max();
}

void require_matrix(const Operands& in, const at::Tensor& tensor, const char* why) {
  in.require(tensor.defined() && tensor.dim() == 2 && tensor.is_contiguous() && fits_int32(tensor),
             why);
}

// Tables of rows: each row ends with a scale and a minimum.
/// The number of these bytes.
int64_t tail(const Operands& in) { return in.name().find("_byte_") != std::string::npos ? 8 : 4; }

void packed_rows(const Operands& in) {
  const at::Tensor weight = in.tensor("weight");
  in.require(weight.defined() && weight.scalar_type() == at::kByte && weight.dim() == 2 &&
                 weight.is_contiguous() && weight.size(1) > tail(in),
             "its table has no rows of bytes that end with a scale");
}

void not_pruned(const Operands& in) {
  const c10::IValue* pruned = in.find("pruned_weights");
  const bool is_pruned = pruned != nullptr && pruned->isBool() && pruned->toBool();
  in.require(!is_pruned && !in.tensor("compressed_indices_mapping").defined(),
             "rows of its table were pruned, and LibTorch does not check the list of pruned rows");
}

void bags_of_packed_rows(const Operands& in) {
  packed_rows(in);
  not_pruned(in);
  const at::Tensor weights = in.tensor("per_sample_weights");
  if (weights.defined())
    in.require(weights.scalar_type() == at::kFloat && weights.is_contiguous(),
               "the weights of its samples are not contiguous f32");
}

void rows_to_pack(const Operands& in) {
  const at::Tensor weight = in.tensor("weight");
  in.require(weight.defined() && weight.dim() == 2 && weight.numel() > 0 &&
                 (weight.scalar_type() == at::kFloat || weight.scalar_type() == at::kHalf),
             "its operand is not a table of f32 or f16");
  const int64_t each = tail(in) == 8 ? 1 : in.name().find("_4bit_") != std::string::npos ? 2 : 4;
  in.require(weight.size(1) % each == 0, "the rows of its table do not fill whole bytes");
  const at::Tensor ends = in.tensor("rowwise_min_max");
  if (ends.defined())
    in.require(ends.dim() == 2 && ends.size(0) == weight.size(0) && ends.size(1) == 2 &&
                   ends.is_contiguous() && ends.scalar_type() == weight.scalar_type(),
               "there is not one minimum and one maximum for each row");
  constexpr int64_t kMaxBins = 10'000;
  const int64_t bins = in.integer("nbins", 1);
  in.require(bins > 0 && bins <= kMaxBins, "its number of bins is out of range");
  const c10::IValue* ratio = in.find("ratio");
  if (ratio != nullptr && ratio->isDouble())
    in.require(ratio->toDouble() >= 0 && ratio->toDouble() <= 1, "its ratio is not in [0, 1]");
}

void int8_matrix(const Operands& in) {
  const at::Tensor x = in.tensor("self");
  const at::Tensor weight = in.tensor("mat2");
  const at::Tensor scales = in.tensor("scales");
  require_matrix(in, x, "its operand is not a contiguous matrix");
  require_matrix(in, weight, "its weight is not a contiguous matrix");
  in.require(is_float_tensor(x) && weight.scalar_type() == at::kChar && weight.size(1) == x.size(1),
             "its weight does not fit its operand");
  in.require(scales.defined() && scales.dim() == 1 && scales.is_contiguous() &&
                 scales.size(0) == weight.size(0) && scales.scalar_type() == x.scalar_type(),
             "there is not one scale for each row of its weight");
}

void int4_to_pack(const Operands& in) {
  const at::Tensor weight = in.tensor("self");
  require_matrix(in, weight, "its weight is not a contiguous matrix");
  in.require(
      weight.scalar_type() == at::kInt && weight.size(0) % 16 == 0 && weight.size(1) % 2 == 0,
      "its weight is not i32, or does not fill blocks of 16 rows");
}

void check_int4_matrix(const Operands& in) {
  const at::Tensor x = in.tensor("self");
  const at::Tensor weight = in.tensor("mat2");
  const at::Tensor scales = in.tensor("qScaleAndZeros");
  const int64_t group = in.integer("qGroupSize", 0);
  require_matrix(in, x, "its operand is not a contiguous matrix");
  require_matrix(in, weight, "its weight is not a contiguous matrix");
  in.require(is_float_tensor(x) && weight.scalar_type() == at::kByte &&
                 weight.size(1) * 2 == x.size(1) && weight.size(0) % 16 == 0,
             "its weight does not fit its operand");
  in.require(group > 0 && x.size(1) % group == 0, "its columns do not fill groups");
  in.require(scales.defined() && scales.dim() == 3 && scales.is_contiguous() &&
                 scales.size(0) == x.size(1) / group && scales.size(1) == weight.size(0) &&
                 scales.size(2) == 2 && scales.scalar_type() == x.scalar_type(),
             "there is not one scale and zero point for each group of each row of its weight");
}

/// Sizes of the matrix, which are operands of their own.
struct Sizes {
  int64_t block;
  int64_t columns;
  int64_t rows;
};

Sizes dynamic_sizes(const Operands& in) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  const Sizes out = {in.integer("block_size", 0), in.integer("in_features", 0),
                     in.integer("out_features", 0)};
  in.require(
      out.columns > 0 && out.rows > 0 && out.rows <= kMax / out.columns && out.columns % 2 == 0,
      "its numbers of features are not those of a matrix");
  in.require(out.block > 0 && out.columns % out.block == 0 &&
                 (out.block == out.columns || out.block % 32 == 0),
             "its columns do not fill blocks of 32");
  return out;
}

void dynamic_to_pack(const Operands& in) {
  const Sizes sizes = dynamic_sizes(in);
  const at::Tensor weights = in.tensor("weights");
  const at::Tensor scales = in.tensor("scales_zeros");
  const at::Tensor bias = in.tensor("bias");
  in.require(weights.defined() && weights.scalar_type() == at::kByte &&
                 weights.numel() == sizes.rows * sizes.columns / 2,
             "its weights are not two per byte");
  in.require(scales.defined() && is_float_tensor(scales) &&
                 scales.numel() == sizes.rows * (sizes.columns / sizes.block),
             "there is not one scale for each block");
  in.require(!bias.defined() || (bias.numel() == sizes.rows && bias.is_contiguous()),
             "there is not one bias for each row");
}

void check_dynamic_matrix(const Operands& in) {
  const Sizes sizes = dynamic_sizes(in);
  const at::Tensor x = in.tensor("inp");
  const at::Tensor packed = in.tensor("packed_weights");
  require_matrix(in, x, "its operand is not a contiguous matrix");
  in.require(x.scalar_type() == at::kFloat && x.size(1) == sizes.columns,
             "its operand is not f32, or its number of columns differs");
  const int64_t expected =
      sizes.rows * sizes.columns / 2 + sizes.rows * (sizes.columns / sizes.block);
  in.require(packed.defined() && packed.dim() == 1 && packed.is_contiguous() &&
                 packed.scalar_type() == at::kFloat &&
                 (packed.numel() == expected || packed.numel() == expected + sizes.rows),
             "its weights are not packed for these features");
}

constexpr GuardRow kPackedRows[] = {
    {"quantized::embedding_bag_byte_rowwise_offsets", bags_of_packed_rows},
    {"quantized::embedding_bag_4bit_rowwise_offsets", bags_of_packed_rows},
    {"quantized::embedding_bag_2bit_rowwise_offsets", bags_of_packed_rows},
    {"quantized::embedding_bag_byte", not_pruned},
    {"quantized::embedding_bag_4bit", not_pruned},
    {"quantized::embedding_byte", not_pruned},
    {"quantized::embedding_4bit", not_pruned},
    {"quantized::embedding_bag_byte_unpack", packed_rows},
    {"quantized::embedding_bag_4bit_unpack", packed_rows},
    {"quantized::embedding_bag_2bit_unpack", packed_rows},
    {"quantized::embedding_bag_byte_prepack", rows_to_pack},
    {"quantized::embedding_bag_4bit_prepack", rows_to_pack},
    {"quantized::embedding_bag_2bit_prepack", rows_to_pack},
    {"quantized::embedding_bag_byte_prepack_with_rowwise_min_max", rows_to_pack},
    {"quantized::embedding_bag_4bit_prepack_with_rowwise_min_max", rows_to_pack},
    {"quantized::embedding_bag_2bit_prepack_with_rowwise_min_max", rows_to_pack},
    {"aten::_weight_int8pack_mm", int8_matrix},
    {"aten::_weight_int4pack_mm_for_cpu", check_int4_matrix},
    {"aten::_convert_weight_to_int4pack_for_cpu", int4_to_pack},
    {"aten::_dyn_quant_matmul_4bit", check_dynamic_matrix},
    {"aten::_dyn_quant_pack_4bit_weight", dynamic_to_pack},
};

}  // namespace

std::span<const GuardRow> guards_of_packed() { return kPackedRows; }

}  // namespace t2n::trace

// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/record/packed_tables.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "src/diag/error.h"
#include "src/diag/one_of.h"

namespace t2n::trace {
namespace {

// Tables of rows: a scale and a minimum follow each row.
/// The bits of a code in a table that this operator reads; 0 if it reads none.
int table_bits(const std::string& op) {
  if (!op.starts_with("quantized::embedding_bag_") || !op.ends_with("_rowwise_offsets")) return 0;
  if (op.find("_byte_") != op.npos) return 8;
  return op.find("_4bit_") != op.npos ? 4 : 2;
}

/// The codes in the first `bytes` bytes of each row; codes in low bits come first.
at::Tensor codes_of(const at::Tensor& rows, int64_t bytes, int bits) {
  const int each = 8 / bits;
  const at::Tensor out = at::empty({rows.size(0), bytes * each}, at::kByte);
  const auto* from = rows.const_data_ptr<uint8_t>();
  auto* to = out.mutable_data_ptr<uint8_t>();
  const int mask = (1 << bits) - 1;
  for (int64_t row = 0; row < rows.size(0); ++row)
    for (int64_t i = 0; i < bytes; ++i)
      for (int k = 0; k < each; ++k)
        *to++ = static_cast<uint8_t>((from[row * rows.size(1) + i] >> (k * bits)) & mask);
  return out;
}

/// The numbers after the codes of each row: f32 after 8-bit codes, f16 after shorter ones.
at::Tensor row_numbers(const at::Tensor& rows, int64_t begin, at::ScalarType type) {
  const auto size = static_cast<int64_t>(c10::elementSize(type));
  const at::Tensor bytes = rows.slice(1, begin, begin + size).contiguous();
  return bytes.view(type).to(at::kFloat).reshape({-1});
}

std::vector<PackedPart> embedding_rows(const at::Tensor& packed, int bits) {
  const at::Tensor rows = packed.contiguous();
  const at::ScalarType type = bits == 8 ? at::kFloat : at::kHalf;
  const auto size = static_cast<int64_t>(c10::elementSize(type));
  const int64_t bytes = rows.size(1) - 2 * size;
  return {{"weight", codes_of(rows, bytes, bits)},
          {"scales", row_numbers(rows, bytes, type)},
          {"least", row_numbers(rows, bytes + size, type)}};
}

/// Undoes the order of LibTorch's kernels. In blocks of `block` rows, for each column, the low
/// halves of the bytes belong to the first half of each 32 rows (of 64: to the first 32), the high
/// halves to the other half. In the remaining rows, and everywhere in other builds, a byte contains
/// two adjacent rows.
at::Tensor unpacked(const at::Tensor& packed, int64_t rows, int64_t columns, int64_t block) {
  const at::Tensor out = at::empty({rows, columns}, at::kByte);
  const auto* from = packed.const_data_ptr<uint8_t>();
  auto* to = out.mutable_data_ptr<uint8_t>();
  const int64_t step = std::max<int64_t>(block, 64);
  for (int64_t begin = 0; begin < rows; begin += step) {
    const int64_t count = std::min(step, rows - begin);
    const uint8_t* source = from + begin * columns / 2;
    for (int64_t n = 0; n < count; ++n) {
      const bool is_full = count == block;
      const int64_t row = is_full ? n % (block / 2) : n / 2;
      const bool is_high = is_full ? n >= block / 2 : n % 2 == 1;
      for (int64_t k = 0; k < columns; ++k) {
        const uint8_t both = source[k * count / 2 + row];
        to[(begin + n) * columns + k] = static_cast<uint8_t>(is_high ? both >> 4 : both & 15);
      }
    }
  }
  return out;
}

at::Tensor unpacked_by(const at::Tensor& packed, int64_t block) {
  const int64_t rows = packed.size(0);
  const int64_t columns = 2 * packed.size(1);
  if (block != 32) return unpacked(packed, rows, columns, block);
  std::vector<at::Tensor> parts;  // blocks of less than 64 rows
  const at::Tensor flat = packed.reshape({-1});
  for (int64_t begin = 0; begin < rows; begin += block) {
    const int64_t count = std::min(block, rows - begin);
    const at::Tensor bytes =
        flat.slice(0, begin * columns / 2, (begin + count) * columns / 2).contiguous();
    parts.push_back(unpacked(bytes, count, columns, block));
  }
  return at::cat(parts);
}

/// The number of rows of a block, which depends on the processor: found by packing a test matrix.
int64_t detect_block() {
  constexpr int64_t kRows = 112;  // contains each kind of block, and a remainder
  const at::Tensor sample =
      at::arange(kRows * 4, at::kInt).mul(7).remainder(16).reshape({kRows, 4}).to(at::kInt);
  const at::Tensor packed = at::_convert_weight_to_int4pack_for_cpu(sample, 1).contiguous();
  for (const int64_t block : {int64_t{64}, int64_t{32}, int64_t{0}})
    if (unpacked_by(packed, block).equal(sample.to(at::kByte))) return block;
  throw Error("unsupported-argument", "LibTorch packs weights of 4 bits in an unknown order",
              "t2nnef supports the orders of LibTorch for AVX2, AVX512 and other processors",
              "export with the LibTorch that t2nnef was built for");
}

std::vector<PackedPart> int4_matrix(const at::Tensor& packed) {
  static const int64_t block = detect_block();
  return {{"weight", unpacked_by(packed.contiguous(), block)}};
}

/// Codes, scales and a bias as floats, in this order.
std::vector<PackedPart> dynamic_matrix(const torch::jit::Stack& inputs) {
  const at::Tensor packed = inputs[1].toTensor().contiguous();
  const int64_t block = inputs[2].toInt();
  const int64_t columns = inputs[3].toInt();
  const int64_t rows = inputs[4].toInt();
  const int64_t bytes = rows * columns / 2;
  const int64_t scales = rows * (columns / block);
  const at::Tensor codes = packed.slice(0, 0, bytes).to(at::kByte).reshape({rows, columns / 2});
  return {{"weight", codes_of(codes, columns / 2, 4)},
          {"scales", packed.slice(0, bytes, bytes + scales)
                         .to(at::kFloat)
                         .reshape({rows, columns / block})
                         .clone()},
          {"bias", packed.size(0) == bytes + scales
                       ? c10::IValue()
                       : c10::IValue(packed.slice(0, bytes + scales).to(at::kFloat).clone())}};
}

}  // namespace

bool is_packing(const std::string& op, const std::vector<at::Tensor>& results) {
  const bool is_table = std::any_of(results.begin(), results.end(), [](const at::Tensor& each) {
    return each.is_quantized() && each.qscheme() == at::kPerChannelAffineFloatQParams;
  });
  if (is_table) return true;
  constexpr std::array<std::string_view, 4> kNames = {
      "aten::_convert_weight_to_int4pack_for_cpu", "aten::_dyn_quant_pack_4bit_weight",
      "quantized::embedding_bag_unpack", "quantized::linear_unpack"};
  if (op.starts_with("quantized::embedding_bag_") &&
      (op.find("_prepack") != op.npos || op.ends_with("bit_unpack") || op.ends_with("byte_unpack")))
    return true;
  return (op.starts_with("quantized::conv") && op.ends_with("_unpack")) || is_one_of(op, kNames);
}

bool reads_packed(const std::string& op, size_t argument) {
  if (argument == 0) return table_bits(op) != 0;
  return argument == 1 &&
         (op == "aten::_weight_int4pack_mm_for_cpu" || op == "aten::_dyn_quant_matmul_4bit");
}

std::vector<PackedPart> parts_of_table(const std::string& op, const torch::jit::Stack& inputs) {
  if (const int bits = table_bits(op)) return embedding_rows(inputs.at(0).toTensor(), bits);
  if (op == "aten::_weight_int4pack_mm_for_cpu") return int4_matrix(inputs.at(1).toTensor());
  return dynamic_matrix(inputs);
}

}  // namespace t2n::trace

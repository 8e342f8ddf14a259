// SPDX-License-Identifier: Apache-2.0
// Rounding with error compensation: each column's error is distributed over the columns after it,
// by the correlation of the inputs, so that the outputs change least (GPTQ, Frantar et al. 2022).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/compress/round/q4_0.h"

namespace t2n::compress {

struct GptqOptions {
  /// The addition to the diagonal of the moments, relative to its mean. With less, rounding
  /// overfits the samples (fixtures/char_lm loses more at a fifth and at twice as much).
  double damping = 0.05;
  /// Columns of large inputs come first, so that more columns can compensate their errors. The
  /// scales of blocks are then chosen before anything is rounded.
  bool largest_first = false;
};

/// The quantisation parameters of a weight's rows.
struct IntegerQParams {
  std::vector<double> scales;        ///< one, or one per row
  std::vector<int64_t> zero_points;  ///< as many: value = (q - zero_point) * scale
  int64_t lowest = -128;
  int64_t highest = 127;
};

/// The weight [N, …] of f32 or f16 as integers, row by row, one byte each: i8 if
/// `lowest` is negative, else u8. `moments` is X^T X, [K, K] row by row, of the rows' inputs, or
/// [groups, K, K] if each group of rows has its own inputs. Columns of inputs that are always zero
/// are rounded to nearest. Pruned elements, which are zero, stay zero.
ir::Tensor compensated_integers(const ir::Tensor& weight, std::span<const double> moments,
                                const IntegerQParams& qparams, const GptqOptions& options = {});

/// The same as Q4_0 blocks: a block's scale is chosen when its first column is reached.
Packed compensated_q4_0(const ir::Tensor& weight, std::span<const double> moments, Q4Scale rule,
                        const GptqOptions& options = {});

}  // namespace t2n::compress

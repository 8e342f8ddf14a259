// Rounding that makes up for itself: each column's error is spread over the columns after it, as
// the inputs correlate, so that the outputs change least (GPTQ, Frantar et al. 2022).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/compress/q4_0.h"

namespace t2n::compress {

struct GptqOptions {
  /// What is added to the diagonal of the moments, in parts of its mean: less follows the samples
  /// further than others bear out (fixtures/char_lm loses more at a fifth and at twice as much).
  double damping = 0.05;
  /// Columns of large inputs first, so that their errors find most others to go to. Scales of
  /// blocks are then chosen before anything is rounded.
  bool largest_first = false;
};

/// The integers that a row may hold.
struct IntegerGrid {
  std::vector<double> scales;        ///< one, or one per row
  std::vector<int64_t> zero_points;  ///< as many: real = (q - zero_point) * scale
  int64_t lowest = -128;
  int64_t highest = 127;
};

/// The weight [N, …] of f32 or f16 in integers of the grid, row by row, one byte each: i8 where
/// `lowest` is negative, else u8. `moments` is X^T X, [K, K] row by row, of what rows are
/// multiplied with, or [groups, K, K] where each of as many groups of rows has inputs of its own;
/// inputs that were never seen leave their columns to the nearest. Zeros stay zeros: they were
/// pruned.
ir::Tensor compensated_integers(const ir::Tensor& weight, std::span<const double> moments,
                                const IntegerGrid& grid, const GptqOptions& options = {});

/// The same as Q4_0 blocks: the scale of a block is chosen when its first column is reached.
Packed compensated_q4_0(const ir::Tensor& weight, std::span<const double> moments, Q4Scale rule,
                        const GptqOptions& options = {});

}  // namespace t2n::compress

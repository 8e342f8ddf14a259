// SPDX-License-Identifier: Apache-2.0
// With H the damped moments and U the upper triangle of H^-1 = U^T . U: the remaining rounding
// error of column c, divided by U[c][c], is subtracted from each later column j, multiplied by
// U[c][j].
#include "src/compress/round/gptq.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "ir/elements.h"
#include "src/compress/round/tiles.h"
#include "src/diag/error.h"

namespace t2n::compress {
namespace {

using ir::Tensor;

/// The order in which columns are rounded, and U in that order.
struct RoundingPlan {
  std::vector<size_t> order;
  Square upper{0};
};

std::vector<size_t> order_of(std::span<const double> moments, size_t columns, bool largest_first) {
  std::vector<size_t> order(columns);
  std::iota(order.begin(), order.end(), size_t{0});
  if (largest_first)
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return moments[a * columns + a] > moments[b * columns + b];
    });
  return order;
}

double mean_of_diagonal(std::span<const double> moments, size_t columns) {
  double sum = 0;
  for (size_t i = 0; i < columns; ++i) sum += moments[i * columns + i];
  return sum / static_cast<double>(columns);
}

/// The moments in reversed order, with `damping` on the diagonal. Padding columns, and inputs that
/// are always zero, get the diagonal `isolated`, so that no error propagates to them.
Square reversed(std::span<const double> moments, const std::vector<size_t>& order, double damping,
                double isolated) {
  const size_t columns = order.size();
  Square out(padded_to_tiles(columns));
  const size_t last = out.size - 1;
  for (size_t i = 0; i < out.size; ++i) {
    double& diagonal = out.at(last - i, last - i);
    if (i >= columns) {
      diagonal = isolated;
      continue;
    }
    for (size_t j = 0; j < columns; ++j)
      out.at(last - i, last - j) = moments[order[i] * columns + order[j]];
    diagonal = diagonal == 0 ? isolated : diagonal + damping;
  }
  return out;
}

/// U of H^-1 = U^T . U: with the reversed H = L . L^T, it is the reversed L^-1.
RoundingPlan plan_of(std::span<const double> moments, size_t columns, const GptqOptions& options) {
  constexpr int kAttempts = 12;
  const double mean = mean_of_diagonal(moments, columns);
  const double isolated = mean > 0 ? mean : 1;
  RoundingPlan plan{order_of(moments, columns, options.largest_first)};
  double damping = std::max(options.damping, 1e-12) * isolated;
  for (int attempt = 0; attempt < kAttempts; ++attempt, damping *= 10) {
    Square lower = reversed(moments, plan.order, damping, isolated);
    if (!factorise(lower)) continue;
    plan.upper = inverse_of_lower(lower);
    std::reverse(plan.upper.values.begin(), plan.upper.values.end());
    return plan;
  }
  throw Error("internal", "the second moments of a layer's inputs have no inverse");
}

/// 64 rows of a weight in the order of a plan, zero-padded to full tiles.
struct Panel {
  explicit Panel(size_t columns) : stride(padded_to_tiles(columns)), values(kTile * stride) {}
  double* row(size_t index) { return values.data() + index * stride; }

  size_t stride;
  std::vector<double> values;
};

/// A value to be rounded, the values in the columns after it, and its row of U from the diagonal
/// on; `stride` is the row stride of U.
struct RowTail {
  const double* values;
  const double* upper;
  size_t stride;
};

/// Rounds the columns of one tile; `errors` receives the errors that later tiles compensate.
template <typename Rounder>
void round_tile(Panel& panel, const RoundingPlan& plan, size_t tile_index, size_t rows,
                Rounder& rounder, std::array<double, kTile * kTile>& errors) {
  const size_t begin = tile_index * kTile;
  const size_t count = std::min(kTile, plan.order.size() - begin);
  for (size_t row = 0; row < rows; ++row) {
    double* values = panel.row(row) + begin;
    for (size_t c = 0; c < count; ++c) {
      const double* upper = &plan.upper.values[(begin + c) * plan.upper.size + begin];
      const RowTail tail{values + c, upper + c, plan.upper.size};
      const double value = rounder.round(row, plan.order[begin + c], tail);
      const double error = (values[c] - value) / upper[c];
      errors[row * kTile + c] = error;
      for (size_t j = c + 1; j < count; ++j) values[j] -= error * upper[j];
    }
  }
}

/// Passes all elements of the rows from `begin` to `end` to the rounder, column by column.
template <typename Rounder>
void round_rows(const Tensor& weight, size_t begin, size_t end, const RoundingPlan& plan,
                Rounder& rounder) {
  const size_t columns = plan.order.size(), tiles = plan.upper.size / kTile;
  std::vector<float> row;
  for (size_t first = begin; first < end; first += kTile) {
    Panel panel(columns);
    const size_t rows = std::min(kTile, end - first);
    rounder.start_panel(first);
    for (size_t i = 0; i < rows; ++i) {
      ir::read_row(weight, static_cast<int64_t>(first + i), row);
      rounder.start_row(row);
      for (size_t c = 0; c < columns; ++c) panel.row(i)[c] = row[plan.order[c]];
    }
    for (size_t t = 0; t < tiles; ++t) {
      std::array<double, kTile * kTile> errors{};
      round_tile(panel, plan, t, rows, rounder, errors);
      for (size_t later = t + 1; later < tiles; ++later)
        subtract_product({panel.values.data() + later * kTile, panel.stride},
                         {errors.data(), kTile}, tile(plan.upper, t, later));
    }
    rounder.finish_panel(rows);
  }
}

size_t columns_of(const Tensor& weight) { return weight.elements() / weight.shape.at(0); }

/// Passes all elements to the rounder, one group of rows after another, with the moments of the
/// group's inputs.
template <typename Rounder>
void round_all(const Tensor& weight, std::span<const double> moments, const GptqOptions& options,
               Rounder& rounder) {
  const size_t columns = columns_of(weight), square = columns * columns;
  const size_t all = weight.shape[0];
  const size_t groups = moments.size() / square;
  T2N_ASSERT(groups > 0 && moments.size() == groups * square && all % groups == 0, "moments of ",
             moments.size(), " numbers for ", all, " rows of ", columns, " columns");
  const size_t rows = all / groups;
  for (size_t group = 0; group < groups; ++group)
    round_rows(weight, group * rows, (group + 1) * rows,
               plan_of(moments.subspan(group * square, square), columns, options), rounder);
}

/// Rounds to integers with fixed quantisation parameters.
class Integers {
 public:
  Integers(const IntegerQParams& qparams, size_t columns, std::span<std::byte> out)
      : qparams_(qparams), columns_(columns), out_(out) {}

  void start_panel(size_t first) {
    first_ = first;
    original_.clear();
  }
  void start_row(std::span<const float> values) {
    original_.insert(original_.end(), values.begin(), values.end());
  }
  void finish_panel(size_t) {}

  double round(size_t row, size_t column, const RowTail& tail) {
    const size_t channel = qparams_.scales.size() == 1 ? 0 : first_ + row;
    const double scale = qparams_.scales.at(channel);
    const auto zero = static_cast<double>(qparams_.zero_points.at(channel));
    const bool is_pruned = original_[row * columns_ + column] == 0;
    const double centred = is_pruned ? 0 : std::nearbyint(*tail.values / scale);
    const double code = std::clamp(centred + zero, static_cast<double>(qparams_.lowest),
                                   static_cast<double>(qparams_.highest));
    out_[(first_ + row) * columns_ + column] = static_cast<std::byte>(static_cast<int>(code) & 255);
    return (code - zero) * scale;
  }

 private:
  const IntegerQParams& qparams_;
  size_t columns_;
  std::span<std::byte> out_;
  size_t first_ = 0;
  std::vector<float> original_;  ///< of the panel's rows
};

/// Rounds to Q4_0 blocks. A block's scale is chosen from the current values of its columns, or in
/// advance.
class Blocks {
 public:
  Blocks(Q4Scale rule, bool is_in_order, size_t columns, std::span<std::byte> out, Packed& packed)
      : rule_(rule),
        is_in_order_(is_in_order),
        columns_(columns),
        remaining_(out),
        packed_(packed) {}

  void start_panel(size_t) {
    original_.clear();
    scales_.clear();
    codes_.assign(kTile * columns_, 0);
  }

  void start_row(std::span<const float> values) {
    original_.insert(original_.end(), values.begin(), values.end());
    for (size_t at = 0; at < columns_; at += kBlock)
      scales_.push_back(is_in_order_ ? 0 : q4_scale(values.subspan(at, kBlock), rule_));
  }

  double round(size_t row, size_t column, const RowTail& tail) {
    const size_t at = row * columns_ + column;
    float& scale = scales_[at / kBlock];
    if (is_in_order_ && column % kBlock == 0) scale = chosen(tail, &original_[at]);
    const int code = original_[at] == 0 ? kZero : q4_code(*tail.values, scale);
    codes_[at] = static_cast<uint8_t>(code);
    const double rounded = double{scale} * (code - kZero);
    const double before = original_[at], error = before - rounded;
    packed_.squared_error += error * error;
    packed_.squared_sum += before * before;
    return rounded;
  }

  void finish_panel(size_t rows) {
    for (size_t at = 0; at < rows * columns_; at += kBlock) {
      const float scale = scales_[at / kBlock];
      if (!std::isfinite(scale)) packed_.problem = kQ4TooLarge;
      write_q4_block(scale, std::span(codes_).subspan(at, kBlock), remaining_);
      remaining_ = remaining_.subspan(kQ4Bytes);
    }
  }

 private:
  static constexpr size_t kBlock = kQ4Values;
  static constexpr int kZero = 8;

  /// The scale, near the rule's, that minimises the block's cost if each column's error propagates
  /// to the columns after it.
  float chosen(const RowTail& tail, const float* original) const {
    constexpr int kSteps = 12;
    constexpr double kStep = 0.025;
    std::array<float, kBlock> block{};
    for (size_t i = 0; i < kBlock; ++i) block[i] = static_cast<float>(tail.values[i]);
    const float first = q4_scale(block, rule_);
    if (rule_ == Q4Scale::largest || first == 0 || !std::isfinite(first)) return first;
    float best = first;
    double least = cost(tail, original, first);
    for (int step = -kSteps; step <= kSteps; ++step) {
      const double candidate = double{first} * (1 + kStep * step);
      const float scale = ir::half_to_float(ir::float_to_half(static_cast<float>(candidate)));
      if (scale == 0 || !std::isfinite(scale)) continue;
      const double now = cost(tail, original, scale);
      if (now >= least) continue;
      least = now;
      best = scale;
    }
    return best;
  }

  /// The contribution of the rounded block to the squared error of the layer's results.
  static double cost(const RowTail& tail, const float* original, float scale) {
    std::array<double, kBlock> values{};
    std::copy_n(tail.values, kBlock, values.begin());
    double sum = 0;
    for (size_t i = 0; i < kBlock; ++i) {
      const double* upper = tail.upper + i * (tail.stride + 1);
      const int code = original[i] == 0 ? kZero : q4_code(values[i], scale);
      const double error = (values[i] - double{scale} * (code - kZero)) / upper[0];
      sum += error * error;
      for (size_t j = i + 1; j < kBlock; ++j) values[j] -= error * upper[j - i];
    }
    return sum;
  }

  Q4Scale rule_;
  bool is_in_order_;
  size_t columns_;
  std::span<std::byte> remaining_;
  Packed& packed_;
  std::vector<float> original_, scales_;  ///< of the panel's rows
  std::vector<uint8_t> codes_;
};

/// Reads row by row to limit memory use.
bool has_finite_rows(const Tensor& weight) {
  std::vector<float> row;
  for (int64_t i = 0; i < weight.shape[0]; ++i) {
    ir::read_row(weight, i, row);
    if (!std::all_of(row.begin(), row.end(), [](float v) { return std::isfinite(v); }))
      return false;
  }
  return true;
}

}  // namespace

Tensor compensated_integers(const Tensor& weight, std::span<const double> moments,
                            const IntegerQParams& qparams, const GptqOptions& options) {
  ir::OwnedTensor out =
      ir::allocate(qparams.lowest < 0 ? ir::DType::i8 : ir::DType::u8, weight.shape);
  Integers integers(qparams, columns_of(weight), out.data);
  round_all(weight, moments, options, integers);
  return std::move(out.tensor);
}

Packed compensated_q4_0(const Tensor& weight, std::span<const double> moments, Q4Scale rule,
                        const GptqOptions& options) {
  Packed packed;
  if (!has_finite_rows(weight)) {
    packed.problem = kQ4NotFinite;
    return packed;
  }
  ir::OwnedTensor out = ir::allocate(ir::DType::u8, packed_shape(weight.shape));
  Blocks blocks(rule, !options.largest_first, columns_of(weight), out.data, packed);
  round_all(weight, moments, options, blocks);
  if (packed.problem.empty()) packed.blocks = std::move(out.tensor);
  return packed;
}

}  // namespace t2n::compress

// SPDX-License-Identifier: Apache-2.0
// Measures the distance of an engine's output from the reference, and whether it is conclusive.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/tensor.h"
#include "src/check/tolerance.h"

namespace t2n::check {

enum class Verdict { ok, inconclusive, differs };

/// The difference between an output and its reference.
struct Deviation {
  Verdict verdict = Verdict::ok;  ///< ok or differs
  std::string mismatch;  ///< "shape [2,3], expected [2,4]"; if not empty, the numbers are invalid
  ir::DType dtype = ir::DType::f32;  ///< of the reference
  ir::Ints shape;                    ///< of the reference
  double max_abs = 0;                ///< infinite if only one of the two is finite
  double max_rel = 0;                ///< over elements larger than the absolute tolerance
  double snr_db = 0;                 ///< infinite without a difference
  double ulp_p99 = 0;                ///< 99 % of elements differ by at most so many ulps; floats
  int64_t outliers = 0;              ///< elements outside the margins
  int64_t not_finite = 0;  ///< elements that are NaN or infinite on one side only; never tolerated
  int64_t expected_not_finite = 0;  ///< elements of the reference that are NaN or infinite
  double excess = 0;                ///< of the worst element, in units of its allowance
  // The element with the largest excess.
  ir::Ints worst;
  double expected = 0;
  double actual = 0;
  double allowed = 0;
};

/// Compares complex tensors as real ones with a last axis of two.
Deviation compare(const ir::Tensor& expected, const ir::Tensor& actual, const Tolerance& tolerance);

/// The difference of each element in units of its allowance; empty if dtypes or shapes differ.
std::vector<double> excesses(const ir::Tensor& expected, const ir::Tensor& actual,
                             const Tolerance& tolerance);

/// The allowance of each element.
std::vector<double> allowances(const ir::Tensor& expected, const Tolerance& tolerance);

/// Records which elements of an output changed with the inputs, and how much.
class Movement {
 public:
  /// Adds another reference of the same output. A change of shape counts as a change of all
  /// elements.
  void see(const ir::Tensor& before, const ir::Tensor& after, const Tolerance& tolerance);
  /// The share of elements that changed by at least kMinResponse tolerances once; 0 before the
  /// first see(), 1 without elements.
  double share() const;
  /// The median of the elements' largest changes, in units of the tolerance.
  double median() const;
  /// The largest change of any element.
  double strongest() const;

 private:
  std::vector<float> changes_;  ///< by element
  bool all_ = false;
};

/// If an output changes less than this, a wrong export would pass as well.
constexpr double kMinResponse = 20;

/// The distances of a result, and of torch's, from the f64 result.
struct F64Distance {
  double result_rms = 0;
  double result_max = 0;
  double torch_rms = 0;
  double torch_max = 0;
  double scale_rms = 0;  ///< of the values themselves
  double noise = 0;      ///< the rounding error of the largest value, in any element
  /// Rounding the inputs and weights changes the values by as much, and by more than a hundredth.
  bool is_unstable = false;

  /// Whether torch is at most a small factor closer to f64.
  bool is_as_near() const;
  /// result_rms in units of torch_rms, or of the dtype's rounding if that is larger.
  double ratio(ir::DType dtype) const;
};
/// Raises torch's error to the effect of rounding inputs and weights, given by `nearby`, the f64
/// result for rounded ones. Does not raise it beyond a hundredth of the values: such inputs cannot
/// distinguish a right file from a wrong one with about the same error.
F64Distance widened(F64Distance f64_distance, const ir::Tensor& exact, const ir::Tensor& nearby);
/// Measures where all three are finite; `exact` is f64. Nothing for integers, if shapes differ, or
/// if f64 is not finite where torch is, and the other two differ.
std::optional<F64Distance> measure(const ir::Tensor& exact, const ir::Tensor& torch,
                                   const ir::Tensor& result);

/// "'logits'[0,17]: expected 4.12, got 3.81 (off by 0.31, allowed 0.0021)", for `output-mismatch`.
std::string mismatch_text(std::string_view output, const Deviation& comparison);

}  // namespace t2n::check

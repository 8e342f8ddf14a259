// How far an engine's output is from the reference, and whether that says anything.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/tensor.h"

namespace t2n::check {

enum class Level { exact, close, approximate, very, super, ultra, custom };

struct Bounds {
  double absolute = 0;  ///< per element, scaled by min(1, largest finite |reference| around it)
  double relative = 0;  ///< per element, of |reference|
  double outliers = 0;  ///< ratio of the elements that may be outside
};

struct Tolerance {
  Level level = Level::approximate;
  Bounds custom;  ///< of Level::custom
};

/// A level's name, or "A,R" or "A,R,O": absolute, relative, ratio of outliers.   Errors: `usage`.
Tolerance parse_tolerance(std::string_view text);
/// "approximate (atol 0.0001, rtol 0.0005)", with the numbers for f32.
std::string tolerance_str(const Tolerance& tolerance);
/// tract's numbers; half types have their own. Integers and booleans are exact at every level.
Bounds bounds_for(const Tolerance& tolerance, ir::DType reference);

enum class Verdict { ok, inconclusive, differs };

struct Comparison {
  Verdict verdict = Verdict::ok;  ///< ok or differs
  std::string mismatch;  ///< "shape [2,3], expected [2,4]"; if not empty, the numbers are void
  ir::DType dtype = ir::DType::f32;  ///< of the reference
  ir::Ints shape;                    ///< of the reference
  double max_abs = 0;                ///< infinite if only one of two is finite
  double max_rel = 0;                ///< over elements larger than the absolute tolerance
  double snr_db = 0;                 ///< infinite if nothing differs
  int64_t outliers = 0;              ///< elements outside the bounds
  int64_t not_finite =
      0;  ///< those among them that are NaN or infinite on one side; never tolerated
  int64_t expected_not_finite = 0;  ///< elements of the reference that are NaN or infinite
  double excess = 0;                ///< of the worst element, in units of what is allowed there
  // The element that is furthest outside, or nearest to it.
  ir::Ints worst;
  double expected = 0;
  double actual = 0;
  double allowed = 0;
};

/// Complex tensors compare as real ones with a last axis of two.
Comparison compare(const ir::Tensor& expected, const ir::Tensor& actual,
                   const Tolerance& tolerance);

/// Per element its difference in units of what is allowed; empty where dtypes or shapes differ.
std::vector<double> excesses(const ir::Tensor& expected, const ir::Tensor& actual,
                             const Tolerance& tolerance);

/// Per element what is allowed.
std::vector<double> allowances(const ir::Tensor& expected, const Tolerance& tolerance);

/// Which elements of an output were seen to move, and how far, when inputs changed.
class Movement {
 public:
  /// Another reference of the same output. One of another shape moves all of it.
  void see(const ir::Tensor& before, const ir::Tensor& after, const Tolerance& tolerance);
  /// The ratio of elements that moved by kMinResponse tolerances at least, once; 0 if nothing was
  /// seen, 1 of no elements.
  double share() const;
  /// The median of the elements' largest moves, in units of the tolerance.
  double median() const;
  /// The largest move of any element.
  double strongest() const;

 private:
  std::vector<float> moves_;  ///< per element
  bool all_ = false;
};

/// A wrong export would pass as well where an output moves by less.
constexpr double kMinResponse = 20;

/// Distances of a result, and of torch's, from what f64 gives.
struct Yardstick {
  double result_rms = 0;
  double result_max = 0;
  double torch_rms = 0;
  double torch_max = 0;
  double scale_rms = 0;  ///< of the values themselves
  double noise = 0;      ///< what roundings leave of the largest value in any element
  /// Rounding the inputs and weights moves these values as far, and by more than a hundredth.
  bool is_unstable = false;

  /// Torch is no nearer than a small factor.
  bool is_as_near() const;
  /// result_rms in units of torch_rms, or of the rounding of the dtype where that is more.
  double ratio(ir::DType dtype) const;
};
/// Raises torch's error to what rounding the inputs and weights costs, which `nearby`, the f64
/// result beside them, shows. Where that is more than a hundredth of the values, nothing is raised:
/// such inputs cannot tell a right file from a wrong one that is about as far off.
Yardstick widened(Yardstick yardstick, const ir::Tensor& exact, const ir::Tensor& nearby);
/// Where all three are finite; `exact` is f64. Nothing for integers, where shapes differ, and where
/// f64 alone is not finite and the two differ there.
std::optional<Yardstick> measure(const ir::Tensor& exact, const ir::Tensor& torch,
                                 const ir::Tensor& result);

/// "'logits'[0,17]: expected 4.12, got 3.81 (off by 0.31, allowed 0.0021)"; for `output-mismatch`.
std::string mismatch_text(std::string_view output, const Comparison& comparison);

}  // namespace t2n::check

// SPDX-License-Identifier: Apache-2.0
#include "src/check/ties.h"

#include <algorithm>
#include <cmath>

#include "src/check/quanta.h"

namespace t2n::check {
namespace {

/// The largest share of a quantiser's elements that ties may change, and the largest relative
/// change of other outputs. Beyond these, a comparison is not conclusive.
constexpr double kMostMovable = 0.1;
constexpr double kMostMoved = 2e-2;

double rms(double sum, int64_t count) {
  return std::sqrt(sum / static_cast<double>(std::max<int64_t>(count, 1)));
}

/// The values of one element in all runs.
class ElementRuns {
 public:
  ElementRuns(const Runs& runs, size_t at) : runs_(runs), at_(at) {
    for (const std::vector<double>& run : runs) {
      if (!std::isfinite(run[at])) continue;
      low_ = std::min(low_, run[at]);
      high_ = std::max(high_, run[at]);
    }
  }
  double width() const { return std::max(high_ - low_, 0.0); }
  /// Whether the value lies between the runs and torch, up to `allowed`.
  bool reaches(double torch, double value, double allowed) const {
    return value >= std::min(low_, torch) - allowed && value <= std::max(high_, torch) + allowed;
  }
  bool reaches(double value, double allowed) const {
    return value >= low_ - allowed && value <= high_ + allowed;
  }
  /// Whether a run has exactly this value: classes and booleans have no values in between.
  bool has(double value) const {
    return std::any_of(runs_.begin(), runs_.end(),
                       [&](const std::vector<double>& run) { return run[at_] == value; });
  }

 private:
  const Runs& runs_;
  size_t at_;
  double low_ = HUGE_VAL;
  double high_ = -HUGE_VAL;
};

bool have_all(const Runs& runs, size_t elements) {
  return !runs.empty() &&
         std::all_of(runs.begin(), runs.end(),
                     [&](const std::vector<double>& run) { return run.size() == elements; });
}

/// The sum of squared differences of two outputs of one shape, and the largest difference.
struct TieDistance {
  double sum = 0;
  double most = 0;
};

TieDistance distance_between(const ir::Tensor& a, const ir::Tensor& b) {
  const std::vector<double> left = ir::to_f64(ir::as_pairs(a));
  const std::vector<double> right = ir::to_f64(ir::as_pairs(b));
  TieDistance out;
  for (size_t i = 0; i < left.size(); ++i) {
    const double delta = std::abs(left[i] - right[i]);
    if (!std::isfinite(delta)) continue;
    out.sum += delta * delta;
    out.most = std::max(out.most, delta);
  }
  return out;
}

bool is_of_classes(const ir::Tensor& tensor, std::optional<double> step) {
  return !ir::is_float(tensor.dtype) && !step;
}

}  // namespace

bool Ties::are_everywhere(bool is_discrete) const {
  if (is_discrete)
    return static_cast<double>(movable) > kMostMovable * static_cast<double>(elements);
  return moved_rms > kMostMoved * scale_rms;
}

std::optional<Ties> measure_ties(const ir::Tensor& torch, const ir::Tensor& result,
                                 const Runs& runs, const Tolerance& tolerance,
                                 std::optional<double> step) {
  const ir::Tensor expected = ir::as_pairs(torch);
  const ir::Tensor actual = ir::as_pairs(result);
  if (expected.shape != actual.shape || expected.dtype != actual.dtype) return std::nullopt;
  const std::vector<double> theirs = ir::to_f64(expected);
  const std::vector<double> ours = ir::to_f64(actual);
  if (!have_all(runs, theirs.size())) return std::nullopt;
  const std::vector<double> allowed = allowances(expected, tolerance);
  const bool is_of_class = is_of_classes(expected, step);
  Ties out;
  double off = 0;
  double moved = 0;
  double scale = 0;
  for (size_t i = 0; i < theirs.size(); ++i) {
    const ElementRuns element_runs(runs, i);
    const double delta = std::abs(ours[i] - theirs[i]);
    ++out.elements;
    out.movable += element_runs.width() > allowed[i];
    if (std::isfinite(delta)) off += delta * delta;
    moved += element_runs.width() * element_runs.width();
    if (std::isfinite(theirs[i])) scale += theirs[i] * theirs[i];
    if (delta <= allowed[i] || ours[i] == theirs[i]) continue;
    if (std::isnan(ours[i]) && std::isnan(theirs[i])) continue;
    ++out.off;
    const bool is_explained = is_of_class ? element_runs.has(ours[i])
                                          : element_runs.reaches(theirs[i], ours[i], allowed[i]);
    out.outside += !(std::isfinite(delta) && is_explained);
    out.between_steps += step && !is_integer_valued(delta / *step);
  }
  out.result_rms = rms(off, out.elements);
  out.moved_rms = rms(moved, out.elements);
  out.scale_rms = rms(scale, out.elements);
  return out;
}

bool are_within(const ir::Tensor& torch, const Runs& runs, const Tolerance& tolerance) {
  const ir::Tensor expected = ir::as_pairs(torch);
  const std::vector<double> values = ir::to_f64(expected);
  if (!have_all(runs, values.size())) return false;
  const std::vector<double> allowed = allowances(expected, tolerance);
  for (size_t i = 0; i < values.size(); ++i)
    if (std::isfinite(values[i]) && !ElementRuns(runs, i).reaches(values[i], allowed[i]))
      return false;
  return true;
}

Engines measure_engines(const ir::Tensor& torch, const ir::Tensor& other, const ir::Tensor& result,
                        const Runs& runs, const Tolerance& tolerance, std::optional<double> step) {
  Engines out;
  const Deviation same = compare(other, result, tolerance);
  out.is_other = same.verdict == Verdict::ok && same.outliers == 0;
  const auto ties = measure_ties(torch, other, runs, tolerance, step);
  const Deviation engines = compare(torch, other, tolerance);
  if (!engines.mismatch.empty() || !same.mismatch.empty()) return out;
  out.disagree = engines.outliers > 0 && !(ties && ties->explain_all());
  const TieDistance theirs = distance_between(torch, other);
  const TieDistance default_one = distance_between(torch, result);
  const TieDistance other_one = distance_between(other, result);
  out.are_as_far = std::min(default_one.sum, other_one.sum) <= theirs.sum &&
                   std::min(default_one.most, other_one.most) <= theirs.most;
  return out;
}

bool equals_but_for_ties(const ir::Tensor& torch, const ir::Tensor& result, const Runs& runs,
                         const Tolerance& tolerance, std::optional<double> step) {
  const auto ties = measure_ties(torch, result, runs, tolerance, step);
  if (!ties || !ties->explain_all() || !are_within(torch, runs, tolerance)) return false;
  const bool is_discrete = step || !ir::is_float(result.dtype);
  return !ties->are_everywhere(is_discrete) ||
         static_cast<double>(ties->off) <= kMostMovable * static_cast<double>(ties->elements);
}

}  // namespace t2n::check

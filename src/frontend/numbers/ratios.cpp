// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/numbers/ratios.h"

#include <cmath>
#include <numeric>

#include "ir/fraction.h"
#include "ir/prove.h"

namespace t2n::trace {
namespace {

using ir::Dim;
using ir::Relation;
constexpr int kMostRoundings = 4;

bool is_power_of_two(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

bool is_natural(const Dim& number) {
  return ir::prove({number, Relation::ge, 0}) == ir::Verdict::always;
}

bool is_exact(const Ratio& ratio) { return ratio.roundings == 0; }

std::optional<Ratio> bounded(Ratio ratio) {
  if (ratio.divisor > ir::kLargestFractionPart || ratio.roundings > kMostRoundings)
    return std::nullopt;
  return ratio;
}

std::optional<Ratio> product(const Ratio& a, const Ratio& b, int bits) {
  Ratio out{a.number * b.number, a.divisor * b.divisor, a.roundings + b.roundings, 0, bits};
  if (is_exact(a) && is_exact(b)) return out;
  if (!is_exact(a) && !is_exact(b)) return std::nullopt;
  const Ratio &exact = is_exact(a) ? a : b, &other = is_exact(a) ? b : a;
  if (other.number.is_constant()) {  // the constant and the product are rounded once each
    if (other.skew != 0 && !is_natural(exact.number)) return std::nullopt;
    out.roundings = 2;
    out.skew = other.skew;
    return out;
  }
  const bool only_moves_point =
      exact.number.is_constant() && is_power_of_two(std::abs(exact.number.value()));
  return only_moves_point && other.skew == 0 ? std::optional(out) : std::nullopt;
}

std::optional<Ratio> sum(const Ratio& a, const Ratio& b, int sign, int bits) {
  const auto is_inexact = [](const Ratio& each) {
    return !is_exact(each) && !each.number.is_constant();
  };
  if ((!is_exact(a) && !is_exact(b)) || (is_inexact(a) && a.skew != 0) ||
      (is_inexact(b) && b.skew != 0))
    return std::nullopt;
  const int roundings = a.roundings + b.roundings;
  return Ratio{a.number * Dim(b.divisor) + Dim(sign) * b.number * Dim(a.divisor),
               a.divisor * b.divisor, roundings + (roundings == 0 ? 0 : 1), 0, bits};
}

std::optional<Ratio> division(const Ratio& a, const Ratio& b, int bits) {
  if (!b.number.is_constant() || b.number.value() <= 0 ||
      b.number.value() > ir::kLargestFractionPart)
    return std::nullopt;
  Ratio out{a.number * Dim(b.divisor), a.divisor * b.number.value(), a.roundings + b.roundings + 1,
            0, bits};
  if (is_exact(b)) {
    if (a.skew != 0) return std::nullopt;
    if (is_exact(a) && is_power_of_two(out.divisor)) out.roundings = 0;
    return out;
  }
  // An error of the divisor that a product tolerates may be too large for a quotient.
  return std::nullopt;
}

}  // namespace

std::optional<Ratio> ratio_of(const Operand& operand, int bits) {
  if (const auto size = size_of(operand)) return Ratio{*size};
  if (operand.mark) return ratio_of(operand.mark);
  if (!operand.number.isDouble()) return std::nullopt;
  constexpr int64_t kMaxDivisor = 1024;
  constexpr double kMax = 1 << 24;
  const double scaled = operand.number.toDouble() * static_cast<double>(kMaxDivisor);
  if (!(std::abs(scaled) <= kMax)) return std::nullopt;
  if (std::trunc(scaled) != scaled) {
    const auto simple = ir::simplest_fraction(operand.number.toDouble(), bits);
    if (!simple) return std::nullopt;
    return Ratio{simple->number, simple->divisor, 1, simple->skew, bits};
  }
  const auto number = static_cast<int64_t>(scaled);
  const int64_t common = std::gcd(number, kMaxDivisor);
  return Ratio{Dim(number / common), kMaxDivisor / common};
}

std::optional<Ratio> exact_ratio(const Operand& operand) {
  const auto ratio = ratio_of(operand, 53);
  return ratio && is_exact(*ratio) ? ratio : std::nullopt;
}

std::optional<Ratio> quotient(const std::string& name, const std::vector<Operand>& operands,
                              int bits) {
  std::vector<Ratio> parts;
  for (const Operand& operand : operands) {
    const auto part = ratio_of(operand, bits);
    if (!part) return std::nullopt;
    parts.push_back(*part);
    if (!is_exact(*part)) bits = std::min(bits, part->bits);
  }
  if (parts.size() == 1) {
    if (name == "aten::Float" || name == "aten::FloatImplicit") return parts[0];
    if (name != "aten::neg") return std::nullopt;
    parts[0].number = Dim(-1) * parts[0].number;
    parts[0].skew = -parts[0].skew;
    return parts[0];
  }
  std::optional<Ratio> out;
  if (name == "aten::mul") out = product(parts[0], parts[1], bits);
  if (name == "aten::add") out = sum(parts[0], parts[1], 1, bits);
  if (name == "aten::sub") out = sum(parts[0], parts[1], -1, bits);
  if (name == "aten::div") out = division(parts[0], parts[1], bits);
  return out ? bounded(*out) : out;
}

/// A quotient that is not an integer (for round: not a half) differs from the nearest one by at
/// least 1 / (2 * divisor), and the roundings move it by less, under rounding_guards(). If the
/// quotient is an integer, the float equals it or is off in the direction of the skew.
std::optional<Mark> rounded(const std::string& name, const Operand& operand) {
  const auto ratio = ratio_of(operand.mark);
  if (!ratio) return std::nullopt;
  const Dim &number = ratio->number, divisor(ratio->divisor);
  if (name == "aten::floor" && ratio->skew >= 0) return size_mark(floor_div(number, divisor));
  if (name == "aten::ceil" && ratio->skew <= 0)
    return size_mark(Dim(-1) * floor_div(Dim(-1) * number, divisor));
  if (name == "aten::round" && ratio->skew == 0 && operand.number.isDouble()) {
    // Halves round to even: (2 * number - divisor) / (4 * divisor) is an integer where they round
    // down.
    const Dim shifted = Dim(2) * number - divisor, fourth = Dim(4) * divisor;
    const Dim up = floor_div(Dim(2) * number + divisor, Dim(2) * divisor);
    if (ratio->divisor % 2 != 0) return size_mark(up);
    return size_mark(up - Dim(1) - floor_div(Dim(-1) * shifted, fourth) -
                     floor_div(shifted, fourth));
  }
  const bool truncates = name == "aten::Int" || name == "aten::trunc";
  if (!truncates || ratio->skew < 0) return std::nullopt;
  const bool is_below = !operand.number.isDouble() || operand.number.toDouble() < 0;
  if (ratio->divisor != 1 && is_below && !is_natural(number)) return std::nullopt;
  return size_mark(floor_div(number, divisor));
}

std::vector<ir::Comparison> rounding_guards(const std::string& name, const Operand& operand) {
  const auto ratio = ratio_of(operand.mark);
  constexpr int kDouble = 53, kSpare = 3;  // bits for kMostRoundings, and for the halves of round
  std::vector<ir::Comparison> out;
  if (!ratio) return out;
  const bool truncates = name == "aten::Int" || name == "aten::trunc";
  if (truncates && ratio->divisor != 1 && !is_natural(ratio->number))
    out.push_back({ratio->number, Relation::ge, 0});
  if (!is_exact(*ratio) && ratio->bits < kDouble)
    out.push_back({ratio->number, Relation::le, Dim(int64_t{1} << (ratio->bits - kSpare))});
  return out;
}

}  // namespace t2n::trace

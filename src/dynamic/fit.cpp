#include "src/dynamic/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace t2n::dynamic {
namespace {

using Series = std::vector<int64_t>;  ///< one number per observation

/// A product of symbols and its value in each observation.
struct Monomial {
  ir::Dim size;
  Series values;
};

bool is_constant(const Series& series) {
  return std::all_of(series.begin(), series.end(), [&](int64_t v) { return v == series.front(); });
}

/// Symbols that differ between observations; the others are as good as numbers.
std::vector<Monomial> symbols_of(const std::vector<Observation>& seen) {
  std::vector<Monomial> out;
  for (const auto& entry : *seen.front().symbols) {
    Monomial symbol{ir::Dim::symbol(entry.first), {}};
    for (const Observation& at : seen) symbol.values.push_back(at.symbols->at(entry.first));
    if (!is_constant(symbol.values)) out.push_back(std::move(symbol));
  }
  return out;
}

Monomial product(const Monomial& a, const Monomial& b) {
  Monomial out{a.size * b.size, a.values};
  for (size_t i = 0; i < out.values.size(); ++i) out.values[i] *= b.values[i];
  return out;
}

/// All products of one to three symbols, the shortest first.
std::vector<Monomial> monomials(const std::vector<Monomial>& symbols) {
  std::vector<Monomial> out = symbols;
  std::set<std::string> known;
  size_t begin = 0;
  for (int degree = 2; degree <= 3; ++degree) {
    const size_t end = out.size();
    for (size_t i = begin; i < end; ++i)
      for (const Monomial& symbol : symbols) {
        Monomial longer = product(out[i], symbol);
        if (known.insert(longer.size.str()).second) out.push_back(std::move(longer));
      }
    begin = end;
  }
  return out;
}

Series extents(const std::vector<Observation>& seen) {
  Series out;
  for (const Observation& at : seen) out.push_back(at.extent);
  return out;
}

/// a*M + c. Slopes are found between two observations where M differs, and hold for all.
std::optional<ir::Dim> linear(const Monomial& m, const Series& y) {
  for (size_t i = 1; i < y.size(); ++i) {
    const int64_t run = m.values[i] - m.values[0];
    if (run == 0) continue;
    if ((y[i] - y[0]) % run != 0) return std::nullopt;
    const int64_t slope = (y[i] - y[0]) / run;
    const int64_t offset = y[0] - slope * m.values[0];
    for (size_t k = 0; k < y.size(); ++k)
      if (y[k] != slope * m.values[k] + offset) return std::nullopt;
    return slope * m.size + offset;
  }
  return std::nullopt;
}

/// a*M + b*N + c by Cramer's rule on the differences to the first observation.
std::optional<ir::Dim> bilinear(const Monomial& m, const Monomial& n, const Series& y) {
  const auto step = [](const Series& s, size_t i) { return s[i] - s[0]; };
  for (size_t i = 1; i < y.size(); ++i)
    for (size_t j = i + 1; j < y.size(); ++j) {
      const int64_t det =
          step(m.values, i) * step(n.values, j) - step(m.values, j) * step(n.values, i);
      if (det == 0) continue;
      const int64_t a = step(y, i) * step(n.values, j) - step(y, j) * step(n.values, i);
      const int64_t b = step(m.values, i) * step(y, j) - step(m.values, j) * step(y, i);
      if (a % det != 0 || b % det != 0) return std::nullopt;
      const ir::Dim slopes = (a / det) * m.size + (b / det) * n.size;
      const int64_t c = y[0] - (a / det) * m.values[0] - (b / det) * n.values[0];
      for (size_t k = 0; k < y.size(); ++k)
        if (y[k] != (a / det) * m.values[k] + (b / det) * n.values[k] + c) return std::nullopt;
      return slopes + c;
    }
  return std::nullopt;
}

struct Quotient {
  ir::Dim size;
  bool is_settled = false;  ///< no other numerator offset agrees
};

/// (a*M + b) // c: each observation leaves b an interval of c numbers.
std::optional<Quotient> quotient(const Monomial& m, const Series& y, int64_t a, int64_t c) {
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i < y.size(); ++i) {
    low = std::max(low, y[i] * c - a * m.values[i]);
    high = std::min(high, y[i] * c - a * m.values[i] + c - 1);
  }
  if (low > high) return std::nullopt;
  return Quotient{floor_div(a * m.size + low, c), low == high};
}

/// The quotient with the smallest divisor.
std::optional<Quotient> quotient(const Monomial& m, const Series& y) {
  constexpr int64_t kMaxDivisor = 64, kMaxFactor = 8;
  for (int64_t c = 2; c <= kMaxDivisor; ++c)
    for (int64_t a = 1; a <= std::min(kMaxFactor, 3 * c); ++a)
      if (std::gcd(a, c) == 1)
        if (const auto found = quotient(m, y, a, c)) return found;
  return std::nullopt;
}

Fit judged(ir::Dim size, size_t unknowns, size_t observations) {
  return {std::move(size), observations >= unknowns + 2};
}

}  // namespace

std::optional<Fit> fit_size(const std::vector<Observation>& seen) {
  const Series y = extents(seen);
  const size_t n = y.size();
  if (is_constant(y)) return judged(y.front(), 1, n);
  const std::vector<Monomial> terms = monomials(symbols_of(seen));
  for (const Monomial& m : terms)
    if (const auto size = linear(m, y)) return judged(*size, 2, n);
  for (size_t i = 0; i < terms.size(); ++i)
    for (size_t j = i + 1; j < terms.size(); ++j)
      if (const auto size = bilinear(terms[i], terms[j], y)) return judged(*size, 3, n);
  for (const Monomial& m : terms)
    if (const auto found = quotient(m, y)) {
      Fit out = judged(found->size, 3, n);
      out.is_proven = out.is_proven && found->is_settled;
      return out;
    }
  return std::nullopt;
}

}  // namespace t2n::dynamic

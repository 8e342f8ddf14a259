#include "tests/support/fit.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/diag/error.h"

namespace t2n::test {
namespace {

using ir::Dim;
using Values = std::vector<int64_t>;

Dim least(const Dim& a, const Dim& b) { return min(a, b); }
Dim greatest(const Dim& a, const Dim& b) { return max(a, b); }
Dim quotient_of(const Dim& a, const Dim& b) { return floor_div(a, b); }
Dim remainder_of(const Dim& a, const Dim& b) { return floor_mod(a, b); }

/// A quantity and what it is in each trial.
struct Feature {
  Dim dim;
  Values values;
};

/// Coefficients of the features that give `values` in the first trials where they are independent;
/// nothing if these are no integers.
std::optional<Values> solved(const std::vector<const Feature*>& features, const Values& values) {
  const size_t n = features.size();
  std::vector<std::vector<double>> rows(n, std::vector<double>(n + 1));
  for (size_t i = 0; i < n; ++i)  // the normal equations
    for (size_t t = 0; t < values.size(); ++t) {
      const auto left = static_cast<double>(features[i]->values[t]);
      for (size_t j = 0; j < n; ++j)
        rows[i][j] += left * static_cast<double>(features[j]->values[t]);
      rows[i][n] += left * static_cast<double>(values[t]);
    }
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = i + 1; k < n; ++k)
      if (std::abs(rows[k][i]) > std::abs(rows[i][i])) std::swap(rows[i], rows[k]);
    if (std::abs(rows[i][i]) < 1e-6) return {};
    for (size_t k = 0; k < n; ++k) {
      const double factor = k == i ? 0 : rows[k][i] / rows[i][i];
      for (size_t j = i; j <= n; ++j) rows[k][j] -= factor * rows[i][j];
    }
  }
  Values out;
  for (size_t i = 0; i < n; ++i) out.push_back(std::llround(rows[i][n] / rows[i][i]));
  for (size_t t = 0; t < values.size(); ++t) {
    int64_t sum = 0;
    for (size_t i = 0; i < n; ++i) sum += out[i] * features[i]->values[t];
    if (sum != values[t]) return {};
  }
  return out;
}

std::optional<Dim> combination(const std::vector<Feature>& all, const Values& values,
                               std::vector<const Feature*> chosen, size_t from, size_t wanted) {
  if (chosen.size() == wanted) {
    const auto factors = solved(chosen, values);
    if (!factors) return {};
    Dim sum = 0;
    for (size_t i = 0; i < wanted; ++i) sum = sum + Dim((*factors)[i]) * chosen[i]->dim;
    return sum;
  }
  for (size_t i = from; i < all.size(); ++i) {
    chosen.push_back(&all[i]);
    if (auto found = combination(all, values, chosen, i + 1, wanted)) return found;
    chosen.pop_back();
  }
  return {};
}

class Fitter {
 public:
  explicit Fitter(const std::vector<std::map<std::string, int64_t>>& trials) {
    for (const auto& [name, size] : trials.at(0)) {
      Feature symbol{Dim::symbol(name), {}};
      for (const auto& trial : trials) symbol.values.push_back(trial.at(name));
      symbols_.push_back(std::move(symbol));
    }
    features_ = {{Dim(1), Values(trials.size(), 1)}};
    for (const Feature& symbol : symbols_) features_.push_back(symbol);
    for (size_t i = 0; i < symbols_.size(); ++i)
      for (size_t j = i; j < symbols_.size(); ++j)
        features_.push_back(made(symbols_[i], symbols_[j], [](auto a, auto b) { return a * b; }));
  }

  std::optional<Dim> fit(const Values& values) const {
    for (size_t terms = 1; terms <= 3; ++terms)
      if (auto found = combination(features_, values, {}, 0, terms)) return found;
    if (auto found = fit_quotient(values)) return found;
    if (auto found = fit_remainder(values)) return found;
    return fit_bound(values);
  }
  /// The same as a product of two expressions.
  std::optional<Dim> fit_product(const Values& values) const {
    for (const Feature& symbol : factors()) {
      Values rest;
      for (size_t t = 0; t < values.size(); ++t)
        if (symbol.values[t] != 0 && values[t] % symbol.values[t] == 0)
          rest.push_back(values[t] / symbol.values[t]);
      if (rest.size() != values.size()) continue;
      if (auto found = fit(rest)) return *found * symbol.dim;
    }
    return {};
  }

 private:
  /// The symbols, their halves, and what a 3x3 convolution leaves of them.
  std::vector<Feature> factors() const {
    std::vector<Feature> out = symbols_;
    for (const Feature& symbol : symbols_) {
      for (const int64_t offset : {-2, -1, 1, 2}) out.push_back(line(symbol, 1, offset));
      for (const int64_t offset : {0, 1})
        out.push_back(made(line(symbol, 1, offset), constant(2), &quotient_of));
    }
    return out;
  }
  template <typename Combine>
  static Feature made(const Feature& a, const Feature& b, const Combine& combine) {
    Feature out{combine(a.dim, b.dim), {}};
    for (size_t t = 0; t < a.values.size(); ++t)
      out.values.push_back(combine(Dim(a.values[t]), Dim(b.values[t])).value());
    return out;
  }
  Feature constant(int64_t value) const {
    return {Dim(value), Values(features_[0].values.size(), value)};
  }
  Feature line(const Feature& symbol, int64_t factor, int64_t offset) const {
    return made(symbol, symbol,
                [&](const Dim& a, const Dim&) { return Dim(factor) * a + Dim(offset); });
  }
  /// (a*s + b) // c, times a number, plus a number.
  std::optional<Dim> fit_quotient(const Values& values) const {
    for (const Feature& symbol : symbols_)
      for (int64_t divisor = 2; divisor <= 6; ++divisor)
        for (int64_t factor = 1; factor < divisor + 2; ++factor)
          for (int64_t offset = 0; offset < divisor; ++offset) {
            const Feature quotient =
                made(line(symbol, factor, offset), constant(divisor), &quotient_of);
            for (const auto& list : {std::vector<const Feature*>{&quotient},
                                     std::vector<const Feature*>{&quotient, &features_[0]},
                                     std::vector<const Feature*>{&quotient, &symbol}})
              if (const auto factors = solved(list, values)) {
                Dim sum = 0;
                for (size_t i = 0; i < list.size(); ++i)
                  sum = sum + Dim((*factors)[i]) * list[i]->dim;
                return sum;
              }
          }
    return {};
  }
  /// s % c, plus a number.
  std::optional<Dim> fit_remainder(const Values& values) const {
    for (const Feature& symbol : symbols_)
      for (int64_t divisor = 2; divisor <= 6; ++divisor) {
        const Feature rest = made(symbol, constant(divisor), &remainder_of);
        if (const auto factors = solved({&rest, &features_[0]}, values))
          return Dim((*factors)[0]) * rest.dim + Dim((*factors)[1]);
      }
    return {};
  }
  /// min(s + b, c) and max(s + b, c).
  std::optional<Dim> fit_bound(const Values& values) const {
    for (const Feature& symbol : symbols_)
      for (int64_t offset = -8; offset <= 8; ++offset)
        for (int64_t bound = 0; bound <= 16; ++bound)
          for (const auto combine : {&least, &greatest}) {
            const Feature found = made(line(symbol, 1, offset), constant(bound), combine);
            if (found.values == values) return found.dim;
          }
    return {};
  }

  std::vector<Feature> symbols_;
  std::vector<Feature> features_;
};

}  // namespace

Dim fitted(const std::vector<std::map<std::string, int64_t>>& trials, const Values& values) {
  const Fitter fitter(trials);
  if (auto found = fitter.fit(values)) return *found;
  if (auto found = fitter.fit_product(values)) return *found;
  std::string text;
  for (const int64_t value : values) text += cat(" ", value);
  T2N_ASSERT(false, "no expression of the symbols fits", text);
  return {};
}

}  // namespace t2n::test

// SPDX-License-Identifier: Apache-2.0
// Levels of agreement, with the numbers of tract's own command line.
#include "src/check/tolerance.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>

#include "src/diag/error.h"

namespace t2n::check {
namespace {

struct Row {
  std::string_view name;
  Level level;
  Margins margins;
  Margins half;    ///< f16
  Margins bfloat;  ///< bf16, which tract lacks: f16's numbers times 8, for 3 bits less
};

constexpr Margins kVery{5e-2, 1e-2, 0};
constexpr Margins kSuper{0.1, 0.05, 1e-4};
constexpr Margins kUltra{0.2, 0.1, 5e-4};
constexpr Row kRows[] = {
    {"exact", Level::exact, {}, {}, {}},
    {"close", Level::close, {1e-7, 1e-7, 0}, {1e-3, 1e-3, 0}, {8e-3, 8e-3, 0}},
    {"approximate", Level::approximate, {1e-4, 5e-4, 0}, {1e-3, 5e-3, 0}, {8e-3, 4e-2, 0}},
    {"very", Level::very, kVery, kVery, kVery},
    {"super", Level::super, kSuper, kSuper, kSuper},
    {"ultra", Level::ultra, kUltra, kUltra, kUltra},
};

/// Numbers between commas; nothing if one is not a number, or negative.
std::optional<std::vector<double>> parse_numbers(std::string_view text) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    double value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc() || !(value >= 0)) return std::nullopt;
    numbers.push_back(value);
    if (next == end) return numbers;
    if (*next != ',') return std::nullopt;
    at = next + 1;
  }
}

}  // namespace

std::vector<std::string> level_names() {
  std::vector<std::string> out;
  for (const Row& row : kRows) out.emplace_back(row.name);
  return out;
}

Tolerance parse_tolerance(std::string_view text) {
  for (const Row& row : kRows)
    if (row.name == text) return {row.level, {}};
  const auto numbers = parse_numbers(text);
  if (numbers && (numbers->size() == 2 || numbers->size() == 3)) {
    const double outliers = numbers->size() == 3 ? numbers->back() : 0;
    return {Level::custom, {numbers->at(0), numbers->at(1), outliers}};
  }
  const std::string near = nearest(text, level_names());
  throw Error("usage", cat("there is no tolerance ", quoted(text)),
              "levels are exact, close, approximate, very, super and ultra",
              near.empty() ? "use a level, or numbers: ATOL,RTOL or ATOL,RTOL,OUTLIER_RATIO"
                           : cat("did you mean ", quoted(near), "?"));
}

std::string tolerance_str(const Tolerance& tolerance) {
  if (tolerance.level == Level::exact) return "exact";
  const auto* const row = std::find_if(std::begin(kRows), std::end(kRows),
                                       [&](const Row& r) { return r.level == tolerance.level; });
  const Margins margins = margins_for(tolerance, ir::DType::f32);
  std::string text = cat(row == std::end(kRows) ? "custom" : row->name, " (atol ", margins.absolute,
                         ", rtol ", margins.relative);
  if (margins.outliers > 0) text += cat(", outliers ", margins.outliers);
  return text + ")";
}

Margins margins_for(const Tolerance& tolerance, ir::DType reference) {
  if (!ir::is_float(reference) && !ir::is_complex(reference)) return {};
  if (tolerance.level == Level::custom) return tolerance.custom;
  const auto* const row = std::find_if(std::begin(kRows), std::end(kRows),
                                       [&](const Row& r) { return r.level == tolerance.level; });
  T2N_ASSERT(row != std::end(kRows), "a level without numbers");
  if (reference == ir::DType::f16 || (tolerance.in_f16 && reference == ir::DType::f32))
    return row->half;
  return reference == ir::DType::bf16 ? row->bfloat : row->margins;
}

}  // namespace t2n::check

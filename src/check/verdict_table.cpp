// SPDX-License-Identifier: Apache-2.0
// Lays out the table: columns as wide as their widest cell, in characters, not bytes.
#include "src/check/verdict_table.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "src/diag/clipped_start.h"
#include "src/diag/error.h"
#include "src/diag/printable.h"

namespace t2n::check {
namespace {

enum Column : size_t {
  name_column,
  shape_column,
  max_abs_column,
  max_rel_column,
  ulp_column,
  snr_column,
  outliers_column,
  torch_column,
  response_column,
  moved_column,
  verdict_column,
  kColumns
};
using Line = std::array<std::string, kColumns>;
constexpr const char* kHeadings[kColumns] = {"output",   "shape",  "max|Δ|",   "max rel",
                                             "p99 ulp",  "SNR dB", "outliers", "x torch",
                                             "response", "moved",  "verdict"};
/// Columns that a narrow screen lacks, the least telling first.
constexpr Column kDropped[] = {response_column, moved_column,   ulp_column,
                               shape_column,    max_rel_column, snr_column};

std::string formatted(const char* format, double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return number_text(format, value);
}

std::string scientific(double value) { return value == 0 ? "0" : formatted("%.1e", value); }

/// Exact while it is short.
std::string ulps_cell(double ulps) {
  constexpr double kLong = 1e5;
  return ulps < kLong ? std::to_string(static_cast<int64_t>(ulps)) : formatted("%.1e", ulps);
}

std::string shape_cell(const Deviation& comparison) {
  const std::string text = ir::shape_str(ir::to_shape(comparison.shape));
  return comparison.shape.empty() ? "scalar" : text.substr(1, text.size() - 2);
}

std::string verdict_cell(const OutputRow& row) {
  const std::string text(verdict_name(verdict(row)));
  return row.comparison.mismatch.empty() ? text : cat(text, ": ", row.comparison.mismatch);
}

Line line_of(const OutputRow& row) {
  const Deviation& c = row.comparison;
  Line line;
  line.fill("-");
  line[name_column] = row.name;
  line[shape_column] = shape_cell(c);
  line[verdict_column] = verdict_cell(row);
  if (!c.mismatch.empty()) return line;
  line[max_abs_column] = scientific(c.max_abs);
  line[max_rel_column] = scientific(c.max_rel);
  if (ir::is_float(c.dtype)) line[ulp_column] = ulps_cell(c.ulp_p99);
  line[snr_column] = formatted("%.1f", c.snr_db);
  line[outliers_column] = std::to_string(c.outliers);
  if (row.times_torch) line[torch_column] = formatted("%.1f", *row.times_torch);
  if (row.response) line[response_column] = scientific(*row.response);
  if (row.moved) line[moved_column] = formatted("%.0f %%", *row.moved * 100);
  return line;
}

/// The widths of all columns; 0 for one without anything to show.
using Widths = std::array<size_t, kColumns>;

size_t total(const Widths& widths) {
  size_t out = 0;
  for (const size_t each : widths) out += each == 0 ? 0 : each + 2;
  return out;
}

/// Without columns until the lines fit; a long name is cut at last. The verdict may be longer.
Widths fitting_widths(std::span<const OutputRow> rows, const std::vector<Line>& lines,
                      size_t width) {
  Widths widths{};
  for (const Line& line : lines)
    for (size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], text_width(line[i]));
  widths[verdict_column] =
      std::min(widths[verdict_column], text_width(verdict_name(Verdict::inconclusive)));
  const bool has_outliers = std::any_of(
      rows.begin(), rows.end(), [](const OutputRow& row) { return row.comparison.outliers > 0; });
  if (total(widths) > width && !has_outliers) widths[outliers_column] = 0;
  for (const Column column : kDropped)
    if (total(widths) > width) widths[column] = 0;
  constexpr size_t kLeastName = 12;
  const size_t others = total(widths) - widths[name_column];
  widths[name_column] =
      std::min(widths[name_column], std::max(kLeastName, width - std::min(width, others)));
  return widths;
}

}  // namespace

bool is_too_far(const OutputRow& row) {
  return row.most_times_torch && row.times_torch && *row.times_torch > *row.most_times_torch;
}

bool is_between_steps(const OutputRow& row) {
  return row.most_times_torch && row.quanta && row.quanta->between > 0;
}

namespace {

/// The verdict for an output that exceeds the tolerance.
Verdict explained(const OutputRow& row) {
  if (row.comparison.not_finite > 0 || !row.comparison.mismatch.empty()) return Verdict::differs;
  if (row.cause)
    return *row.cause == MismatchCause::undecided ? Verdict::inconclusive : Verdict::ok;
  if (!row.f64_distance) return Verdict::differs;
  if (row.f64_distance->is_as_near()) return Verdict::ok;
  return row.f64_distance->is_unstable ? Verdict::inconclusive : Verdict::differs;
}

}  // namespace

Verdict verdict(const OutputRow& row) {
  if (row.comparison.verdict == Verdict::differs)
    if (const Verdict found = explained(row); found != Verdict::ok) return found;
  if (is_too_far(row) || is_between_steps(row)) return Verdict::differs;
  const bool is_float = ir::is_float(row.comparison.dtype) || ir::is_complex(row.comparison.dtype);
  const bool is_blind =
      row.moved && !row.has_valid_choices && (is_float ? *row.moved < kMinMoved : *row.moved == 0);
  return is_blind ? Verdict::inconclusive : Verdict::ok;
}

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok: return "ok";
    case Verdict::inconclusive: return "inconclusive";
    case Verdict::differs: return "DIFFERS";
  }
  internal_error(__FILE__, __LINE__, "no such verdict");
}

std::string verdict_table(std::span<const OutputRow> rows, size_t width) {
  std::vector<Line> lines(1);
  std::copy(std::begin(kHeadings), std::end(kHeadings), lines[0].begin());
  for (const OutputRow& row : rows) lines.push_back(line_of(row));
  const Widths widths = fitting_widths(rows, lines, width);
  std::string table;
  for (Line& line : lines) {
    line[name_column] = clipped_start(line[name_column], widths[name_column]);
    table += "  ";
    for (size_t i = 0; i + 1 < kColumns; ++i)
      if (widths[i] > 0) table += line[i] + std::string(widths[i] - text_width(line[i]) + 2, ' ');
    table += line.back() + "\n";
  }
  return table;
}

std::string quanta_text(std::span<const OutputRow> rows) {
  std::string out;
  const auto count = [](int64_t number) {
    return number == 0 ? std::string("none") : std::to_string(number);
  };
  for (const OutputRow& row : rows) {
    if (!row.quanta) continue;
    const Quanta& q = *row.quanta;
    out += cat("quanta: ", row.name, " at most ", formatted("%.4g", q.most), " (of ",
               formatted("%.4g", q.step), "): of ", q.elements, " elements ", count(q.off_by_one),
               " off by one, ", count(q.off_by_more), " by more, ", count(q.between),
               " between steps");
    std::string why;
    if (q.at_ties > 0) why = cat("; ", q.at_ties, " at ties");
    if (q.of_an_engine > 0)
      why += cat("; ", q.of_an_engine, " equal to another engine of LibTorch");
    out += why + "\n";
  }
  return out;
}

}  // namespace t2n::check

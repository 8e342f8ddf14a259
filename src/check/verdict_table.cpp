// Lays out the table: columns as wide as their widest cell, in characters, not bytes.
#include "src/check/verdict_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "src/diag/error.h"

namespace t2n::check {
namespace {

constexpr size_t kColumns = 10;
using Line = std::array<std::string, kColumns>;

/// Characters of UTF-8 text: bytes that do not continue a character.
size_t width(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
}

std::string formatted(const char* format, double value) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string scientific(double value) { return value == 0 ? "0" : formatted("%.1e", value); }

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
  Line line{row.name, shape_cell(c), "-", "-", "-", "-", "-", "-", "-", verdict_cell(row)};
  if (!c.mismatch.empty()) return line;
  line[2] = scientific(c.max_abs);
  line[3] = scientific(c.max_rel);
  line[4] = formatted("%.1f", c.snr_db);
  line[5] = std::to_string(c.outliers);
  if (row.times_torch) line[6] = formatted("%.1f", *row.times_torch);
  if (row.response) line[7] = scientific(*row.response);
  if (row.moved) line[8] = formatted("%.0f %%", *row.moved * 100);
  return line;
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

std::string verdict_table(std::span<const OutputRow> rows) {
  std::vector<Line> lines{{"output", "shape", "max|Δ|", "max rel", "SNR dB", "outliers", "x torch",
                           "response", "moved", "verdict"}};
  for (const OutputRow& row : rows) lines.push_back(line_of(row));
  std::array<size_t, kColumns> widths{};
  for (const Line& line : lines)
    for (size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], width(line[i]));
  std::string table;
  for (const Line& line : lines) {
    table += "  ";
    for (size_t i = 0; i + 1 < kColumns; ++i)
      table += line[i] + std::string(widths[i] - width(line[i]) + 2, ' ');
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

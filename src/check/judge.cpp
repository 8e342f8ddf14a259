// SPDX-License-Identifier: Apache-2.0
// The overall verdict of a check.
#include <algorithm>

#include "src/check/check_model.h"
#include "src/check/localisation_text.h"
#include "src/diag/error.h"

namespace t2n {
namespace {

/// The diagnostic for outputs without a decision.
Diagnostic undecided_note(const CheckResult& result, const std::vector<std::string>& undecided) {
  const bool is_of_engines = result.engines_disagree > 0;
  return {
      .id = "inconclusive-check",
      .message = cat("the check cannot decide whether ", joined(undecided, ", "), " is right"),
      .why = cat("on ", result.undecided, result.undecided == 1 ? " input set" : " input sets",
                 " the values differ from LibTorch's, but ",
                 is_of_engines ? "LibTorch's own engines differ by as much"
                               : "rounding at ties changes them by as much"),
      .help =
          "pass real inputs with --input x=@file.npy, within the range of the model's calibration"};
}

/// What a wrong file could pass; `blind`: outputs that hardly depend on the inputs.
std::optional<Diagnostic> inconclusive(const CheckResult& result,
                                       const std::vector<std::string>& blind,
                                       const std::vector<std::string>& undecided) {
  std::vector<std::string> gaps;
  if (!blind.empty()) gaps.push_back(cat("the check is not conclusive for ", joined(blind, ", ")));
  const bool are_choices_valid =
      std::any_of(result.rows.begin(), result.rows.end(),
                  [](const check::OutputRow& row) { return row.has_valid_choices; });
  if (!result.without_effect.empty() && !are_choices_valid)
    gaps.push_back(
        cat("no output changed with the input ", joined(result.without_effect, ", "),
            result.drawn.empty() ? "" : cat("; random values were used for ", result.drawn)));
  if (result.has_unvaried_sizes) gaps.emplace_back("dynamic sizes were not varied");
  if (!undecided.empty()) {
    Diagnostic out = undecided_note(result, undecided);
    out.details = gaps;
    return out;
  }
  if (gaps.empty()) return std::nullopt;
  Diagnostic out{
      .id = "inconclusive-check", .message = gaps[0], .details = {gaps.begin() + 1, gaps.end()}};
  if (!blind.empty()) {
    out.why = "different inputs give nearly the same output, so a wrong file would pass as well";
    out.help = "pass real inputs with --input x=@file.npy, or use a stricter level: --check=close";
  } else if (!result.without_effect.empty()) {
    out.why = "a wrong file that ignores it, or uses a constant instead, would pass as well";
    out.help = result.drawn.empty() ? "pass real inputs with --input x=@file.npy" : kOtherValues;
  } else {
    out.why =
        "torch ran the model at the sample's sizes only, so a file that is right only for these "
        "would pass as well";
    out.help = "pass samples of other sizes with --input";
  }
  return out;
}

/// The message for a row that differs, within the tolerance or beyond it.
std::string mismatch_message(const check::OutputRow& row) {
  if (row.comparison.verdict == check::Verdict::differs)
    return cat(check::mismatch_text(row.name, row.comparison),
               row.where.empty() ? "" : cat(", ", row.where));
  if (check::is_between_steps(row))
    return cat(quoted(row.name), " differs by a fraction of its quantisation step, ",
               row.quanta->step, ", in ", row.quanta->between, " of ", row.quanta->elements,
               " elements");
  return cat(quoted(row.name), " is ", static_cast<int64_t>(*row.times_torch),
             " times as far from the f64 reference as torch is; rounding explains at most ",
             static_cast<int64_t>(*row.most_times_torch), " times");
}

}  // namespace

void judge(CheckResult& result, const CheckOptions& options, const MismatchText& text,
           const Report& report) {
  Diagnostic mismatch{.id = "output-mismatch"};
  std::vector<std::string> blind;
  std::vector<std::string> undecided;
  for (const check::OutputRow& row : result.rows) {
    const check::Verdict verdict = check::verdict(row);
    if (verdict == check::Verdict::differs) {
      const std::string message = mismatch_message(row);
      if (mismatch.message.empty()) {
        mismatch.message = message;
        mismatch.subject = row.name;
      } else {
        mismatch.details.push_back(message);
      }
    } else if (verdict == check::Verdict::inconclusive) {
      const bool is_undecided = row.cause == check::MismatchCause::undecided;
      (is_undecided ? undecided : blind).push_back(quoted(row.name));
    }
  }
  if (!mismatch.message.empty()) {
    if (result.localisation) {
      mismatch.where = localisation_where(*result.localisation);
      for (std::string& line : localisation_lines(*result.localisation))
        mismatch.details.push_back(std::move(line));
    }
    mismatch.why = cat(result.engine, " computes other values than the model", text.consequence);
    mismatch.help = text.help;
    throw Error(std::move(mismatch));
  }
  const std::optional<Diagnostic> note = inconclusive(result, blind, undecided);
  result.inconclusive = note.has_value();
  if (!note) return;
  if (options.strict) throw Error(*note);
  Diagnostic warning = *note;
  warning.severity = Severity::warning;
  if (report) report(warning);
}

}  // namespace t2n

// SPDX-License-Identifier: Apache-2.0
#include "cli/pass_tables.h"

#include <algorithm>
#include <cmath>

#include "cli/screen/text.h"
#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/export/pass_table.h"

namespace t2n::cli {
namespace {

using passes::Effect;
using passes::PassInfo;
using Cells = std::vector<std::string>;

std::string contract(const PassInfo& pass) {
  switch (pass.effect) {
    case Effect::none: return "preserves every bit";
    case Effect::preserves: return "preserves";
    case Effect::changes: return cat("changes ", pass.changes);
  }
  internal_error(__FILE__, __LINE__, "no such effect");
}

std::string verdict(const PassStep& step, const StepOutput& output) {
  if (!output.comparison.mismatch.empty()) return output.comparison.mismatch;
  if (output.comparison.verdict == check::Verdict::ok) return "ok";
  return step.fault ? "DIFFERS" : "changed";
}

Cells output_row(const PassStep& step, const StepOutput& output) {
  const check::Deviation& c = output.comparison;
  const bool has_numbers = c.mismatch.empty();
  return {output.name,
          !has_numbers     ? "-"
          : c.max_abs == 0 ? "0"
                           : number_text("%.1e", c.max_abs),
          !has_numbers ? "-" : number_text("%.1f", c.snr_db), verdict(step, output)};
}

/// The outputs with the largest differences, and the number of others.
std::vector<Cells> output_rows(const PassStep& step) {
  constexpr size_t kMost = 8;
  std::vector<StepOutput> outputs = step.outputs;
  if (outputs.size() > kMost)
    std::stable_sort(outputs.begin(), outputs.end(), [](const auto& a, const auto& b) {
      return a.comparison.snr_db < b.comparison.snr_db;
    });
  std::vector<Cells> rows;
  for (size_t i = 0; i < std::min(outputs.size(), kMost); ++i)
    rows.push_back(output_row(step, outputs[i]));
  if (outputs.size() > kMost)
    rows.push_back({cat("and ", outputs.size() - kMost, " with smaller differences"), "", "", ""});
  return rows;
}

std::string headline(const OptOptions& options, const PassSteps& steps) {
  std::string out = cat(
      options.bisects ? "bisect: " : "verify: ", steps.steps.size(),
      steps.steps.size() == 1 ? " pass" : " passes", " · ", check::tolerance_str(options.tolerance),
      " · ", counted(steps.sets, "input set"), " · ",
      options.bisects ? "against the first graph" : "each pass against the graph before it", "\n");
  if (!steps.refused.empty())
    out += cat("the first graph cannot be run: ", steps.refused, "\n",
               steps.uses_model ? "the model in LibTorch" : "the first that can",
               " is the reference\n");
  for (const std::string& name : steps.left_out)
    out += cat("left out, as nothing runs on it: ", name, "\n");
  if (!steps.random.empty())
    out += cat("drawn at random, and not compared: ", joined(steps.random, ", "), "\n");
  return out;
}

}  // namespace

std::string pass_list() {
  std::vector<Cells> rows = {{"pass", "values", "what it does", "needs"}};
  for (const PassInfo& pass : passes::passes())
    rows.push_back({std::string(pass.name), contract(pass), std::string(pass.doc),
                    pass.needs.empty() ? "-" : std::string(pass.needs)});
  return cat(table(rows), "--passes default, what `export` runs:\n  ",
             joined(passes::pipeline(passes::Pipeline::standard), ","),
             "\nafter --passes, if an artefact is written:\n  ",
             joined(passes::pipeline(passes::Pipeline::translation), ","), "\n");
}

std::string values_table(const OptOptions& options, const PassSteps& steps) {
  std::vector<Cells> rows = {{"pass", "graph", "output", "max abs", "SNR dB", "verdict"}};
  for (const PassStep& step : steps.steps) {
    Cells head = {std::string(step.pass.name), step.changed ? "changed" : "-"};
    std::vector<Cells> outputs = output_rows(step);
    if (outputs.empty())
      outputs.push_back(
          {"-", "-", "-", step.unknown.empty() ? "-" : cat("not run: ", step.unknown)});
    for (const Cells& output : outputs) {
      Cells row = head;
      row.insert(row.end(), output.begin(), output.end());
      rows.push_back(std::move(row));
      head = {"", ""};
    }
  }
  return headline(options, steps) + table(rows);
}

std::string times_table(const PassSteps& steps) {
  double all = 0;
  std::vector<Cells> rows = {{"pass", "seconds"}};
  for (const PassStep& step : steps.steps) {
    all += step.seconds;
    rows.push_back({std::string(step.pass.name), number_text("%.4f", step.seconds)});
  }
  rows.push_back({"all", number_text("%.4f", all)});
  return table(rows);
}

}  // namespace t2n::cli

// SPDX-License-Identifier: Apache-2.0
// One function for each section.
#include "cli/inspect_artefact.h"

#include <algorithm>

#include "cli/screen/text.h"
#include "src/diag/error.h"

namespace t2n::cli {
namespace {

using report::ArtefactSummary;

/// "" for an empty section.
std::string section(const std::string& headline, const std::string& lines) {
  return lines.empty() ? lines : cat(headline, ":\n", lines);
}

std::string lines_of(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += cat("  ", text, "\n");
  return out;
}

/// For lists that may be long.
std::string first_lines_of(std::vector<std::string> texts) {
  constexpr size_t kMost = 20;
  if (texts.size() > kMost) {
    const size_t rest = texts.size() - kMost;
    texts.resize(kMost);
    texts.push_back(cat("… and ", rest, " more; --json lists all"));
  }
  return lines_of(texts);
}

/// Without those about states, which have their own section.
std::string properties_text(const ArtefactSummary& summary) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, value] : summary.properties)
    if (!name.starts_with(spec::kStatePrefix) && !name.starts_with(spec::kInitialPrefix))
      rows.push_back({name, value});
  return table(rows);
}

std::string inputs_text(const ArtefactSummary& summary) {
  std::vector<std::string> texts;
  for (const spec::InputFact& input : summary.inputs) texts.push_back(spec::fact_str(input));
  return lines_of(texts);
}

std::string outputs_text(const ArtefactSummary& summary) {
  std::vector<std::string> texts;
  for (const report::OutputFact& output : summary.outputs) {
    const std::string type = spec::type_str(output.type);
    texts.push_back(type.empty() ? output.name : cat(output.name, " ", type));
  }
  return lines_of(texts);
}

/// "h_next -> h    first f32[1,2] = 0.5"
std::string state_rows_text(const ArtefactSummary& summary) {
  std::vector<std::vector<std::string>> rows;
  for (const spec::State& state : summary.states)
    rows.push_back({cat(state.output, " -> ", state.input),
                    state.initial ? cat("first ", spec::first_value_text(*state.initial))
                                  : "first value unknown"});
  return rows.empty() ? "" : table(rows);
}

std::string operations_text(const ArtefactSummary& summary) {
  int64_t total = 0;
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, count] : summary.operations) {
    total += count;
    rows.push_back({cat(count, "x"), name});
  }
  return cat("operations: ", counted(static_cast<size_t>(total), "use"), " of ", rows.size(), "\n",
             table(rows));
}

std::string weights_text(const ArtefactSummary& summary) {
  int64_t values = 0;
  int64_t bytes = 0;
  std::vector<std::vector<std::string>> rows;
  for (const report::WeightGroup& group : summary.weights) {
    values += group.values;
    bytes += group.bytes;
    rows.push_back(
        {cat(group.tensors, "x"), group.item, short_count(group.values), short_bytes(group.bytes)});
  }
  return cat("parameters: ", short_count(values), " (", short_bytes(bytes), ")\n", table(rows));
}

/// "" if nothing is quantised.
std::string quantised_lines(const ArtefactSummary& summary) {
  std::string out;
  if (summary.saved_bytes > 0)
    out += cat("weights of 8 bits and fewer: ", short_bytes(summary.saved_bytes),
               " less than as f32\n");
  if (summary.fake_quantisations > 0)
    out += cat("quantise/dequantise pairs: ", summary.fake_quantisations, "\n");
  std::vector<std::string> lines;
  for (const report::ExplainedTensor& tensor : summary.explained)
    lines.push_back(
        cat(tensor.name, "  ", tensor.bits, " bits, ",
            tensor.scales > 1 ? cat("per channel (", tensor.scales, ")") : "per tensor"));
  if (!lines.empty()) out += cat("quantised: ", counted(lines.size(), "tensor"), "\n");
  return out + first_lines_of(std::move(lines));
}

/// A command with small values for dynamic sizes. States have their first values.
std::string run_line(const std::string& path, const ArtefactSummary& summary) {
  std::string line = cat("t2nnef run ", shell_quoted(path));
  for (const spec::InputFact& input : summary.inputs)
    if (std::none_of(summary.states.begin(), summary.states.end(),
                     [&](const auto& state) { return state.initial && state.input == input.name; }))
      line += cat(" -i ", shell_quoted(spec::sample_spec(input, summary.sample_sizes)));
  return cat(line, " -o out.npz");
}

}  // namespace

std::string summary_text(const std::string& path, const ArtefactSummary& summary) {
  return cat(path, ": NNEF for ",
             summary.dialect == spec::Dialect::tract ? "tract" : "any reader of the standard",
             ", graph ", summary.graph, ", ", short_bytes(summary.file_bytes), "\n",
             section("properties", properties_text(summary)),
             section("extensions", lines_of(summary.extensions)),
             section("inputs", inputs_text(summary)), section("outputs", outputs_text(summary)),
             section("states", state_rows_text(summary)), operations_text(summary),
             section("fragments", lines_of(summary.fragments)), weights_text(summary),
             quantised_lines(summary),
             section("unreferenced files", first_lines_of(summary.unused)),
             section("violations of the standard", first_lines_of(summary.findings)),
             "to run it:\n  ", run_line(path, summary), "\n");
}

}  // namespace t2n::cli

// SPDX-License-Identifier: Apache-2.0
// The options --engine, --tolerance and --strict, with their help for every command.
#include "cli/options/check_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "cli/screen/terminal.h"
#include "cli/screen/text.h"
#include "src/check/localisation_table.h"
#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/limits/limits.h"
#include "src/limits/watch.h"
#include "src/model/torch_module.h"

namespace t2n::cli {
namespace {

/// " · also at B=1, S=1; B=3, S=11"
std::string sizes_text(const std::vector<dynamic::Sizes>& sizes) {
  std::vector<std::string> further;
  for (size_t i = 1; i < sizes.size(); ++i) further.push_back(dynamic::sizes_str(sizes[i]));
  return further.empty() ? std::string() : cat(" · also at ", joined(further, "; "));
}

/// " (2 more without a finite result; 1 that only the artefact rejects; 1 unstable under
/// rounding)": input sets without a verdict on the values.
std::string excluded_sets_text(const CheckResult& result) {
  std::string out;
  if (result.left_out > 0) out = cat(result.left_out, " more without a finite result");
  if (result.refused > 0)
    out += cat(out.empty() ? "" : "; ", result.refused, " that only the artefact rejects");
  if (result.unstable > 0)
    out += cat(out.empty() ? "" : "; ", result.unstable, " unstable under rounding");
  return out.empty() ? out : cat(" (", out, ")");
}

/// The number of sets on which only LibTorch with oneDNN's kernels differs from LibTorch.
std::string engines_text(const CheckResult& result) {
  if (result.engines_disagree == 0) return {};
  return cat("; on ", counted(result.engines_disagree, "input set"),
             " its engines x86 and oneDNN disagree");
}

/// The number of sets on which the artefact differs by choices that torch leaves undefined.
std::string choices_text(const CheckResult& result) {
  const bool has_rounded =
      std::any_of(result.rows.begin(), result.rows.end(),
                  [](const check::OutputRow& row) { return row.has_valid_choices; });
  const char* const note =
      has_rounded ? "; outputs hardly react, so the rounded intermediate values were compared" : "";
  if (result.chosen == 0) return note;
  return cat(
      note, "; on ", counted(result.chosen, "input set"),
      " equal elements are ordered or ties rounded differently, which torch leaves undefined");
}

/// A line in several where the terminal ends; later ones are indented.
std::string on_screen(const std::string& line) {
  constexpr size_t kIndent = 2;
  const std::optional<size_t> width = known_width();
  return width && text_width(line) > *width ? joined(wrapped(line, *width - kIndent), "\n  ")
                                            : line;
}

/// "in pulses of 8, 9, 4; delay 3": the delays are by output, for the first size.
std::string pulses_text(const CheckResult& result) {
  if (result.pulses.empty()) return {};
  std::vector<std::string> sizes, delays;
  for (const int64_t pulse : result.pulses) sizes.push_back(std::to_string(pulse));
  for (size_t i = 0; i < result.delays.size() && i < result.rows.size(); ++i)
    delays.push_back(cat(result.rows[i].name, " ", result.delays[i]));
  return cat("in pulses of ", joined(sizes, ", "), "; entries before the first with pulses of ",
             sizes[0], ": ", joined(delays, ", "), "\n");
}

/// "states: 5 calls, each with those of the previous call; …"
std::string calls_text(const CheckResult& result) {
  if (result.calls == 0) return {};
  std::string out =
      cat("states: ", counted(result.calls, "call"), ", each with the states of the previous call");
  if (!result.equal_in_pieces.empty())
    out += cat("; pieces along ", joined(result.equal_in_pieces, ", "), " match a single call");
  if (!result.unequal_in_pieces.empty())
    out += cat("; pieces along ", joined(result.unequal_in_pieces, ", "),
               " do not match a single call, in torch either");
  return out + "\n";
}

/// Elements of the outputs that are not finite, in torch as well as in the engine.
std::string not_finite_text(const std::vector<check::OutputRow>& rows) {
  std::string out;
  for (const check::OutputRow& row : rows)
    if (row.comparison.expected_not_finite > 0)
      out += cat("  ", row.name, ": ",
                 counted(static_cast<size_t>(row.comparison.expected_not_finite), "element"),
                 " of ", ir::element_count(row.comparison.shape), " NaN or infinite in torch\n");
  return out;
}

Localise localise_of(const std::string& when) {
  if (when == "never") return Localise::never;
  if (when == kOnFailure) return Localise::on_failure;
  if (when == "always") return Localise::always;
  throw Error("usage", cat("--localize ", quoted(when), " is not known"), {},
              "write --localize never, on-failure or always");
}

}  // namespace

void add_engine_options(CLI::App& command, EngineOptions& options) {
  command
      .add_option("--engine", options.engine,
                  "reference, tract, tract@0.21.19 or a library's path\n"
                  "Default: the target's engine, found in T2NNEF_TRACT_LIB or the active Python, "
                  "else the reference interpreter.")
      ->type_name("ENGINE");
}

check::RunnerOptions runner_options() {
  check::RunnerOptions out;
  if (const auto remaining = limits::seconds_left())
    out.timeout = std::chrono::milliseconds(static_cast<int64_t>(*remaining * 1000) + 1);
  // Address space exceeds the memory in use; the latter is watched.
  constexpr int64_t kLeast = int64_t{4} << 30;
  const int64_t most = limits::max_memory();
  out.memory_bytes =
      std::min(out.memory_bytes, std::max(kLeast, most > kLeast ? 4 * kLeast : most));
  return out;
}

void add_tolerance_options(CLI::App& command, ToleranceOptions& options) {
  command
      .add_option("--tolerance", options.tolerances,
                  "Absolute, relative, share of outliers: 1e-4,1e-3\n"
                  "Of --check. Repeatable for single outputs: probs=1e-3,1e-2, or with a level, "
                  "'mask*=exact'.")
      ->type_name("[NAME=]A,R[,O]")
      ->allow_extra_args(false);
  command
      .add_option("--seeds", options.seeds,
                  "Input sets that vary all inputs at once [2]\n"
                  "The samples included, 2 to 1000. Sets that vary one input are added.")
      ->type_name("N");
  command
      .add_option("--localize", options.localise,
                  "When to find where values differ [on-failure]\n"
                  "never, on-failure or always. always prints a row for each tensor.")
      ->type_name("WHEN");
  command.add_flag("--strict", options.strict, "Treat an inconclusive check as a failure");
}

CheckOptions check_options(const ToleranceOptions& options, const EngineOptions& engine) {
  CheckOptions out;
  std::string own;  // for all outputs
  for (const std::string& text : options.tolerances) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos && !std::exchange(own, text).empty())
      throw Error("usage", "--tolerance is given twice for all outputs");
    if (equals != std::string::npos)
      out.by_output.push_back(
          {text.substr(0, equals), check::parse_tolerance(text.substr(equals + 1))});
  }
  if (!own.empty() && options.check != kDefaultLevel)
    throw Error("usage", cat("--check=", options.check, " and --tolerance contradict each other"));
  constexpr int kMostSeeds = 1000;
  if (options.seeds < 2 || options.seeds > kMostSeeds)
    throw Error("usage", cat("--seeds is ", options.seeds, ", not a number from 2 to 1000"));
  out.seeds = options.seeds;
  out.tolerance = check::parse_tolerance(own.empty() ? options.check : own);
  out.engine = parse_engine(engine.engine);
  out.strict = options.strict;
  out.localise = localise_of(options.localise);
  out.runner = runner_options();
  return out;
}

std::string check_text(const CheckOptions& options, const CheckResult& result) {
  const std::string head =
      cat("check: ", result.engine, " vs LibTorch ", torch_module().torch_version, " · ",
          tolerances_str(options), " · ", counted(result.sets.size(), "input set"),
          excluded_sets_text(result), sizes_text(result.sizes));
  const std::string reference =
      cat("reference: ", result.reference, engines_text(result), choices_text(result));
  return cat(
      on_screen(head), "\n", check::verdict_table(result.rows, line_width()),
      check::quanta_text(result.rows), not_finite_text(result.rows), calls_text(result),
      pulses_text(result), on_screen(reference), "\n",
      result.localisation ? check::localisation_table(*result.localisation, line_width()) : "");
}

}  // namespace t2n::cli

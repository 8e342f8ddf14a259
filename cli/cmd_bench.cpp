// SPDX-License-Identifier: Apache-2.0
// t2nnef bench: measures one or two artefacts in tract.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "cli/commands.h"
#include "cli/options/check_options.h"
#include "cli/options/input_options.h"
#include "cli/screen/console.h"
#include "cli/screen/text.h"
#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/export/bench.h"
#include "src/export/report_bench.h"
#include "src/report/artefact_violations.h"
#include "src/samples/input_spec.h"

namespace t2n::cli {
namespace {

constexpr const char* kBenchExamples =
    "examples:\n"
    "  t2nnef bench model.nnef.tgz --size S=128\n"
    "  t2nnef bench f32.nnef.tgz int8.nnef.tgz -i x=@x.npy --json\n";

struct BenchCommand {
  std::string artefact;
  std::string other;
  std::vector<std::string> inputs;
  std::vector<std::string> sizes;
  tract::BenchRequest times;
  int64_t top = 10;
  EngineOptions engine;
};

/// "1.23 ms"
std::string time_text(double seconds) {
  if (seconds >= 1) return number_text("%.3g s", seconds);
  return seconds >= 1e-3 ? number_text("%.3g ms", seconds * 1e3)
                         : number_text("%.3g us", seconds * 1e6);
}

std::string ratio_text(double ratio) { return number_text("%.3g", ratio); }

std::string inputs_line(const BenchedArtefact& artefact) {
  std::vector<std::string> inputs;
  for (const nnef::NamedTensor& input : artefact.inputs) {
    const auto is_input = [&](const spec::State& state) { return state.input == input.name; };
    const bool is_state = std::any_of(artefact.states.begin(), artefact.states.end(), is_input);
    inputs.push_back(typed(input.name, input.value.dtype, ir::to_shape(input.value.shape)) +
                     (is_state ? " (state)" : ""));
  }
  return inputs.empty() ? "no inputs" : joined(inputs, ", ");
}

std::vector<std::string> spread_row(std::string name, const Spread& spread,
                                    std::string (*text)(double)) {
  std::vector<std::string> row = {std::move(name)};
  for (const double value :
       {spread.median, spread.quarter, spread.three_quarters, spread.least, spread.most})
    row.push_back(text(value));
  row.push_back(std::to_string(spread.count));
  return row;
}

/// The name of an artefact in a table of two.
std::string side(const BenchResult& result, size_t index) {
  return result.artefacts.size() == 1 ? "" : index == 0 ? " A" : " B";
}

std::string times_text(const BenchResult& result) {
  std::vector<std::vector<std::string>> rows = {
      {"time", "median", "25 %", "75 %", "min", "max", "count"}};
  for (size_t i = 0; i < result.artefacts.size(); ++i)
    rows.push_back(spread_row(cat("load", side(result, i)),
                              spread_of(result.artefacts[i].times.loads), time_text));
  for (size_t i = 0; i < result.artefacts.size(); ++i)
    rows.push_back(spread_row(cat("run", side(result, i)),
                              spread_of(result.artefacts[i].times.runs), time_text));
  if (result.artefacts.size() == 2) {
    const tract::BenchTimes& a = result.artefacts[0].times;
    const tract::BenchTimes& b = result.artefacts[1].times;
    rows.push_back(spread_row("load B/A", ratios(a.loads, b.loads), ratio_text));
    rows.push_back(spread_row("run B/A", ratios(a.runs, b.runs), ratio_text));
  }
  return table(rows);
}

double total_seconds(const std::vector<BenchedOperation>& operations) {
  double out = 0;
  for (const BenchedOperation& each : operations) out += each.seconds;
  return out;
}

std::string share_text(double seconds, double total) {
  return total > 0 ? number_text("%.1f %%", 100 * seconds / total) : "-";
}

/// Kinds of operations in one artefact, or the same in both.
std::string kinds_text(const BenchResult& result, size_t top) {
  const std::vector<OperationTotal> first = totals_of(result.artefacts[0].operations);
  const double total = total_seconds(result.artefacts[0].operations);
  std::vector<std::vector<std::string>> rows;
  if (result.artefacts.size() == 1) {
    rows.push_back({"operation", "uses", "time", "share"});
    for (size_t i = 0; i < std::min(top, first.size()); ++i)
      rows.push_back({first[i].operation, std::to_string(first[i].uses),
                      time_text(first[i].seconds), share_text(first[i].seconds, total)});
    return table(rows);
  }
  rows.push_back({"operation", "uses A", "time A", "uses B", "time B", "B/A"});
  std::map<std::string, std::array<OperationTotal, 2>> both;
  for (size_t side = 0; side < 2; ++side)
    for (OperationTotal& each : totals_of(result.artefacts[side].operations))
      both[each.operation][side] = std::move(each);
  std::vector<std::pair<std::string, std::array<OperationTotal, 2>>> sorted(both.begin(),
                                                                            both.end());
  const auto seconds = [](const auto& row) {
    return std::max(row.second[0].seconds, row.second[1].seconds);
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto& a, const auto& b) { return seconds(a) > seconds(b); });
  const auto cells = [](const OperationTotal& each) -> std::pair<std::string, std::string> {
    if (each.uses == 0) return {"-", "-"};
    return {std::to_string(each.uses), time_text(each.seconds)};
  };
  for (size_t i = 0; i < std::min(top, sorted.size()); ++i) {
    const auto& [name, totals] = sorted[i];
    const auto [uses_a, time_a] = cells(totals[0]);
    const auto [uses_b, time_b] = cells(totals[1]);
    const bool has_ratio = totals[0].seconds > 0 && totals[1].uses > 0;
    rows.push_back({name, uses_a, time_a, uses_b, time_b,
                    has_ratio ? ratio_text(totals[1].seconds / totals[0].seconds) : "-"});
  }
  return table(rows);
}

std::string slowest_text(const BenchedArtefact& artefact, size_t top) {
  const double total = total_seconds(artefact.operations);
  std::vector<std::vector<std::string>> rows = {{"time", "share", "operation", "name"}};
  for (size_t i = 0; i < std::min(top, artefact.operations.size()); ++i) {
    const BenchedOperation& each = artefact.operations[i];
    rows.push_back(
        {time_text(each.seconds), share_text(each.seconds, total), each.operation, each.name});
  }
  return table(rows);
}

std::string bench_text(const BenchResult& result, size_t top) {
  std::string out = cat("bench: ", result.engine, "\n");
  for (size_t i = 0; i < result.artefacts.size(); ++i)
    out += cat(side(result, i).empty() ? "" : cat(side(result, i).substr(1), " = "),
               result.artefacts[i].path, ": ", inputs_line(result.artefacts[i]), "\n");
  out += times_text(result);
  if (top == 0) return out;
  out += cat("operations of the optimised graph, in one run:\n", kinds_text(result, top));
  for (size_t i = 0; i < result.artefacts.size(); ++i)
    out += cat("slowest", side(result, i).empty() ? "" : cat(" of", side(result, i)), ":\n",
               slowest_text(result.artefacts[i], top));
  return out;
}

/// Names what is wrong with artefacts that the engine rejects.
BenchResult measured(const BenchOptions& bench) {
  try {
    return bench_artefacts(bench);
  } catch (const Error& error) {
    Error explained = error;
    for (const std::string& artefact : bench.artefacts)
      explained = report::with_violations(explained, artefact);
    throw Error(explained);
  }
}

ExitCode run_bench(const BenchCommand& options, CommandReport& report) {
  Console console(Verbosity::normal, report);
  constexpr const char* kExample = "bench model.nnef.tgz";
  require_range("--runs", options.times.runs, 0, tract::kMostRuns);
  require_range("--warmup", options.times.warmups, 0, tract::kMostRuns);
  require_range("--loads", options.times.loads, 1, tract::kMostRuns);
  require_range("--top", options.top, 0, 1'000'000);
  BenchOptions bench{.artefacts = {require_artefact(options.artefact, kExample)},
                     .samples = parse_inputs(options.inputs),
                     .sizes = options.sizes,
                     .engine = parse_engine(options.engine.engine),
                     .runner = runner_options(),
                     .times = options.times,
                     .report = console.report()};
  if (!options.other.empty()) bench.artefacts.push_back(require_artefact(options.other, kExample));
  bench.times.profiles = options.top > 0;
  report.set("/artifact/path", options.artefact);
  const BenchResult result = measured(bench);
  add_bench(report, result);
  print(bench_text(result, static_cast<size_t>(options.top)));
  return ExitCode::ok;
}

}  // namespace

void setup_bench(CLI::App& app, Run& selected) {
  auto options = std::make_shared<BenchCommand>();
  CLI::App* command = app.add_subcommand("bench", "Measure one or two NNEF artefacts in tract");
  command->add_option("ARTEFACT", options->artefact, "A folder, .tar or .tgz of any exporter")
      ->type_name("");
  command
      ->add_option("OTHER", options->other,
                   "A second one to compare with\n"
                   "Both run alternately in one process.")
      ->default_str("none")
      ->type_name("");
  command
      ->add_option("-i,--input", options->inputs,
                   "Input by name or as input_N: in.npz  x=@x.npy\n"
                   "Repeatable. Missing ones are drawn from a fixed seed; states have their first "
                   "values.")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  command
      ->add_option("--size", options->sizes,
                   "Size of a dynamic axis: S=64\n"
                   "Repeatable. For inputs that no --input gives.")
      ->type_name("SYMBOL=N")
      ->allow_extra_args(false);
  command
      ->add_option("--runs", options->times.runs,
                   "Runs of each artefact [0]\n"
                   "0: as many as fit into 2 s, at least 10.")
      ->type_name("N");
  command->add_option("--warmup", options->times.warmups, "Runs before the measured ones [5]")
      ->type_name("N");
  command->add_option("--loads", options->times.loads, "Loads of each artefact [5]")
      ->type_name("N");
  command
      ->add_option("--top", options->top,
                   "Operations to list, 0 for none [10]\n"
                   "tract measures them in up to 5 s of additional runs.")
      ->type_name("N");
  add_engine_options(*command, options->engine);
  add_seed(*command);
  command->footer(kBenchExamples);
  command->callback([options, &selected] {
    selected = [options](CommandReport& report) { return run_bench(*options, report); };
  });
}

}  // namespace t2n::cli

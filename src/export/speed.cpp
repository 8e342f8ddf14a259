// SPDX-License-Identifier: Apache-2.0
#include "src/export/speed.h"

#include "nnef_writer/archive.h"
#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/export/bench.h"
#include "src/export/pipeline.h"

namespace t2n {
namespace {

namespace fs = std::filesystem;

/// Larger models take long to write and to load.
constexpr int64_t kMostBytes = int64_t{256} << 20;
constexpr double kSecondsEach = 0.25;
/// Ratios below are within what other programs on the machine make of equal times.
constexpr double kSlower = 1.3;

int64_t weight_bytes(const ir::Graph& graph) {
  int64_t out = 0;
  for (const auto& each : graph.constants)
    out += each.data.elements() * ir::dtype_size(each.data.dtype);
  return out;
}

/// One thread and few runs: the ratio of runs in turns settles soon.
BenchResult run_both(const fs::path& floats, const fs::path& artefact, const TracedModel& model,
                     check::Runner& runner) {
  BenchOptions bench{.artefacts = {floats.string(), artefact.string()},
                     .samples = model.samples,
                     .sizes = {},
                     .engine = {},
                     .runner = {},
                     .running = &runner,
                     .times = {},
                     .report = {}};
  bench.times.loads = 1;
  bench.times.seconds = kSecondsEach;
  return bench_artefacts(bench);
}

void warn_if_slower(const EngineSpeed& speed, const Report& report) {
  if (speed.ratio < kSlower || !report) return;
  report(Diagnostic{.severity = Severity::warning,
                    .id = "slow-weights",
                    .message = cat("the compressed model takes ", number_text("%.2f", speed.ratio),
                                   " times as long as the float model in ", speed.engine),
                    .why = "small weights save memory, not time; rounding activations takes time",
                    .help = "use --compress int8-weights, which rounds weights only"});
}

}  // namespace

std::optional<EngineSpeed> compared_speed(const TracedModel& model, const fs::path& artefact,
                                          const ExportOptions& options, const FoundEngine& engine) {
  const bool is_tract = options.target.engine == target::Engine::tract && !engine.warning &&
                        options.check->engine.kind != EngineChoice::Kind::reference;
  if (!is_tract || target::streams(options.target) || weight_bytes(model.traced.graph) > kMostBytes)
    return std::nullopt;
  try {
    ir::Graph graph = model.traced.graph;
    const nnef::Document document = to_nnef(graph, options.target, options.passes, nullptr);
    const nnef::PendingArtefact floats = nnef::write_artefact(
        document, {engine.scratch->path() / "floats", nnef::Destination::Form::folder, 0});
    const BenchResult result = run_both(floats.path(), artefact, model, *engine.runner);
    const std::vector<double>& float_runs = result.artefacts.at(0).times.runs;
    const std::vector<double>& runs = result.artefacts.at(1).times.runs;
    const Spread ratio = ratios(float_runs, runs);
    if (ratio.count == 0) return std::nullopt;
    EngineSpeed out{result.engine, spread_of(runs).median, spread_of(float_runs).median,
                    ratio.median, ratio.count};
    warn_if_slower(out, options.report);
    return out;
  } catch (const Error& error) {
    if (error.diagnostic().id == "internal") throw;
    return std::nullopt;
  }
}

std::string speed_text(const EngineSpeed& speed) {
  return cat("engine time: ", number_text("%.2f", speed.ratio), " of the float artefact's (",
             number_text("%.3g ms", speed.seconds * 1e3), " of ",
             number_text("%.3g ms", speed.float_seconds * 1e3), "; ", speed.engine, ", medians of ",
             speed.runs, ")\n");
}

}  // namespace t2n

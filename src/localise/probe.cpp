// SPDX-License-Identifier: Apache-2.0
#include "src/localise/probe.h"

#include <algorithm>

#include "nnef_writer/print.h"
#include "nnef_writer/temporary.h"
#include "src/check/check_model.h"
#include "src/check/pulses.h"
#include "src/check/run_artefact.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "src/nnef/files.h"

namespace t2n::localise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGraph = "graph.nnef";
/// The memory for the intermediate results of one run.
constexpr int64_t kMemory = int64_t{256} << 20;
/// A failed load may restart the engine, so that a file with many such tensors takes too long.
constexpr size_t kMostFailures = 40;

void write_bytes(const fs::path& path, std::span<const std::byte> bytes) {
  nnef::FileWriter file(path, path);
  file.write(bytes);
  file.close();
}

void write_graph(const Probed& probed, const nnef::Document& document) {
  const std::string text = nnef::print(document);
  fs::remove(probed.folder / kGraph);
  write_bytes(probed.folder / kGraph, std::as_bytes(std::span(text)));
}

bool is_of_engine(const Diagnostic& diagnostic) { return diagnostic.id.starts_with("engine-"); }

/// Loads a changed document, and returns what the engine takes.
std::vector<ir::Tensor> loaded(const Probed& probed, const nnef::Document& document,
                               check::Runner& engine) {
  write_graph(probed, document);
  engine.load(probed.folder.string());
  std::vector<ir::Tensor> fed;
  for (const size_t index : feeding_order(document, probed.order))
    fed.push_back(probed.inputs.at(index));
  return fed;
}

/// The results of a changed document.   Errors: those of the engine.
std::vector<ir::Tensor> results_of(const Probed& probed, const nnef::Document& document,
                                   check::Runner& engine) {
  return engine.run(loaded(probed, document, engine));
}

/// The leading parts that both have.
Streamed common_part(ir::Tensor entire, ir::Tensor in_pulses, int64_t axis) {
  const auto at = static_cast<size_t>(axis);
  if (axis < 0 || at >= entire.shape.size() || entire.shape.size() != in_pulses.shape.size())
    return {std::move(entire), std::move(in_pulses)};
  const int64_t count = std::min(entire.shape[at], in_pulses.shape[at]);
  return {first_of(entire, axis, count), first_of(in_pulses, axis, count)};
}

using Measure = std::function<bool(std::span<const size_t> chunk)>;

/// Halves a chunk that the engine cannot return.
void measure_chunk(std::span<const size_t> chunk, const Measure& measure, size_t& failures) {
  if (chunk.empty() || failures >= kMostFailures || measure(chunk)) return;
  ++failures;
  if (chunk.size() == 1) return;
  const size_t half = chunk.size() / 2;
  measure_chunk(chunk.first(half), measure, failures);
  measure_chunk(chunk.subspan(half), measure, failures);
}

/// What `run` gives; nothing if the engine fails.
template <typename Run>
auto unless_engine_fails(Run run) -> std::optional<decltype(run())> {
  try {
    return run();
  } catch (const Error& error) {
    if (!is_of_engine(error.diagnostic())) throw;
    return std::nullopt;
  }
}

/// The graph with other outputs.
ir::Graph with_outputs(const ir::Graph& graph, const std::vector<ir::ValueId>& ids) {
  ir::Graph out = graph;
  out.outputs = ids;
  out.output_names.clear();
  for (const ir::ValueId id : ids) out.output_names.push_back(graph.values[id].name);
  return out;
}

int64_t bytes_of(const ir::Value& value) {
  int64_t out = ir::dtype_size(value.dtype);
  for (const ir::Dim& size : value.shape) out *= size.is_constant() ? size.value() : 1;
  return out;
}

}  // namespace

void copy_files(const std::string& artefact, const fs::path& folder) {
  fs::create_directories(folder);
  for (const nnef::StoredFile& file : nnef::list_files(artefact).files) {
    if (file.name == kGraph) continue;
    const fs::path path = folder / file.name;
    fs::create_directories(path.parent_path());
    write_bytes(path, nnef::content_of(file).bytes);
  }
}

void restore_graph(const Probed& probed) { write_graph(probed, probed.document); }

std::optional<std::vector<ir::Tensor>> tensors_in(const Probed& probed,
                                                  const std::vector<std::string>& names,
                                                  check::Runner& engine) {
  nnef::Document document = probed.document;
  document.graph.results = names;
  auto out = unless_engine_fails([&] { return results_of(probed, document, engine); });
  if (out && out->size() != names.size()) out.reset();
  return out;
}

std::optional<std::vector<Streamed>> streamed_in(const Probed& probed,
                                                 const std::vector<std::string>& names,
                                                 const InputSet& set, check::Runner& engine) {
  nnef::Document document = probed.document;
  document.graph.results = names;
  return unless_engine_fails([&] {
    const std::vector<ir::Tensor> inputs = loaded(probed, document, engine);
    std::vector<ir::Tensor> entire = engine.run(inputs);
    const auto info = engine.pulse({set.pulses->symbol, set.pulses->size});
    if (!info) throw Error("engine-failed", cat(engine.name(), " does not support pulses"));
    std::vector<ir::Tensor> in_pulses =
        engine.run_in_pulses(fed_in_pulses(inputs, info->input_axes, set));
    require_count(entire.size(), names.size());
    require_count(in_pulses.size(), names.size());
    std::vector<Streamed> out;
    for (size_t i = 0; i < names.size(); ++i)
      out.push_back(common_part(std::move(entire[i]), std::move(in_pulses[i]), info->axes.at(i)));
    return out;
  });
}

void for_chunks(const Flow& flow, size_t most,
                const std::function<bool(std::span<const size_t> chunk)>& measure) {
  const std::vector<size_t> all = flow.computed();
  const std::span<const size_t> tensors(all);
  size_t failures = 0;
  for (size_t begin = 0; begin < all.size(); begin += most)
    measure_chunk(tensors.subspan(begin, std::min(most, all.size() - begin)), measure, failures);
}

std::vector<std::string> names_of(const Flow& flow, std::span<const size_t> tensors) {
  std::vector<std::string> out;
  for (const size_t tensor : tensors) out.push_back(flow.tensors[tensor].name);
  return out;
}

void measure(Flow& flow, const Probed& probed, check::Runner& engine, size_t most) {
  for_chunks(flow, most, [&](std::span<const size_t> chunk) {
    const auto values = tensors_in(probed, names_of(flow, chunk), engine);
    for (size_t i = 0; values && i < chunk.size(); ++i)
      flow.tensors[chunk[i]].digest = digest_of((*values)[i]);
    return values.has_value();
  });
}

std::optional<Diagnostic> failure_of(const Probed& probed, const nnef::Document& document,
                                     check::Runner& engine) {
  try {
    (void)results_of(probed, document, engine);
  } catch (const Error& error) {
    if (!is_of_engine(error.diagnostic())) throw;
    return error.diagnostic();
  }
  return {};
}

void measure(GraphFlow& flow, const ir::Graph& graph, const std::vector<ir::Tensor>& inputs,
             size_t most) {
  const std::vector<size_t> all = flow.computed();
  for (size_t begin = 0; begin < all.size(); begin += most) {
    std::vector<ir::ValueId> ids;
    const size_t end = std::min(begin + most, all.size());
    for (size_t i = begin; i < end; ++i) ids.push_back(flow.ids[all[i]]);
    const std::vector<ir::Tensor> values =
        ir::run_graph(with_outputs(graph, ids), inputs, torch_module().evaluator());
    for (size_t i = begin; i < end; ++i) flow.tensors[all[i]].digest = digest_of(values[i - begin]);
  }
}

std::optional<ir::Tensor> value_in_torch(const ir::Graph& graph, ir::ValueId id,
                                         const std::vector<ir::Tensor>& inputs) {
  return ir::run_graph(with_outputs(graph, {id}), inputs, torch_module().evaluator()).at(0);
}

size_t most_at_once(const ir::Graph& graph) {
  int64_t largest = 1 << 10;
  for (const ir::Node& node : graph.nodes)
    for (const ir::ValueId id : node.outputs)
      largest = std::max(largest, bytes_of(graph.values[id]));
  constexpr int64_t kMost = 4000;
  return static_cast<size_t>(std::clamp<int64_t>(kMemory / largest, 1, kMost));
}

}  // namespace t2n::localise

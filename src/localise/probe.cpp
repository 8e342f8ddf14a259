#include "src/localise/probe.h"

#include <algorithm>

#include "nnef_writer/print.h"
#include "nnef_writer/temporary.h"
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

/// The results of a changed document.   Errors: those of the engine.
std::vector<ir::Tensor> results_of(const Probed& probed, const nnef::Document& document,
                                   check::Runner& engine) {
  write_graph(probed, document);
  engine.load(probed.folder.string());
  std::vector<ir::Tensor> fed;
  for (const size_t index : feeding_order(document, probed.order))
    fed.push_back(probed.inputs.at(index));
  return engine.run(fed);
}

std::vector<std::string> names_of(const Flow& flow, std::span<const size_t> tensors) {
  std::vector<std::string> out;
  for (const size_t tensor : tensors) out.push_back(flow.tensors[tensor].name);
  return out;
}

/// Halves a chunk that the engine cannot return.
void measure_chunk(Flow& flow, const Probed& probed, check::Runner& engine,
                   std::span<const size_t> chunk, size_t& failures) {
  if (chunk.empty() || failures >= kMostFailures) return;
  const auto values = tensors_in(probed, names_of(flow, chunk), engine);
  if (values) {
    for (size_t i = 0; i < chunk.size(); ++i)
      flow.tensors[chunk[i]].digest = digest_of((*values)[i]);
    return;
  }
  ++failures;
  if (chunk.size() == 1) return;
  const size_t half = chunk.size() / 2;
  measure_chunk(flow, probed, engine, chunk.first(half), failures);
  measure_chunk(flow, probed, engine, chunk.subspan(half), failures);
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
  try {
    std::vector<ir::Tensor> out = results_of(probed, document, engine);
    if (out.size() == names.size()) return out;
  } catch (const Error& error) {
    if (!is_of_engine(error.diagnostic())) throw;
  }
  return {};
}

void measure(Flow& flow, const Probed& probed, check::Runner& engine, size_t most) {
  const std::vector<size_t> all = flow.computed();
  const std::span<const size_t> tensors(all);
  size_t failures = 0;
  for (size_t begin = 0; begin < all.size(); begin += most)
    measure_chunk(flow, probed, engine, tensors.subspan(begin, std::min(most, all.size() - begin)),
                  failures);
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

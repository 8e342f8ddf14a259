// SPDX-License-Identifier: Apache-2.0
#include "src/reduce/written.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "nnef_writer/archive.h"
#include "nnef_writer/npz.h"
#include "src/diag/error.h"
#include "src/export/graph_file.h"
#include "src/export/stages.h"

namespace t2n::reduce {
namespace {

namespace fs = std::filesystem;

nnef::Destination file_at(const fs::path& path, const std::vector<nnef::Taken>& taken) {
  nnef::Destination out = nnef::file_destination(path);
  out.form = nnef::Destination::Form::file;
  out.taken = taken;
  return out;
}

nnef::Destination artefact_at(const Files& files, const std::vector<nnef::Taken>& taken) {
  nnef::Destination out = nnef::parse_destination(files.artefact);
  out.taken = taken;
  return out;
}

/// Nothing if a value is unknown, or of a type that NumPy lacks.
std::vector<nnef::NamedTensor> arrays_of(const Part& part) {
  std::vector<nnef::NamedTensor> out;
  for (size_t i = 0; i < part.inputs.size(); ++i) {
    const ir::Tensor& tensor = part.inputs[i];
    const bool is_known = !tensor.bytes.empty() || tensor.elements() == 0;
    if (!is_known || tensor.dtype == ir::DType::bf16) return {};
    out.push_back({part.graph.values[part.graph.inputs[i]].name, ir::contiguous(tensor)});
  }
  return out;
}

}  // namespace

Files files_at(const fs::path& stem) {
  return {stem.string() + ".ir", stem.string() + ".inputs.npz", stem.string() + ".nnef.tgz",
          stem.string() + ".pt"};
}

fs::path stem_of(const ReduceOptions& options) {
  if (options.output.empty()) return fs::path(options.model).stem().string() + ".reduced";
  constexpr std::array<std::string_view, 6> kSuffixes = {".ir",          ".pt",  ".nnef.tgz",
                                                         ".nnef.tar.gz", ".tgz", ".nnef"};
  for (const std::string_view suffix : kSuffixes)
    if (options.output.ends_with(suffix) && options.output.size() > suffix.size())
      return options.output.substr(0, options.output.size() - suffix.size());
  return options.output;
}

void check_files(const Files& files, const std::vector<nnef::Taken>& taken) {
  check_graph_destination(file_at(files.graph, taken));
  nnef::check_destination(file_at(files.inputs, taken));
  nnef::check_destination(artefact_at(files, taken));
  nnef::check_destination(file_at(files.module, taken));
}

std::vector<WrittenFile> write_files(const Files& files, const Part& part,
                                     const std::optional<nnef::Document>& document,
                                     const std::vector<nnef::Taken>& taken) {
  std::vector<WrittenFile> out;
  std::optional<nnef::PendingArtefact> artefact;
  if (document) artefact = nnef::write_artefact(*document, artefact_at(files, taken));
  const WrittenGraph graph = write_graph_file(part.graph, file_at(files.graph, taken));
  out.push_back({files.graph.string(), graph.bytes, "the graph"});
  if (graph.weights > 0)
    out.push_back({weights_path(files.graph).string(), graph.weights, "its weights"});
  const std::vector<nnef::NamedTensor> arrays = arrays_of(part);
  if (!arrays.empty()) {
    nnef::write_npz(arrays, file_at(files.inputs, taken));
    out.push_back({files.inputs.string(), size_on_disk(files.inputs), "its inputs"});
  }
  if (artefact) {
    const int64_t bytes = size_on_disk(artefact->path());
    artefact->commit();
    out.push_back({files.artefact.string(), bytes, "the artefact"});
  }
  return out;
}

Part read_part(const Files& files) {
  Part out;
  out.graph = read_graph_file(files.graph);
  std::vector<nnef::NamedTensor> arrays;
  if (std::error_code ignored; fs::exists(files.inputs, ignored))
    arrays = nnef::read_npz(files.inputs);
  for (const ir::ValueId id : out.graph.inputs) {
    const ir::Value& value = out.graph.values[id];
    const auto found =
        std::find_if(arrays.begin(), arrays.end(),
                     [&](const nnef::NamedTensor& array) { return array.name == value.name; });
    ir::Tensor& tensor = out.inputs.emplace_back();
    tensor.dtype = value.dtype;
    if (found != arrays.end()) tensor = found->value;
  }
  return out;
}

}  // namespace t2n::reduce

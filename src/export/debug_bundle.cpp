// SPDX-License-Identifier: Apache-2.0
#include "src/export/debug_bundle.h"

#include <array>
#include <cstdio>
#include <span>

#include "nnef_writer/archive.h"
#include "nnef_writer/npz.h"
#include "nnef_writer/output.h"
#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/diag/printable.h"

namespace t2n {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReadme =
    "Everything that one run of `t2nnef export --debug-bundle` read, computed and wrote.\n"
    "It contains the weights of the model and the values of its inputs.\n"
    "\n"
    "command.txt       the command, and the folder in which it ran\n"
    "environment.txt   versions, engines, processor, variables\n"
    "log.txt           steps and messages, as they occurred\n"
    "report.json       the report of the export, as of --report; missing after a crash\n"
    "graphs/NN-PASS.ir the graph after the trace and after each pass\n"
    "model.nnef.tgz    the artefact, whether or not it passed the check\n"
    "sets/NN-NAME/     of each set of inputs: inputs.npz, references.npz of torch,\n"
    "                  results.npz of the engine; 00 are the samples\n"
    "With several methods, each has a folder with its graphs, artefact and sets.\n"
    "`t2nnef opt GRAPH.ir` reads a graph.\n";

void create_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) nnef::fail_to_write(folder, error.value());
}

void create_new_folder(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(folder, error);
  const bool is_empty = fs::is_directory(status) && fs::is_empty(folder, error) && !error;
  if (fs::exists(status) && !is_empty)
    throw Error("output-exists", cat("the debug bundle ", quoted(folder.string()), " exists"),
                "a bundle replaces nothing", "give --debug-bundle a new folder");
  create_folder(folder);
}

/// A text that is safe as a part of a file's name.
std::string file_name(std::string_view text) {
  constexpr size_t kLongest = 40;
  std::string out;
  for (const char c : text.substr(0, kLongest)) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-';
    if (is_plain || (!out.empty() && out.back() != '-')) out += is_plain ? c : '-';
  }
  return out;
}

std::string numbered(size_t number, std::string_view name) {
  std::array<char, 24> text;
  std::snprintf(text.data(), text.size(), "%02zu-", number);
  return text.data() + file_name(name);
}

/// NumPy has no bf16: these values become f32.
ir::Tensor as_numpy(const ir::Tensor& tensor) {
  if (tensor.dtype != ir::DType::bf16) return tensor;
  return as_dtype(tensor, ir::DType::f32).value_or(tensor);
}

void write_npz_file(const fs::path& path, std::vector<nnef::NamedTensor> arrays) {
  create_folder(path.parent_path());
  for (nnef::NamedTensor& array : arrays) array.value = as_numpy(array.value);
  nnef::write_npz(arrays, path);
}

std::vector<nnef::NamedTensor> tensors_of(const std::vector<trace::SampleInput>& inputs) {
  std::vector<nnef::NamedTensor> out;
  for (const trace::SampleInput& input : inputs)
    if (const auto* tensor = std::get_if<ir::Tensor>(&input.value))
      out.push_back({trace::flat_name(input.path), *tensor});
  return out;
}

std::vector<nnef::NamedTensor> named(const std::vector<ir::Tensor>& tensors,
                                     const std::vector<std::string>& names) {
  std::vector<nnef::NamedTensor> out;
  for (size_t i = 0; i < tensors.size(); ++i)
    out.push_back({i < names.size() ? names[i] : cat("output_", i), tensors[i]});
  return out;
}

std::string set_folder(size_t number, const InputSet& set) {
  std::string name = number == 0 ? "samples" : set.name;
  if (name.empty()) name = dynamic::sizes_str(set.sizes);
  return "sets/" + numbered(number, name);
}

}  // namespace

DebugBundle::DebugBundle(fs::path folder) : folder_(fs::absolute(folder)), method_(folder_) {
  create_new_folder(folder_);
  confine::may_read(folder_);
  confine::may_write(folder_);
  add_text("README.txt", kReadme);
  log_ = std::make_unique<nnef::FileWriter>(folder_ / "log.txt", folder_ / "log.txt");
}

DebugBundle::~DebugBundle() = default;

fs::path DebugBundle::at(const std::string& name) const { return method_ / name; }

void DebugBundle::add_text(const std::string& name, const std::string& text) {
  nnef::write_file(nnef::file_destination(folder_ / name),
                   [&](nnef::FileWriter& file) { file.write(std::as_bytes(std::span(text))); });
}

void DebugBundle::log(const std::string& text) {
  const std::string line = printable(text) + "\n";
  log_->write(std::as_bytes(std::span(line)));
}

void DebugBundle::begin_method(const std::string& name) {
  method_ = name.empty() ? folder_ : folder_ / file_name(name);
  create_folder(method_);
  graphs_ = sets_ = 0;
}

void DebugBundle::add_graph(std::string_view pass, const ir::Graph& graph) {
  const fs::path path = at(cat("graphs/", numbered(graphs_++, pass), ".ir"));
  create_folder(path.parent_path());
  const std::string text = ir::print(graph);
  nnef::write_file(nnef::file_destination(path),
                   [&](nnef::FileWriter& file) { file.write(std::as_bytes(std::span(text))); });
}

void DebugBundle::add_samples(const std::vector<trace::SampleInput>& inputs) {
  write_npz_file(at("sets/00-samples/inputs.npz"), tensors_of(inputs));
}

void DebugBundle::add_trace(const TracedModel& model) {
  add_graph("trace", model.traced.graph);
  add_samples(fill(model.samples, 0));
  write_npz_file(at("sets/00-samples/references.npz"),
                 named(model.traced.outputs, model.traced.graph.output_names));
}

void DebugBundle::add_artefact(const nnef::Document& document) {
  nnef::write_artefact(document, nnef::parse_destination(at("model.nnef.tgz"))).commit();
}

void DebugBundle::add_set(const InputSet& set, const std::vector<std::string>& outputs,
                          const std::vector<ir::Tensor>* results) {
  if (results == nullptr) ++sets_;
  const std::string folder = set_folder(sets_ - 1, set);
  if (results != nullptr)
    return write_npz_file(at(folder + "/results.npz"), named(*results, outputs));
  write_npz_file(at(folder + "/inputs.npz"), tensors_of(set.inputs));
  write_npz_file(at(folder + "/references.npz"), named(set.expected, outputs));
}

ModelOptions logged(ModelOptions options, std::shared_ptr<DebugBundle> bundle) {
  options.report = [report = options.report, bundle](const Diagnostic& diagnostic) {
    bundle->log(render_text(diagnostic));
    if (report) report(diagnostic);
  };
  const Progress progress = options.progress;
  options.progress.on_begin = [progress, bundle](std::string_view step) {
    if (step != "done") bundle->log(cat("== ", step));
    progress.begin(step);
  };
  options.progress.on_end = [progress, bundle](StepSummary summary) {
    for (const auto& [noun, count] : summary.counts) bundle->log(cat("   ", noun, ": ", count));
    if (!summary.result.empty()) bundle->log(cat("   ", summary.result));
    progress.end(std::move(summary));
  };
  return options;
}

}  // namespace t2n

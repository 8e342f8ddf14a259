// The whole export, in order: load, trace, passes, translate, write, check, put in place.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "nnef/ast.h"
#include "nnef_writer/destination.h"
#include "src/diag/sink.h"
#include "src/export/check_model.h"
#include "src/export/compressed_model.h"
#include "src/export/dynamic_model.h"
#include "src/export/port_names.h"
#include "src/export/samples.h"
#include "src/passes/pass.h"
#include "src/target/target.h"

namespace t2n {

struct ExportOptions {
  std::string model;
  target::Target target;
  std::string output;  ///< "" beside the working directory: MODEL.nnef.tgz
  /// That of several methods: the output is a folder in it, and called as the method is.
  std::string folder;
  int compression = 6;
  /// Other files that the command reads or writes: the output must not replace them.
  std::vector<nnef::Taken> taken = {};
  std::string method = "forward";
  std::vector<Sample> samples;                    ///< of --input; they override those in the file
  std::set<std::string> accepted_guards;          ///< of --accept-guard: "model.py:8"
  std::map<std::string, int64_t> max_iterations;  ///< of --max-iterations: by "model.py:8"
  DynamicOptions dynamic;
  PortNames names;                   ///< of --input-name and --output-name
  bool is_causal_lm = false;         ///< of --preset: axes and names for its client
  bool explicit_states = false;      ///< of --state
  bool prune_unused_inputs = false;  ///< leaves out inputs that no output depends on
  std::optional<CompressOptions> compress;
  bool roll_loops = false;  ///< loops become scans, with all sizes as in the samples
  std::string nan;          ///< of --nan: "keep", "report", or nothing
  std::optional<CheckOptions> check;
  passes::PipelineOptions passes;
  Report report;
  /// Called when a stage begins: "load", "trace", "passes", "translate", "write", "check", "done".
  std::function<void(std::string_view stage)> progress;
};

/// One input or output of the artefact, in order.
struct Port {
  std::string name;
  ir::DType dtype;
  ir::Shape shape;
  bool is_unused = false;  ///< an input without influence on any output
  std::string state;       ///< for a state: the path of the model's part, "encoder.h"
  std::string other_side;  ///< for a state: the output that feeds this input, or the reverse
};

struct ExportResult {
  std::string method;
  trace::ModelInfo model;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<std::string> constant_inputs;  ///< arguments that are not tensors: baked in
  std::vector<std::string> pruned_inputs;    ///< unused ones, which the artefact lacks
  bool samples_from_file = false;
  size_t operations = 0;          ///< statements of the NNEF graph without variables and externals
  int64_t quantised_weights = 0;  ///< elements, not counted in the model's parameters
  std::string path;
  int64_t bytes = 0;         ///< of the archive, or of all files of the folder
  int64_t shared_bytes = 0;  ///< of these, what artefacts of other methods hold as well
  // With dynamic axes:
  std::vector<ir::Comparison> relations;  ///< assertions of the artefact about its symbols
  CheckResult checked;                    ///< with a check
  std::optional<Compression> compression;
  std::string packed;  ///< whether the check's engine keeps packed weights packed; "": unknown
};

/// The path of the artefact.
std::string output_path(const ExportOptions& options);

/// Exports one or several methods of one model, with the same target, check and `folder`: all
/// artefacts appear, or none. With a check, they appear only if they passed. What goes wrong with
/// one method does not keep the others from being tried; all is reported, the last of it thrown.
/// The messages of several begin with the name of their method. Throws Error, and then leaves
/// nothing on disk.
std::vector<ExportResult> export_methods(const std::vector<ExportOptions>& methods);

struct Inspection {
  trace::ModelInfo model;
  std::optional<ir::Graph> graph;  ///< nothing if sample inputs are missing
  /// The graph with its quantised tensors, if it has any; `graph` has plain operations for them.
  std::optional<ir::Graph> with_quantised;
  std::vector<trace::State> states;
};
/// The traced, verified graph with constants folded, without writing: for `inspect`.
Inspection inspect_model(const ExportOptions& options);
/// The graph that an export would translate: for `ops`.
Inspection prepare_model(const ExportOptions& options);

/// Whether to_nnef() makes a document of the model.
bool has_document(const TracedModel& model, const target::Target& target,
                  const passes::PipelineOptions& options);
/// Turns a traced graph into a document: verify, passes, translate. Shared with tests.
nnef::Document to_nnef(ir::Graph& graph, const target::Target& target,
                       const passes::PipelineOptions& options, const Report& report);

}  // namespace t2n

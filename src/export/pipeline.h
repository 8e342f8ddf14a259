// SPDX-License-Identifier: Apache-2.0
// The export pipeline: load, trace, passes, translate, write, check, commit.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nnef_writer/destination.h"
#include "src/check/check_model.h"
#include "src/diag/error.h"
#include "src/export/compressed_model.h"
#include "src/export/half_model.h"
#include "src/export/metadata.h"
#include "src/export/port_names.h"
#include "src/export/traced_model.h"
#include "src/nnef/ast.h"
#include "src/passes/pass.h"
#include "src/samples/samples.h"
#include "src/target/integer_products.h"
#include "src/target/target.h"

namespace t2n {

class DebugBundle;

struct ExportOptions : ModelOptions {
  target::Target target;
  std::string output;  ///< "": MODEL.nnef.tgz in the working directory
  /// For several methods: the parent folder of their outputs, which are folders named by method.
  std::string folder;
  int compression = 6;
  /// Other files that the command reads or writes, which the output must not replace.
  std::vector<nnef::Taken> taken = {};
  PortNames names;                   ///< of --input-name and --output-name
  bool is_causal_lm = false;         ///< of --preset: axes and names for its client
  bool prune_unused_inputs = false;  ///< removes inputs that no output depends on
  std::optional<CompressOptions> compress;
  FloatOptions floats;  ///< of --float and --keep-f32
  std::string nan;      ///< of --nan: "keep", "report", or nothing
  target::Processor processor = target::Processor::any;
  std::optional<CheckOptions> check;
  passes::PipelineOptions passes;
  Metadata metadata;                          ///< further properties of the artefact
  bool dry_run = false;                       ///< writes no artefact
  std::shared_ptr<DebugBundle> debug_bundle;  ///< of --debug-bundle
  /// Receives the result of a method, also if the export then fails: as far as it came.
  std::function<void(const ExportResult&)> on_result;
};

/// One input or output of the artefact, in order.
struct Port {
  std::string name;
  ir::DType dtype;
  ir::Shape shape;
  bool is_unused = false;  ///< an input that no output depends on
  std::string state;       ///< for a state: its path in the model, "encoder.h"
  std::string other_side;  ///< for a state: the output that feeds this input, or the reverse
};

struct ExportResult {
  std::string method;
  trace::ModelInfo model;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<std::string> constant_inputs;  ///< arguments that are not tensors, as constants
  std::vector<std::string> pruned_inputs;    ///< unused ones that were removed
  bool samples_from_file = false;
  size_t operations = 0;  ///< statements of the NNEF graph without variables and externals
  /// Of the traced graph, with their uses, the most used first.
  std::vector<std::pair<std::string, int64_t>> operators;
  std::vector<std::string> needs;  ///< registries that a reader must load: "tract_core"
  int64_t quantised_weights = 0;   ///< elements, not counted in the model's parameters
  std::string path;
  bool replaces = false;                  ///< something was at `path` before
  int64_t bytes = 0;                      ///< of the archive, or of all files of the folder
  int64_t shared_bytes = 0;               ///< bytes shared with artefacts of other methods
  std::vector<ir::Comparison> relations;  ///< with dynamic axes: assertions about symbols
  CheckResult checked;                    ///< with a check
  std::optional<Compression> compression;
  std::optional<FloatSummary> floats;  ///< of --float
  std::string packed;  ///< text: whether the engine keeps packed weights packed; "": unknown
};

/// The path of the artefact: MODEL.nnef.tgz, if none is given.
std::string output_path(const ExportOptions& options);

/// Exports one or several methods of one model, with the same target, check and `folder`. Commits
/// either all artefacts or none; with a check, only if all of them passed. Tries all methods even
/// if one fails; reports all errors but the last, which it throws. Messages of several methods
/// begin with the method's name. After an Error nothing is left on disk, except for a debug bundle.
/// A dry run does the same, and commits nothing.
std::vector<ExportResult> export_methods(const std::vector<ExportOptions>& methods);

struct Inspection {
  trace::ModelInfo model;                ///< without a class if the file could not be loaded
  std::optional<ir::Graph> graph;        ///< nothing if sample inputs are missing, or with `error`
  std::optional<Error> error;            ///< why the file cannot be loaded or traced
  std::optional<ir::Graph> reached;      ///< with `error`: the operations that ran nevertheless
  std::optional<trace::ModelCode> code;  ///< without any graph, if it could be read
  /// The graph with its quantised tensors, if it has any; `graph` has plain operations for them.
  std::optional<ir::Graph> with_quantised;
  std::vector<trace::State> states;
};
/// The operators of a graph with their uses, the most used first.
std::vector<std::pair<std::string, int64_t>> operators_of(const ir::Graph& graph);
/// For `inspect`: the traced, verified graph with folded constants.
Inspection inspect_model(const ExportOptions& options);
/// For `ops`: the graph that an export would translate.
Inspection prepare_model(const ExportOptions& options);

/// Whether to_nnef() succeeds for the model.
bool has_document(const TracedModel& model, const target::Target& target,
                  const passes::PipelineOptions& options);
/// Converts a traced graph to a document: verify, passes, translate. Shared with tests.
nnef::Document to_nnef(ir::Graph& graph, const target::Target& target,
                       const passes::PipelineOptions& options, const Report& report);

}  // namespace t2n

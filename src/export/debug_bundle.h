// SPDX-License-Identifier: Apache-2.0
// A folder with everything that an export reads, computes and writes, to find out what went wrong.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "nnef_writer/temporary.h"
#include "src/check/check_model.h"
#include "src/diag/steps.h"
#include "src/export/traced_model.h"
#include "src/nnef/ast.h"

namespace t2n {

/// Every part is written as soon as it is known, so that it remains if a later step fails or
/// crashes. docs/usage.md describes the files. Errors of all members: `cannot-write`.
class DebugBundle {
 public:
  /// Creates the folder. Call it before a model is loaded, which confines the process. Errors:
  /// `output-exists` if it exists and is not an empty folder.
  explicit DebugBundle(std::filesystem::path folder);
  ~DebugBundle();
  DebugBundle(const DebugBundle&) = delete;
  DebugBundle& operator=(const DebugBundle&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  void add_text(const std::string& name, const std::string& text);
  /// Adds a line to log.txt.
  void log(const std::string& text);
  /// Files of the next method go to a folder of this name; "" for the bundle itself.
  void begin_method(const std::string& name);
  void add_graph(std::string_view pass, const ir::Graph& graph);
  void add_samples(const std::vector<trace::SampleInput>& inputs);
  void add_trace(const TracedModel& model);
  void add_artefact(const nnef::Document& document);
  /// The inputs and references of a set before the engine runs; its results, if `results` is given.
  void add_set(const InputSet& set, const std::vector<std::string>& outputs,
               const std::vector<ir::Tensor>* results);

 private:
  std::filesystem::path at(const std::string& name) const;

  std::filesystem::path folder_;
  std::filesystem::path method_;  ///< below folder_
  std::unique_ptr<nnef::FileWriter> log_;
  size_t graphs_ = 0;  ///< of this method
  size_t sets_ = 0;    ///< of this method
};

/// The same options; what they report is also in the bundle's log.
ModelOptions logged(ModelOptions options, std::shared_ptr<DebugBundle> bundle);

}  // namespace t2n

// SPDX-License-Identifier: Apache-2.0
// Tries a part of a model: whether it still fails as the model does.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "src/check/check_model.h"
#include "src/export/traced_model.h"
#include "src/nnef/ast.h"
#include "src/passes/pass.h"
#include "src/reduce/part.h"

namespace t2n::reduce {

/// What a part fails with; nothing if it does not fail.
using Judge = std::function<std::optional<Diagnostic>(const Part& part)>;

/// The passes and the target of an export.
struct Exporter {
  target::Target target;
  passes::PipelineOptions passes;
  std::string nan;  ///< of --nan
};

/// Errors: those of passes and translation.
nnef::Document document_of(const Part& part, const Exporter& exporter);

/// The engine of a check.
struct Bench {
  const CheckOptions& options;
  const FoundEngine& engine;
  const target::Stream& stream;  ///< of --stream: pulses are compared as well
  /// The output of the model that differs, once it was compared: its tolerance is that of parts.
  std::shared_ptr<std::string> differing = std::make_shared<std::string>();
};

/// Writes the document to the engine's scratch folder, runs it on the part's inputs, and compares
/// its outputs with the graph's.   `sizes`: of the graph's symbols; empty: the samples'.
std::optional<Diagnostic> compared(const Part& part, const nnef::Document& document,
                                   const ir::Sizes& sizes, const Bench& bench);

/// The options for a part. Its outputs have the tolerance of the model's output that differs; own
/// tolerances of outputs that it does not have do not apply.
CheckOptions options_for(const Part& part, CheckOptions options, const std::string& differing);

/// A part as a model that gives its own reference; its inputs are the samples.
TracedModel model_of(const Part& part);

/// What `work` throws, unless the command has to end.
std::optional<Diagnostic> failure_of(const std::function<void()>& work);

/// The failure that a reduction keeps: with the same id, and, if `text` is not empty, with the
/// text.
struct Kept {
  std::string id;
  std::string text;
};
bool is_kept(const Kept& kept, const std::optional<Diagnostic>& found);

}  // namespace t2n::reduce

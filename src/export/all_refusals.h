// SPDX-License-Identifier: Apache-2.0
// Finds all refusals of a model that one of them stopped.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "src/diag/error.h"
#include "src/export/pipeline.h"

namespace t2n {

/// All refusals of a model, and what a run found that went on after them. Nothing in it is
/// exported.
struct Refusals {
  Error error;                     ///< the first, with all others
  std::optional<ir::Graph> graph;  ///< the operations that ran; for lists of operators only
};

/// Which refusals a command has: those of the trace, or those of the translation as well.
enum class RefusedBy { trace, translation };

/// The error with all other refusals, without mere consequences of one. Errors that are not
/// refusals stay alone.
Refusals all_refusals(const LoadedModel& loaded, const ExportOptions& options, const Error& first,
                      RefusedBy by = RefusedBy::translation);

/// What `trace` gives. Errors: its own, with all other refusals of the model.
TracedModel traced_or_refused(const LoadedModel& loaded, const ExportOptions& options, RefusedBy by,
                              const std::function<TracedModel()>& trace);

/// The error of a file that could not be loaded, with the operators of its code that have no
/// translation, if `code` could be read.
Error with_code(const Error& error, const std::optional<trace::ModelCode>& code,
                const target::Target& target);

/// Loads a model.   Errors: those of the reader, with the operators of its code that have no
/// translation.
LoadedModel loaded_or_refused(const ModelOptions& options, const target::Target& target);

/// The code of a file; nothing if it cannot be read.
std::optional<trace::ModelCode> code_of(const std::string& model);

/// Whether the target has a translation of an operator of this name.
enum class CodeSupport { yes, no, depends, unknown };
CodeSupport support_of(const trace::CodeOperator& called, const target::Target& target);

}  // namespace t2n

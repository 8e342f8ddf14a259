// SPDX-License-Identifier: Apache-2.0
// What each step of an export did, for its log.
#pragma once

#include "src/check/check_model.h"
#include "src/diag/steps.h"
#include "src/export/pipeline.h"
#include "src/export/traced_model.h"
#include "src/nnef/ast.h"

namespace t2n {

/// " (from trace)"
const char* origin_of_samples(const trace::ModelInfo& model);

StepSummary summary_of_inputs(const LoadedModel& model);
StepSummary summary_of_names(const trace::ModelInfo& model);
StepSummary summary_of_trace(const ir::Graph& graph);
StepSummary summary_of_compression(const Compression& compression);
StepSummary summary_of_translation(const nnef::Document& document);
StepSummary summary_of_files(const nnef::Document& document, const ExportResult& result);
StepSummary summary_of_check(const CheckResult& result);

}  // namespace t2n

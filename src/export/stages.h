// SPDX-License-Identifier: Apache-2.0
// Shared by `export` and `opt`, between loading a model and writing a file.
#pragma once

#include <cstdint>
#include <filesystem>

#include "src/check/source_model.h"
#include "src/export/compressed_model.h"
#include "src/export/pipeline.h"
#include "src/export/traced_model.h"
#include "src/spec/states.h"

namespace t2n {

/// The context for passes on a target, with torch's evaluator.
passes::PassContext pass_context(const target::Target& target, const Report& report);

/// Runs the pipeline of an export.
void run_standard_passes(ir::Graph& graph, const target::Target& target,
                         const passes::PipelineOptions& options, const Report& report);

/// Lists inputs and outputs of a graph, before passes change it.
void list_ports(const ir::Graph& graph, ExportResult& result);
/// Adds the axis of real and imaginary parts to complex ports, and warns once about all of them.
void note_pairs(ExportResult& result, const Report& report);

/// Stores which output feeds which input of the next call.
void pair_states(const trace::Traced& traced, ExportResult& result);
/// The states of the artefact by the names in its graph, with the values before the first run:
/// those of the user, else the model's own, else those that were drawn.
std::vector<spec::State> first_states(const TracedModel& model, const ExportResult& result,
                                      const nnef::Graph& graph);

/// What a check compares an artefact with; the models outlive it.
SourceModel source_model(const TracedModel& model, const CompressedModel* compressed = nullptr);

/// The size of an archive, or the sum over all files of a folder.
int64_t size_on_disk(const std::filesystem::path& path);

}  // namespace t2n

// Shared by `export` and `opt`, between loading a model and writing a file.
#pragma once

#include <cstdint>
#include <filesystem>

#include "src/export/pipeline.h"
#include "src/export/traced_model.h"

namespace t2n {

trace::TraceOptions trace_options(const ExportOptions& options);

/// Stores the ranges of integer inputs in the graph: declared ones, or those of the axes that they
/// index, including negative indices.
void note_ranges(const TracedModel& model, ir::Graph& graph);

/// The context for passes on a target, with torch's evaluator.
passes::PassContext pass_context(const target::Target& target, const Report& report);

/// Lists inputs and outputs of a graph, before passes change it.
void list_ports(const ir::Graph& graph, ExportResult& result);
/// Adds the axis of real and imaginary parts to complex ports, and warns once about all of them.
void note_pairs(ExportResult& result, const Report& report);

/// The size of an archive, or the sum over all files of a folder.
int64_t size_on_disk(const std::filesystem::path& path);

}  // namespace t2n

// Shared by `export` and `opt`, between loading a model and writing a file.
#pragma once

#include <cstdint>
#include <filesystem>

#include "src/export/pipeline.h"
#include "src/export/traced_model.h"

namespace t2n {

trace::TraceOptions trace_options(const ExportOptions& options);

/// Stores in the graph the range of integer inputs: declared, or learnt from what they index, where
/// a negative index counts from the end.
void note_ranges(const TracedModel& model, ir::Graph& graph);

/// The context for passes, with torch's and the target's part.
passes::PassContext pass_context(const target::Target& target, const Report& report);

/// Lists inputs and outputs of a graph, before passes change it.
void list_ports(const ir::Graph& graph, ExportResult& result);
/// Notes, once for all, that complex tensors are real ones with another axis in the file.
void note_pairs(ExportResult& result, const Report& report);

/// The size of an archive, or the sum over all files of a folder.
int64_t size_on_disk(const std::filesystem::path& path);

}  // namespace t2n

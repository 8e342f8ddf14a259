// What `export` and `opt` share between loading a model and writing a file.
#pragma once

#include <cstdint>
#include <filesystem>

#include "src/export/pipeline.h"
#include "src/export/traced_model.h"

namespace t2n {

trace::TraceOptions trace_options(const ExportOptions& options);

/// Notes in the graph what integer inputs may hold: declared, or learnt from what they index, where
/// a negative index counts from the end.
void note_ranges(const TracedModel& model, ir::Graph& graph);

/// What passes are told of torch and of the target.
passes::PassContext pass_context(const target::Target& target, const Report& report);

/// Inputs and outputs of a graph, before passes change it.
void list_ports(const ir::Graph& graph, ExportResult& result);
/// Complex tensors are real ones in the file, with one axis more; said once for all of them.
void say_pairs(ExportResult& result, const Report& report);

/// Of an archive, or of all files of a folder.
int64_t size_on_disk(const std::filesystem::path& path);

}  // namespace t2n

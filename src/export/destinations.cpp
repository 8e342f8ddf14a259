// SPDX-License-Identifier: Apache-2.0
#include "src/export/destinations.h"

#include <filesystem>

#include "ir/spilled.h"
#include "src/confine/confine.h"
#include "src/export/graph_model.h"

namespace t2n {
namespace {

namespace fs = std::filesystem;

nnef::Destination export_destination(const ExportOptions& options) {
  nnef::Destination out = nnef::parse_destination(output_path(options));
  out.level = options.compression;
  out.taken = options.taken;
  for (nnef::Taken& taken : model_files(options.model)) out.taken.push_back(std::move(taken));
  return out;
}

/// The destination `number` below `folder`. A stream becomes a file.
nnef::Destination moved_to(const fs::path& folder, size_t number, nnef::Destination destination) {
  const bool is_stream = destination.form == nnef::Destination::Form::stream;
  const fs::path name = is_stream ? "model.nnef.tar" : nnef::final_path(destination).filename();
  destination.path = folder / std::to_string(number) / name;
  if (is_stream) destination.form = nnef::Destination::Form::tar;
  destination.taken.clear();
  fs::create_directory(destination.path.parent_path());
  return destination;
}

}  // namespace

std::string output_path(const ExportOptions& options) {
  if (!options.output.empty()) return options.output;
  return fs::path(options.model).stem().string() + ".nnef.tgz";
}

nnef::Group group_of(std::span<const ExportOptions> methods) {
  nnef::Group out;
  const ExportOptions& first = methods.front();
  if (first.folder.empty()) {
    for (const ExportOptions& options : methods) out.each.push_back(export_destination(options));
    return out;
  }
  ExportOptions folder = first;
  folder.output = first.folder;
  out.folder = export_destination(folder);
  out.folder->form = nnef::Destination::Form::folder;
  for (const ExportOptions& options : methods) out.folder->parts.push_back(options.method);
  return out;
}

void spill_next_to(const nnef::Destination& destination) {
  const bool is_stream = destination.form == nnef::Destination::Form::stream;
  const fs::path folder = nnef::final_path(destination).parent_path();
  ir::spill_into(is_stream ? fs::temp_directory_path() : folder.empty() ? "." : folder);
}

DryGroup dry_group(const nnef::Group& group) {
  DryGroup out{std::make_unique<nnef::Temporary>(fs::temp_directory_path() / "t2nnef-dry-run",
                                                 nnef::Temporary::Kind::folder),
               group};
  confine::may_use_up(out.folder->path());
  size_t number = 0;
  for (nnef::Destination& each : out.group.each)
    each = moved_to(out.folder->path(), number++, std::move(each));
  if (out.group.folder)
    out.group.folder = moved_to(out.folder->path(), number, *std::move(out.group.folder));
  nnef::check_group(out.group);
  return out;
}

}  // namespace t2n

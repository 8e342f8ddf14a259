// Where an artefact goes, and whether it may go there: asked before any work is done.
#pragma once

#include <filesystem>
#include <string>

namespace t2n::nnef {

struct Destination {
  enum class Form { folder, tar, tgz };
  std::filesystem::path path;
  Form form = Form::folder;
  int level = 6;  ///< of gzip, 0 to 9
};

/// The form by suffix: `.tgz` or `.tar.gz`, `.tar`, else a folder.
Destination parse_destination(const std::filesystem::path& path);

/// Whether what stands there may be replaced: a folder only if it holds nothing but NNEF files.
/// Errors: `output-exists` where something would be lost; `cannot-write` for devices and mounts.
void check_replaceable(const Destination& destination);

/// check_replaceable, and whether anything can be created there.   Errors: also `cannot-write`.
void check_destination(const Destination& destination);

/// The path to rename onto: a link's target, so that the link stays.
std::filesystem::path final_path(const Destination& destination);

}  // namespace t2n::nnef

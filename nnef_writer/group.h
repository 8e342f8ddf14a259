// SPDX-License-Identifier: Apache-2.0
// Artefacts of one model that appear on disk together, or not at all.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nnef_writer/archive.h"
#include "nnef_writer/shared_files.h"

namespace t2n::nnef {

/// Destinations of the artefacts: one for each, or one folder with a subfolder for each, named by
/// the folder's `parts`.
struct Group {
  std::vector<Destination> each;
  std::optional<Destination> folder;
};

/// Errors: those of nnef::check_destination.
void check_group(const Group& group);

/// Folders share tensor files with equal bytes through hard links.
class PendingGroup {
 public:
  explicit PendingGroup(Group group) : group_(std::move(group)) {}

  struct Written {
    std::filesystem::path path;  ///< its temporary path
    int64_t shared_bytes = 0;    ///< of files shared with previous artefacts
  };
  /// Writes artefact `number`.   Errors: those of write_artefact.
  Written add(const Document& document, size_t number);

  /// Moves all artefacts to their destinations.   Errors: those of PendingArtefact::commit; then
  /// nothing is changed.
  void commit();

 private:
  std::filesystem::path write(const Document& document, size_t number);

  Group group_;
  SharedFiles shared_;
  std::unique_ptr<Temporary> folder_;
  std::vector<PendingArtefact> each_;
};

}  // namespace t2n::nnef

// Artefacts of one model that appear on disk together, or not at all.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nnef_writer/archive.h"
#include "nnef_writer/shared_files.h"

namespace t2n::nnef {

/// Where the artefacts go: each to a place of its own, or all into one folder, in which each is a
/// folder again, under the name of the same number in the folder's `parts`.
struct Group {
  std::vector<Destination> each;
  std::optional<Destination> folder;
};

/// Errors: those of nnef::check_destination.
void check_group(const Group& group);

/// Folders share what they can: tensor files with the same bytes are one file under several names.
class PendingGroup {
 public:
  explicit PendingGroup(Group group) : group_(std::move(group)) {}

  struct Written {
    std::filesystem::path path;  ///< where it waits
    int64_t shared_bytes = 0;    ///< of files that artefacts before it hold as well
  };
  /// The one of this number.   Errors: those of write_artefact.
  Written add(const Document& document, size_t number);

  /// Puts what was added in place.   Errors: those of PendingArtefact::commit; everything is as it
  /// was then.
  void commit();

 private:
  std::filesystem::path write(const Document& document, size_t number);

  Group group_;
  SharedFiles shared_;
  std::unique_ptr<Temporary> folder_;
  std::vector<PendingArtefact> each_;
};

}  // namespace t2n::nnef

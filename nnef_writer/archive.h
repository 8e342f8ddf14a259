// SPDX-License-Identifier: Apache-2.0
// Writes documents to disk as a folder, a tar or a gzipped tar: completely, or not at all.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "nnef_writer/destination.h"
#include "nnef_writer/gzip.h"
#include "nnef_writer/temporary.h"
#include "src/nnef/ast.h"

namespace t2n::nnef {

class SharedFiles;

/// A complete artefact in a temporary path next to its destination, so that it can be checked
/// first. Removed without commit().
class PendingArtefact {
 public:
  PendingArtefact(Destination destination, std::unique_ptr<Temporary> temporary);

  /// Its current path.
  const std::filesystem::path& path() const { return path_; }
  /// Moves it to the destination atomically, replacing an existing one; a second call does nothing.
  /// Errors: `cannot-write`; `output-exists` if a foreign file has appeared at the destination.
  void commit();

 private:
  friend void commit_together(std::vector<PendingArtefact>& artefacts);

  Destination destination_;
  std::unique_ptr<Temporary> temporary_;  ///< null after commit()
  std::filesystem::path path_;
};

/// Writes graph.nnef, then graph.quant if there is any, then the blobs in order. The same document
/// gives the same bytes: no dates, users or paths.
/// The tensor files of a folder may be hard links to those in `shared`.
/// Errors: those of check_destination and check_dat, before anything is written; `cannot-write`.
PendingArtefact write_artefact(const Document& document, const Destination& destination,
                               int threads = default_gzip_threads(), SharedFiles* shared = nullptr);

/// Writes tensor files only, without a graph.   Errors: the same.
PendingArtefact write_blobs(const std::vector<Blob>& blobs, const Destination& destination);

/// The same files, below `name` in the temporary folder for `destination`.
void write_folder(const Document& document, const Destination& destination, Temporary& folder,
                  const std::filesystem::path& name, SharedFiles& shared);

/// Commits all of them. If one fails, restores the destinations of the previous ones.
void commit_together(std::vector<PendingArtefact>& artefacts);

}  // namespace t2n::nnef

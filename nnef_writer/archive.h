// Writes documents to disk as a folder, a tar or a gzipped tar: completely, or not at all.
#pragma once

#include <filesystem>
#include <memory>

#include "nnef/ast.h"
#include "nnef_writer/destination.h"
#include "nnef_writer/gzip.h"
#include "nnef_writer/temporary.h"

namespace t2n::nnef {

/// A complete artefact beside its destination, so that it can be checked first. Its destructor
/// removes it unless commit() was called.
class PendingArtefact {
 public:
  PendingArtefact(Destination destination, std::unique_ptr<Temporary> temporary);

  /// Its current path.
  const std::filesystem::path& path() const { return path_; }
  /// Puts it in place atomically, replacing what was there; a second call does nothing. Errors:
  /// `cannot-write`; `output-exists` if something foreign has appeared there.
  void commit();

 private:
  Destination destination_;
  std::unique_ptr<Temporary> temporary_;  ///< null after commit()
  std::filesystem::path path_;
};

/// Writes graph.nnef, then graph.quant if needed, then the blobs in order. Equal documents give
/// equal bytes: no dates, users or paths. Errors: those of check_destination and check_dat, before
/// anything is written; `cannot-write`.
PendingArtefact write_artefact(const Document& document, const Destination& destination,
                               int threads = default_gzip_threads());

}  // namespace t2n::nnef

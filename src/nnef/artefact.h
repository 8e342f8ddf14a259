// SPDX-License-Identifier: Apache-2.0
// Reads an NNEF model from disk: its text, its quantisation, and the tensors of its variables.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/nnef/ast.h"
#include "src/nnef/dat.h"
#include "src/nnef/files.h"

namespace t2n::nnef {

struct Artefact {
  Document document;                  ///< with graph.quant and states; without blobs
  Content text;                       ///< of graph.nnef
  std::vector<StoredTensor> tensors;  ///< one per label, in order of the first `variable` statement
  /// Called by tract_core_submodel, by label.
  std::map<std::string, std::shared_ptr<const Artefact>> submodels = {};
  std::vector<std::string> unused;  ///< files without a reference, sorted
  int64_t file_bytes = 0;           ///< on disk, sum over all files
};

/// Reads a folder, a tar or a gzipped tar, recognised by content. Archives are read into memory;
/// files of a folder are mapped, so they must not change while the artefact is in use. The submodel
/// X that a statement names is the folder X, or X.nnef.tgz or X.nnef.tar. Errors:
/// `nnef-syntax`; `nnef-invalid` if a file is missing or does not fit its statement.
Artefact read_artefact(const std::filesystem::path& path);

/// Reads the bytes of a tar or a gzipped tar called `origin`.
Artefact read_artefact(const Content& archive, std::string_view origin);

/// The tensor of a label, or nullptr.
const StoredTensor* find_tensor(const Artefact& artefact, std::string_view label);

}  // namespace t2n::nnef

// A model on disk, read whole: its text, its quantisation, and the tensors of its variables.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "nnef/ast.h"
#include "src/nnef_reader/dat.h"
#include "src/nnef_reader/files.h"

namespace t2n::nnef {

struct Artefact {
  Document document;  ///< with graph.quant; without blobs
  Content text;       ///< of graph.nnef
  std::vector<StoredTensor>
      tensors;                      ///< one per label, in order of their first `variable` statement
  std::vector<std::string> unused;  ///< files that nothing refers to, sorted
  int64_t file_bytes = 0;           ///< on disk, all files together
};

/// A folder, a tar or a gzipped tar, which the content tells. Archives are read in memory; files of
/// a folder are mapped, so they must not change while the artefact is in use.
/// Errors: `nnef-syntax`; `nnef-invalid` where a file is missing or is not what its statement says.
Artefact read_artefact(const std::filesystem::path& path);

/// The bytes of a tar or a gzipped tar called `origin`.
Artefact read_artefact(const Content& archive, std::string_view origin);

/// The tensor of a label, or nullptr.
const StoredTensor* find_tensor(const Artefact& artefact, std::string_view label);

}  // namespace t2n::nnef

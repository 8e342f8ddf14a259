// Whether a path holds an NNEF model, by its first bytes.
#pragma once

#include <filesystem>

namespace t2n::nnef {

/// A folder, a gzipped file or a tar. What is not there or cannot be read is none.
bool looks_like_artefact(const std::filesystem::path& path);

}  // namespace t2n::nnef

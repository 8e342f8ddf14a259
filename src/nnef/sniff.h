// SPDX-License-Identifier: Apache-2.0
// Recognises paths with NNEF models by their first bytes.
#pragma once

#include <filesystem>

namespace t2n::nnef {

/// A folder, a gzipped file or a tar. False for a missing or unreadable path.
bool looks_like_artefact(const std::filesystem::path& path);

}  // namespace t2n::nnef

// SPDX-License-Identifier: Apache-2.0
// The files of an artefact in memory: a folder's are mapped, an archive's are unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace t2n::nnef {

/// Bytes that `owner` keeps alive.
struct Content {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// A file of an artefact. content_of opens files of a folder on demand.
struct StoredFile {
  std::string name;  ///< relative, with `/`, without a leading `./`
  std::filesystem::path path;
  Content content;
};

struct StoredFiles {
  std::vector<StoredFile> files;  ///< sorted by name, without duplicates
  int64_t bytes = 0;              ///< on disk
};

/// Lists a folder with everything below it, a tar, or a gzipped tar, recognised by content. Errors:
/// `nnef-syntax` (unreadable, not an archive, too much unpacked), `nnef-invalid` (names).
StoredFiles list_files(const std::filesystem::path& path);

/// The same for the bytes of a tar or a gzipped tar called `origin`.
StoredFiles list_files(const Content& archive, std::string_view origin);

/// Errors: `nnef-syntax`.
Content content_of(const StoredFile& file);

/// Throws Error `id` for an existing path that is neither a file nor a folder: a pipe may never
/// end, and opening a device may have side effects.
void require_file(const std::filesystem::path& path, std::string_view id);

/// A read-only mapping of a file.   Errors: `nnef-syntax`.
Content map_file(const std::filesystem::path& path);

}  // namespace t2n::nnef

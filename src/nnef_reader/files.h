// The files of an artefact in memory: those of a folder mapped, those of an archive unpacked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace t2n::nnef {

/// Bytes that `owner` keeps where they are.
struct Content {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// A file of an artefact. Those of a folder are opened by content_of, when they are needed.
struct StoredFile {
  std::string name;  ///< relative, with `/`, without a leading `./`
  std::filesystem::path path;
  Content content;
};

struct StoredFiles {
  std::vector<StoredFile> files;  ///< sorted by name, no name twice
  int64_t bytes = 0;              ///< on disk
};

/// A folder with all below it, a tar, or a gzipped tar; which of them the content tells.
/// Errors: `nnef-syntax` (unreadable, no archive, too much unpacked), `nnef-invalid` (names).
StoredFiles list_files(const std::filesystem::path& path);

/// The same for the bytes of a tar or a gzipped tar called `origin`.
StoredFiles list_files(const Content& archive, std::string_view origin);

/// Errors: `nnef-syntax`.
Content content_of(const StoredFile& file);

/// Refuses with Error `id` what is there and is neither a file nor a folder: a pipe may never end,
/// a device may do anything when it is opened.
void require_file(const std::filesystem::path& path, std::string_view id);

/// A read-only mapping of a whole file.   Errors: `nnef-syntax`.
Content map_file(const std::filesystem::path& path);

}  // namespace t2n::nnef

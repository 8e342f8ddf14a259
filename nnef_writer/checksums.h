// SPDX-License-Identifier: Apache-2.0
// Checksums of the files that this process writes, for reports. They are made from the bytes on
// their way to the file: a confined process may not read it back.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace t2n::nnef {

struct FileChecksum {
  std::string path;
  int64_t bytes = 0;
  std::string sha256;  ///< 64 hexadecimal digits
};

/// From now on, checksums are kept.
void keep_checksums();

/// Those of a file, or of all files in a folder, in the order in which they were written. None for
/// files that were not written since keep_checksums(), or have been replaced.
std::vector<FileChecksum> checksums_of(const std::filesystem::path& path);

/// `link` is another name of a written file.
void keep_link(const std::filesystem::path& file, const std::filesystem::path& link);

/// The checksum of one file while it is written.
class RunningChecksum {
 public:
  /// nullptr unless checksums are kept.
  static std::unique_ptr<RunningChecksum> begin();
  ~RunningChecksum();
  void add(std::span<const std::byte> bytes);
  /// Keeps it for the file that is open as `descriptor`.
  void end(const std::filesystem::path& path, int descriptor);

 private:
  RunningChecksum();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace t2n::nnef

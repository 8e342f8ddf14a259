// SPDX-License-Identifier: Apache-2.0
// A model file in memory, twice: private copy-on-write pages to execute on, and read-only pages to
// export from.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace t2n::model_file {

/// Two views of the same file; writes to `working` change neither `original` nor the file.
class Mapping {
 public:
  /// Errors: `model-not-found`, `model-format` (a folder, an empty file).
  static std::shared_ptr<const Mapping> open(const std::string& path);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::byte* working() const { return working_; }
  const std::byte* original() const { return original_; }
  size_t size() const { return size_; }
  /// The read-only bytes for a pointer into the working pages; nullptr if it points elsewhere.
  const std::byte* original_of(const void* pointer) const;
  /// Returns the working pages to the system: writes to them are lost, and the next reader sees the
  /// file again.
  void restore() const;
  /// Refuses a file that was written to, or replaced, since it was opened. Errors: `model-corrupt`.
  void require_unchanged() const;

 private:
  Mapping() = default;
  int file_ = -1;
  std::byte* working_ = nullptr;
  const std::byte* original_ = nullptr;
  size_t size_ = 0;
  std::string path_;
  struct stat opened_ = {};
};

}  // namespace t2n::model_file

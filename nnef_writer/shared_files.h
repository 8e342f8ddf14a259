// SPDX-License-Identifier: Apache-2.0
// Stores equal tensor files of several artefacts once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "nnef_writer/archive_stream.h"

namespace t2n::nnef {

class SharedFiles {
 public:
  /// Writes the member to `path`, or makes `path` a hard link to a previously written file with the
  /// same bytes. File systems without hard links get a copy.
  /// Errors: `cannot-write` for `reported_as`.
  void write(const Member& member, const std::filesystem::path& path,
             const std::filesystem::path& reported_as);

  /// The bytes of all hard links.
  int64_t shared_bytes() const { return shared_bytes_; }

 private:
  using Key = std::pair<int64_t, uint64_t>;  ///< size and checksum

  std::map<Key, std::vector<std::filesystem::path>> written_;
  int64_t shared_bytes_ = 0;
};

}  // namespace t2n::nnef

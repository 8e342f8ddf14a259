// SPDX-License-Identifier: Apache-2.0
// A folder for the files of one test.
#pragma once

#include <filesystem>

namespace t2n::test {

/// A fresh folder that goes away with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace t2n::test

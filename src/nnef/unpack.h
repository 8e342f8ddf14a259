// SPDX-License-Identifier: Apache-2.0
// Unpacks archives in memory with libarchive; nothing touches the disk.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/nnef/files.h"

namespace t2n::nnef {

enum class ArchiveFormat { tar, zip };  ///< a tar may be gzipped

struct ArchiveMember {
  std::string name;  ///< as stored
  Content content;   ///< a view into the archive if it contains the bytes uncompressed
};

/// Throws the caller's error about the archive, with reason and help.
using Refuse = std::function<void(std::string why, std::string help)>;

/// Limits far above any real model, against decompression bombs.
struct UnpackLimits {
  size_t members = 200'000;
  size_t bytes = size_t{1} << 30;  ///< or `ratio` times the archive's size, if that is larger
  size_t ratio = 64;
};

/// The regular files, in order. Links and devices are refused.
std::vector<ArchiveMember> unpack(const Content& archive, ArchiveFormat format,
                                  const Refuse& refuse, const UnpackLimits& limits = {});

}  // namespace t2n::nnef

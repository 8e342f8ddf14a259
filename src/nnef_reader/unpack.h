// Archives in memory into the files that they hold, by libarchive; nothing touches the disk.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/nnef_reader/files.h"

namespace t2n::nnef {

enum class ArchiveFormat { tar, zip };  ///< a tar may be gzipped

struct ArchiveMember {
  std::string name;  ///< as stored
  Content content;   ///< a view into the archive where that holds the bytes as they are
};

/// Throws the caller's error about the archive: why, and what to do.
using Refuse = std::function<void(std::string why, std::string help)>;

/// The regular files, in order. Archives that unpack to much more than their size are refused, and
/// so are links and devices.
std::vector<ArchiveMember> unpack(const Content& archive, ArchiveFormat format,
                                  const Refuse& refuse);

}  // namespace t2n::nnef

// SPDX-License-Identifier: Apache-2.0
// Reads the directory of a zip archive: the byte range of each record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace t2n::model_file {

struct ZipRecord {
  bool is_stored = false;  ///< otherwise deflated
  uint32_t crc = 0;
  size_t begin = 0;       ///< of the data
  size_t compressed = 0;  ///< bytes in the file
  size_t size = 0;        ///< bytes of the record
};

/// Records by name, without the common top folder. Every range is inside the file.
/// Errors: `model-corrupt`.
using ZipDirectory = std::map<std::string, ZipRecord, std::less<>>;
ZipDirectory read_zip_directory(std::span<const std::byte> file, const std::string& path);

/// Refuses a record with a wrong checksum.
void check_crc(const std::string& name, const ZipRecord& record, std::span<const std::byte> data,
               const std::string& path);

}  // namespace t2n::model_file

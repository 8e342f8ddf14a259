// SPDX-License-Identifier: Apache-2.0
#include "nnef_writer/shared_files.h"

#include <isa-l/crc.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <system_error>

#include "nnef_writer/temporary.h"

namespace t2n::nnef {
namespace {

namespace fs = std::filesystem;
using Bytes = std::span<const std::byte>;

uint32_t checksum(const Member& member) {
  uint32_t out = 0;
  member.write([&](Bytes bytes) {
    out = crc32_gzip_refl(out, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  });
  return out;
}

/// Compares the bytes: equal checksums are not enough.
bool has_content(const fs::path& path, const Member& member) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> piece;
  bool same = file.good();
  member.write([&](Bytes bytes) {
    if (!same) return;
    piece.resize(bytes.size());
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    same = file.gcount() == static_cast<std::streamsize>(bytes.size()) &&
           std::memcmp(piece.data(), bytes.data(), bytes.size()) == 0;
  });
  return same && file.peek() == std::ifstream::traits_type::eof();
}

bool link(const fs::path& path, const fs::path& name) {
  std::error_code error;
  fs::create_hard_link(path, name, error);
  if (!error) keep_link(path, name);
  return !error;
}

}  // namespace

void SharedFiles::write(const Member& member, const fs::path& path, const fs::path& reported_as) {
  std::vector<fs::path>& candidates = written_[{member.size, checksum(member)}];
  const bool is_linked = std::any_of(
      candidates.begin(), candidates.end(),
      [&](const fs::path& other) { return has_content(other, member) && link(other, path); });
  if (is_linked) {
    shared_bytes_ += member.size;
    return;
  }
  FileWriter file(path, reported_as);
  member.write([&](Bytes bytes) { file.write(bytes); });
  file.close();
  candidates.push_back(path);
}

}  // namespace t2n::nnef

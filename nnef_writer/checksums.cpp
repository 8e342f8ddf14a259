// SPDX-License-Identifier: Apache-2.0
// Files are recognised by their inodes: they are renamed after they are written.
#include "nnef_writer/checksums.h"

#include <nettle/sha2.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <string_view>

namespace t2n::nnef {
namespace {

namespace fs = std::filesystem;

struct KeptChecksum {
  fs::path path;  ///< when it was written
  dev_t device = 0;
  ino_t inode = 0;
  int64_t bytes = 0;
  std::string sha256;
};

struct Kept {
  std::atomic<bool> is_requested = false;
  std::mutex mutex;
  std::vector<KeptChecksum> files;
};

Kept& kept() {
  static Kept all;
  return all;
}

std::string hexadecimal(std::span<const uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const uint8_t byte : bytes) {
    out += kDigits[byte >> 4U];
    out += kDigits[byte & 15U];
  }
  return out;
}

bool is_at(const KeptChecksum& file, const fs::path& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && info.st_ino == file.inode &&
         info.st_dev == file.device && info.st_size == file.bytes;
}

/// Where the file is now, if it is `path` or in that folder.
std::optional<fs::path> location(const KeptChecksum& file, const fs::path& path) {
  if (is_at(file, path)) return path;
  // The path that it had within its folder, which had another name then.
  fs::path inside;
  for (fs::path at = file.path; at.has_relative_path(); at = at.parent_path()) {
    if (!inside.empty() && is_at(file, path / inside)) return path / inside;
    inside = inside.empty() ? at.filename() : at.filename() / inside;
  }
  return std::nullopt;
}

}  // namespace

struct RunningChecksum::State {
  sha256_ctx hash;
  int64_t bytes = 0;
};

void keep_checksums() { kept().is_requested = true; }

std::vector<FileChecksum> checksums_of(const fs::path& path) {
  const std::lock_guard lock(kept().mutex);
  std::vector<FileChecksum> out;
  for (const KeptChecksum& file : kept().files)
    if (const std::optional<fs::path> found = location(file, path)) {
      // Links to one file are found for each of its names.
      const bool is_new = std::none_of(out.begin(), out.end(), [&](const FileChecksum& other) {
        return other.path == found->string();
      });
      if (is_new) out.push_back({found->string(), file.bytes, file.sha256});
    }
  return out;
}

void keep_link(const fs::path& file, const fs::path& link) {
  const std::lock_guard lock(kept().mutex);
  for (const KeptChecksum& each : kept().files)
    if (each.path == file) {
      KeptChecksum copy = each;
      copy.path = link;
      kept().files.push_back(std::move(copy));
      return;
    }
}

RunningChecksum::RunningChecksum() : state_(std::make_unique<State>()) {
  sha256_init(&state_->hash);
}

RunningChecksum::~RunningChecksum() = default;

std::unique_ptr<RunningChecksum> RunningChecksum::begin() {
  if (!kept().is_requested) return nullptr;
  return std::unique_ptr<RunningChecksum>(new RunningChecksum());
}

void RunningChecksum::add(std::span<const std::byte> bytes) {
  sha256_update(&state_->hash, bytes.size(), reinterpret_cast<const uint8_t*>(bytes.data()));
  state_->bytes += static_cast<int64_t>(bytes.size());
}

void RunningChecksum::end(const fs::path& path, int descriptor) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) return;
  std::array<uint8_t, SHA256_DIGEST_SIZE> digest;
  sha256_digest(&state_->hash, digest.size(), digest.data());
  const std::lock_guard lock(kept().mutex);
  // A file with the same inode has been removed, or is written again.
  std::erase_if(kept().files, [&](const KeptChecksum& each) {
    return each.device == info.st_dev && each.inode == info.st_ino;
  });
  kept().files.push_back({path, info.st_dev, info.st_ino, state_->bytes, hexadecimal(digest)});
}

}  // namespace t2n::nnef

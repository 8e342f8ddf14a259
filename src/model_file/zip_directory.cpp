// SPDX-License-Identifier: Apache-2.0
#include "src/model_file/zip_directory.h"

#include <isa-l/crc.h>

#include "src/diag/error.h"

namespace t2n::model_file {
namespace {

constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kEnd64Signature = 0x06064b50;
constexpr uint32_t kLocator64Signature = 0x07064b50;
constexpr uint32_t kEntrySignature = 0x02014b50;
constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr size_t kEndSize = 22;
constexpr size_t kLocatorSize = 20;
constexpr size_t kEntrySize = 46;
constexpr size_t kLocalSize = 30;
/// A limit for the inflated size of all deflated records together.
constexpr size_t kMaxInflated = size_t{8} << 30;
/// The maximum compression ratio of deflate.
constexpr size_t kMaxRatio = 1040;

[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
  throw Error("model-corrupt", cat(quoted(path), " is damaged or not complete"), why,
              "was it saved or downloaded completely? compare its size with the original");
}

/// Reads little-endian numbers. Positions outside of the file are refused.
class Bytes {
 public:
  Bytes(std::span<const std::byte> file, const std::string& path) : file_(file), path_(path) {}

  size_t size() const { return file_.size(); }
  bool contains(uint64_t at, uint64_t count) const {
    return at <= file_.size() && count <= file_.size() - at;
  }
  uint64_t number(uint64_t at, size_t count) const {
    if (!contains(at, count)) refuse("its directory reaches beyond the end of the file");
    uint64_t out = 0;
    for (size_t i = 0; i < count; ++i)
      out |= std::to_integer<uint64_t>(file_[static_cast<size_t>(at) + i]) << (8 * i);
    return out;
  }
  std::string text(uint64_t at, size_t count) const {
    if (!contains(at, count)) refuse("its directory reaches beyond the end of the file");
    return {reinterpret_cast<const char*>(file_.data()) + at, count};
  }

  [[noreturn]] void refuse(const std::string& why) const { refuse_file(path_, why); }

 private:
  std::span<const std::byte> file_;
  const std::string& path_;
};

struct Directory {
  uint64_t begin = 0;
  uint64_t count = 0;
};

/// Finds the end record: only a comment may follow it.
uint64_t find_end(const Bytes& bytes) {
  constexpr size_t kMaxComment = 0xffff;
  if (bytes.size() < kEndSize) bytes.refuse("it is too short for an archive");
  const size_t last = bytes.size() - kEndSize;
  const size_t first = last > kMaxComment ? last - kMaxComment : 0;
  for (size_t at = last + 1; at-- > first;)
    if (bytes.number(at, 4) == kEndSignature) return at;
  bytes.refuse("the directory at the end of its zip archive is missing");
}

Directory find_directory(const Bytes& bytes) {
  const uint64_t end = find_end(bytes);
  Directory out{bytes.number(end + 16, 4), bytes.number(end + 10, 2)};
  if (end < kLocatorSize || bytes.number(end - kLocatorSize, 4) != kLocator64Signature) return out;
  const uint64_t end64 = bytes.number(end - kLocatorSize + 8, 8);
  if (bytes.number(end64, 4) != kEnd64Signature)
    bytes.refuse("its directory is not where it should be");
  return {bytes.number(end64 + 48, 8), bytes.number(end64 + 32, 8)};
}

/// Reads the 64-bit fields, in this order, for sizes and positions that do not fit into 32 bits.
void read_long_fields(const Bytes& bytes, uint64_t extra, uint64_t extra_size, uint64_t& size,
                      uint64_t& compressed, uint64_t& header) {
  constexpr uint64_t kSeeLong = 0xffffffff;
  if (size != kSeeLong && compressed != kSeeLong && header != kSeeLong) return;
  for (uint64_t at = extra; at + 4 <= extra + extra_size;) {
    const uint64_t tag = bytes.number(at, 2);
    const uint64_t end = at + 4 + bytes.number(at + 2, 2);
    if (end > extra + extra_size) break;
    at += 4;
    if (tag == 1) {
      for (uint64_t* field : {&size, &compressed, &header}) {
        if (*field != kSeeLong) continue;
        if (at + 8 > end) bytes.refuse("a record's directory entry is incomplete");
        *field = bytes.number(at, 8);
        at += 8;
      }
      return;
    }
    at = end;
  }
  bytes.refuse("a record's directory entry has no position");
}

ZipRecord read_entry(const Bytes& bytes, uint64_t at, const std::string& name) {
  const uint64_t flags = bytes.number(at + 8, 2);
  const uint64_t method = bytes.number(at + 10, 2);
  uint64_t compressed = bytes.number(at + 20, 4);
  uint64_t size = bytes.number(at + 24, 4);
  uint64_t header = bytes.number(at + 42, 4);
  const uint64_t extra = at + kEntrySize + bytes.number(at + 28, 2);
  read_long_fields(bytes, extra, bytes.number(at + 30, 2), size, compressed, header);
  if ((flags & 1) != 0) bytes.refuse(cat("the record ", quoted(name), " is encrypted"));
  if (method != 0 && method != 8)
    bytes.refuse(
        cat("the record ", quoted(name), " is compressed in a way that PyTorch does not use"));
  if (!bytes.contains(header, kLocalSize) || bytes.number(header, 4) != kLocalSignature)
    bytes.refuse(cat("the record ", quoted(name), " is not where it should be"));
  if (bytes.number(header + 8, 2) != method)
    bytes.refuse(cat("the record ", quoted(name), " has two different compression methods"));
  const uint64_t begin =
      header + kLocalSize + bytes.number(header + 26, 2) + bytes.number(header + 28, 2);
  if (!bytes.contains(begin, compressed))
    bytes.refuse(cat("the record ", quoted(name), " reaches beyond the end of the file"));
  if (method == 0 ? size != compressed : size / kMaxRatio > compressed)
    bytes.refuse(cat("the record ", quoted(name), " has an impossible size"));
  return {method == 0, static_cast<uint32_t>(bytes.number(at + 16, 4)), static_cast<size_t>(begin),
          static_cast<size_t>(compressed), static_cast<size_t>(size)};
}

ZipDirectory read_directory(const Bytes& bytes) {
  const Directory directory = find_directory(bytes);
  ZipDirectory out;
  size_t inflated = 0;
  uint64_t at = directory.begin;
  for (uint64_t i = 0; i < directory.count; ++i) {
    if (bytes.number(at, 4) != kEntrySignature) bytes.refuse("its directory is not complete");
    const uint64_t name_size = bytes.number(at + 28, 2);
    const std::string path = bytes.text(at + kEntrySize, static_cast<size_t>(name_size));
    const std::string name = path.substr(path.find('/') + 1);
    const ZipRecord record = read_entry(bytes, at, name);
    if (!out.emplace(name, record).second)
      bytes.refuse(cat("it holds the record ", quoted(name), " twice"));
    if (!record.is_stored) inflated += record.size;
    if (inflated > kMaxInflated)
      throw Error("trace-limit", "the compressed records of the model are more than 8 GiB",
                  "t2nnef does not decompress more", "save the model again, with torch.jit.save");
    at += kEntrySize + name_size + bytes.number(at + 30, 2) + bytes.number(at + 32, 2);
  }
  return out;
}

}  // namespace

ZipDirectory read_zip_directory(std::span<const std::byte> file, const std::string& path) {
  return read_directory(Bytes(file, path));
}

void check_crc(const std::string& name, const ZipRecord& record, std::span<const std::byte> data,
               const std::string& path) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(data.data());
  if (crc32_gzip_refl(0, bytes, data.size()) != record.crc)
    refuse_file(path, cat("the record ", quoted(name), " has a wrong checksum"));
}

}  // namespace t2n::model_file

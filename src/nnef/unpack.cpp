// SPDX-License-Identifier: Apache-2.0
// Copies only compressed data: the members of an uncompressed tar are views into it.
#include "src/nnef/unpack.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "src/diag/error.h"
#include "src/nnef/gunzip.h"

namespace t2n::nnef {
namespace {

constexpr std::string_view kNoHoles = "pack it without the option --sparse";

class Unpacker {
 public:
  Unpacker(const Content& archive, ArchiveFormat format, const Refuse& refuse,
           const UnpackLimits& limits)
      : archive_(archive),
        format_(format),
        refuse_(refuse),
        limits_(limits),
        reader_(archive_read_new()) {
    T2N_ASSERT(reader_, "libarchive is out of memory");
    if (format == ArchiveFormat::zip)
      archive_read_support_format_zip(reader_.get());
    else
      archive_read_support_format_tar(reader_.get());
    if (format == ArchiveFormat::tar && is_gzip(archive.bytes)) {
      gunzip_.emplace(archive.bytes);
      check(archive_read_open(reader_.get(), this, nullptr, read_piece, nullptr));
    } else {
      check(archive_read_open_memory(reader_.get(), archive.bytes.data(), archive.bytes.size()));
    }
  }

  std::vector<ArchiveMember> run() {
    std::vector<ArchiveMember> out;
    archive_entry* entry = nullptr;
    while (true) {
      const int status = archive_read_next_header(reader_.get(), &entry);
      if (status == ARCHIVE_EOF) {
        check_rest();
        return out;
      }
      check(status, format_ == ArchiveFormat::tar ? ARCHIVE_WARN : ARCHIVE_OK);
      if (archive_entry_filetype(entry) == AE_IFDIR) continue;
      if (out.size() == limits_.members)
        fail(cat("it holds more than ", limits_.members, " files"),
             "unpack it into a folder and give the folder");
      std::string name = name_of(entry);
      check_regular(entry, name);
      out.push_back({std::move(name), content()});
    }
  }

 private:
  struct Free {
    void operator()(archive* reader) const { archive_read_free(reader); }
  };

  [[noreturn]] void fail(std::string why, std::string help) const {
    refuse_(std::move(why), std::move(help));
    internal_error(__FILE__, __LINE__, "a refusal that returns");
  }

  static bool is_gzip(std::span<const std::byte> bytes) {
    return bytes.size() > 1 && bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
  }

  static la_ssize_t read_piece(archive* reader, void* self, const void** out) {
    Unpacker& unpacker = *static_cast<Unpacker*>(self);
    const auto piece = unpacker.gunzip_->next();
    if (!unpacker.gunzip_->error().empty()) {
      archive_set_error(reader, EIO, "%s", unpacker.gunzip_->error().c_str());
      return ARCHIVE_FATAL;
    }
    *out = piece.data();
    return static_cast<la_ssize_t>(piece.size());
  }

  /// The checksum follows the padding at the end of a tar.
  void check_rest() const {
    if (!gunzip_) return;
    size_t padding = 0;
    while (const size_t size = gunzip_->next().size())
      if ((padding += size) > limits_.bytes) fail("data follows the end of its tar", "");
    if (!gunzip_->error().empty()) fail(gunzip_->error(), "");
  }

  /// libarchive warns about a wrong checksum in zips, and about unusual encodings in tar headers.
  void check(int status, int worst = ARCHIVE_OK) const {
    if (status >= worst) return;
    const char* const reason = archive_error_string(reader_.get());
    fail(reason == nullptr ? "it is not an archive" : reason, "");
  }

  std::string name_of(archive_entry* entry) const {
    const char* name = archive_entry_pathname_utf8(entry);
    if (name == nullptr) name = archive_entry_pathname(entry);
    if (name == nullptr) fail("it holds an entry without a name", "");
    return name;
  }

  void check_regular(archive_entry* entry, const std::string& name) const {
    const bool is_link =
        archive_entry_hardlink(entry) != nullptr || archive_entry_symlink(entry) != nullptr;
    if (is_link)
      fail(cat("its entry ", quoted(name), " is a link"),
           "pack the files themselves: tar --dereference --hard-dereference");
    if (archive_entry_filetype(entry) != AE_IFREG)
      fail(cat("its entry ", quoted(name), " is not a file"), "pack files only");
  }

  /// Does not copy a single piece that is contiguous in the archive.
  Content content() {
    std::span<const std::byte> view;
    const auto copy = std::make_shared<std::vector<std::byte>>();
    while (true) {
      const void* data = nullptr;
      size_t size = 0;
      la_int64_t offset = 0;
      const int status = archive_read_data_block(reader_.get(), &data, &size, &offset);
      if (status == ARCHIVE_EOF) break;
      check(status);
      const std::span piece(static_cast<const std::byte*>(data), size);
      if (std::cmp_not_equal(offset, view.size() + copy->size()))
        fail("a file in it has holes", std::string(kNoHoles));
      if (offset == 0 && lies_in_archive(piece)) {
        view = piece;
      } else {
        append(*copy, std::exchange(view, {}));
        append(*copy, piece);
      }
    }
    return copy->empty() ? Content{view, archive_.owner} : Content{*copy, copy};
  }

  bool lies_in_archive(std::span<const std::byte> piece) const {
    const std::byte* const begin = archive_.bytes.data();
    const std::byte* const end = begin + archive_.bytes.size();
    return !std::less<>()(piece.data(), begin) && !std::less<>()(end, piece.data());
  }

  void append(std::vector<std::byte>& out, std::span<const std::byte> piece) {
    unpacked_ += piece.size();
    const size_t limit = std::max(limits_.bytes, limits_.ratio * archive_.bytes.size());
    if (unpacked_ > limit)
      fail(cat("it unpacks to more than ", limit >> 20U, " MiB, far more than its size"),
           "unpack it into a folder and give the folder");
    out.insert(out.end(), piece.begin(), piece.end());
  }

  const Content& archive_;
  ArchiveFormat format_;
  const Refuse& refuse_;
  const UnpackLimits& limits_;
  mutable std::optional<Gunzip> gunzip_;
  std::unique_ptr<archive, Free> reader_;
  size_t unpacked_ = 0;
};

}  // namespace

std::vector<ArchiveMember> unpack(const Content& archive, ArchiveFormat format,
                                  const Refuse& refuse, const UnpackLimits& limits) {
  return Unpacker(archive, format, refuse, limits).run();
}

}  // namespace t2n::nnef

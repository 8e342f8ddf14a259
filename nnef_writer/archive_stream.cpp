// SPDX-License-Identifier: Apache-2.0
// Writes no date, user or machine name, and keeps exceptions out of C.
#include "nnef_writer/archive_stream.h"

#include <archive.h>
#include <archive_entry.h>

#include <utility>

#include "src/diag/error.h"

namespace t2n::nnef {

void ArchiveStream::Free::operator()(archive* a) const { archive_write_free(a); }

ArchiveStream::ArchiveStream(Format format, ByteSink sink)
    : format_(format), sink_(std::move(sink)), archive_(archive_write_new()) {
  if (format == Format::tar) {
    check(archive_write_set_format_pax_restricted(archive_.get()));
  } else {
    check(archive_write_set_format_zip(archive_.get()));
    check(archive_write_zip_set_compression_store(archive_.get()));
    check(archive_write_set_options(archive_.get(), "zip:hdrcharset=UTF-8"));
  }
  check(archive_write_add_filter_none(archive_.get()));
  check(archive_write_set_bytes_per_block(archive_.get(), 0));  // blocking is for tapes
  check(archive_write_open2(archive_.get(), this, nullptr, &ArchiveStream::receive, nullptr,
                            nullptr));
}

/// libarchive pads unfinished archives; the padding must not reach the sink.
ArchiveStream::~ArchiveStream() { dropping_ = true; }

void ArchiveStream::add(const Member& member) {
  const std::unique_ptr<archive_entry, decltype(&archive_entry_free)> entry(archive_entry_new(),
                                                                            &archive_entry_free);
  if (format_ == Format::zip)
    archive_entry_set_pathname_utf8(entry.get(), member.name.c_str());
  else
    archive_entry_set_pathname(entry.get(), member.name.c_str());
  archive_entry_set_size(entry.get(), member.size);
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_uid(entry.get(), 0);
  archive_entry_set_gid(entry.get(), 0);
  archive_entry_set_mtime(entry.get(), 0, 0);
  check(archive_write_header(archive_.get(), entry.get()));
  member.write([this](std::span<const std::byte> bytes) {
    check(archive_write_data(archive_.get(), bytes.data(), bytes.size()));
  });
}

void ArchiveStream::finish() { check(archive_write_close(archive_.get())); }

/// Always reports success: libarchive 3.6 leaks memory after a failure.
ssize_t ArchiveStream::receive(archive* /*ignored*/, void* self, const void* data, size_t size) {
  auto* const stream = static_cast<ArchiveStream*>(self);
  try {
    if (!stream->dropping_) stream->sink_(std::span(static_cast<const std::byte*>(data), size));
  } catch (...) {
    stream->error_ = std::current_exception();
    stream->dropping_ = true;
  }
  return static_cast<ssize_t>(size);
}

void ArchiveStream::check(ssize_t result) {
  if (error_) std::rethrow_exception(error_);
  T2N_ASSERT(result >= ARCHIVE_OK, "libarchive: ", archive_error_string(archive_.get()));
}

}  // namespace t2n::nnef

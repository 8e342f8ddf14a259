// SPDX-License-Identifier: Apache-2.0
// Archives whose bytes libarchive passes back to us, independent of date and machine.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "nnef_writer/dat.h"

struct archive;

namespace t2n::nnef {

/// A file of an archive: its name, its size, and how to write it.
struct Member {
  std::string name;
  int64_t size = 0;
  std::function<void(const ByteSink&)> write;
};

/// A tar, or an uncompressed zip, whose bytes go to a sink. Exceptions of the sink bypass
/// libarchive and do not pass through it.
class ArchiveStream {
 public:
  enum class Format { tar, zip };
  ArchiveStream(Format format, ByteSink sink);
  ~ArchiveStream();
  ArchiveStream(const ArchiveStream&) = delete;
  ArchiveStream& operator=(const ArchiveStream&) = delete;

  void add(const Member& member);
  void finish();

 private:
  struct Free {
    void operator()(archive* a) const;
  };
  static ssize_t receive(archive* ignored, void* self, const void* data, size_t size);
  void check(ssize_t result);

  Format format_;
  ByteSink sink_;
  bool dropping_ = false;
  std::exception_ptr error_;
  std::unique_ptr<archive, Free> archive_;
};

}  // namespace t2n::nnef

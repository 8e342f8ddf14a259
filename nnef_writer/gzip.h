// SPDX-License-Identifier: Apache-2.0
// One gzip member, compressed by several threads: tract refuses concatenated members.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace t2n::nnef {

/// Compresses written data in fixed blocks, and passes the result on in order, in the caller's
/// thread. The bytes depend on the data and the level, and not on the number of threads or the
/// sizes of writes. For up to 64 KiB, level 6 compresses like level 9. Memory: about 4 MiB per
/// thread.
class ParallelGzip {
 public:
  using Sink = std::function<void(std::span<const std::byte>)>;

  /// `level`: 0 (stored) to 9; `threads`: at least 1, which means no further threads.
  ParallelGzip(Sink sink, int level, int threads);
  /// Without finish(), the data compressed so far is dropped.
  ~ParallelGzip();
  ParallelGzip(const ParallelGzip&) = delete;
  ParallelGzip& operator=(const ParallelGzip&) = delete;

  void write(std::span<const std::byte> data);
  void finish();

 private:
  struct Block;
  class Workers;
  void submit(bool last);
  void emit_front();

  Sink sink_;
  int level_;
  size_t max_in_flight_;
  std::unique_ptr<Block> filling_;
  std::unique_ptr<Workers> workers_;
  unsigned long crc_;
  size_t size_ = 0;
};

/// The number of threads to use on this machine.
int default_gzip_threads();

}  // namespace t2n::nnef

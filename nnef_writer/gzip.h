// One gzip member, compressed by several threads: tract refuses concatenated members.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace t2n::nnef {

/// Compresses what is written, in fixed blocks, and passes it on in order and in the caller's
/// thread. The bytes depend on the data and the level, never on the number of threads or on how the
/// data was cut into writes; up to 64 KiB of them, level 6 searches as 9 does. Memory: about 4 MiB
/// per thread.
class ParallelGzip {
 public:
  using Sink = std::function<void(std::span<const std::byte>)>;

  /// `level` 0 (stored) to 9; `threads` at least 1, where 1 works without further threads.
  ParallelGzip(Sink sink, int level, int threads);
  /// Without finish(), what was compressed so far is dropped.
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

/// Threads that are worth starting on this machine.
int default_gzip_threads();

}  // namespace t2n::nnef

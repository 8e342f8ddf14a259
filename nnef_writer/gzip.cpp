// SPDX-License-Identifier: Apache-2.0
// Deflate blocks that can refer to the 32 KiB before them (as in pigz), joined into one gzip
// member.
#include "nnef_writer/gzip.h"

#include <isa-l/crc.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "nnef_writer/entropy_cuts.h"
#include "src/diag/error.h"

namespace t2n::nnef {
namespace {

constexpr size_t kBlock = size_t{1} << 20;
constexpr size_t kWindow = size_t{32} << 10;  ///< how far back deflate may refer
constexpr size_t kSample = size_t{8} << 10;
constexpr size_t kSmall = size_t{64} << 10;

using Buffer = std::vector<std::byte>;
using View = std::span<const std::byte>;

// zlib's interface predates const.
Bytef* zlib_bytes(const std::byte* bytes) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes));
}

/// Raw deflate of `data` after `dictionary`, with a new table at each of `cuts`. A block that is
/// not the last one ends on a byte boundary.
Buffer deflate_block(View dictionary, View data, int level, int strategy, bool last,
                     const std::vector<size_t>& cuts = {}) {
  z_stream stream{};
  const int opened = deflateInit2(&stream, level, Z_DEFLATED, -15, 8, strategy);
  T2N_ASSERT(opened == Z_OK, "deflateInit2 returned ", opened);
  if (!dictionary.empty())
    deflateSetDictionary(&stream, zlib_bytes(dictionary.data()),
                         static_cast<uInt>(dictionary.size()));
  // The bound is for a finished stream; a sync flush adds up to six bytes.
  constexpr size_t kFlush = 16;
  Buffer out(deflateBound(&stream, static_cast<uLong>(data.size())) + kFlush * (cuts.size() + 1));
  stream.next_in = zlib_bytes(data.data());
  stream.next_out = zlib_bytes(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  size_t begin = 0;
  for (const size_t cut : cuts) {
    stream.avail_in = static_cast<uInt>(cut - begin);
    const int ended = deflate(&stream, Z_BLOCK);
    T2N_ASSERT(ended == Z_OK && stream.avail_in == 0, "deflate returned ", ended);
    begin = cut;
  }
  stream.avail_in = static_cast<uInt>(data.size() - begin);
  const int result = deflate(&stream, last ? Z_FINISH : Z_SYNC_FLUSH);
  const bool complete =
      result == (last ? Z_STREAM_END : Z_OK) && stream.avail_in == 0 && stream.avail_out > 0;
  out.erase(out.end() - static_cast<ptrdiff_t>(stream.avail_out), out.end());
  deflateEnd(&stream);
  T2N_ASSERT(complete, "deflate returned ", result);
  return out;
}

/// Float weights contain no repetitions: searching for them takes four times as long without gain.
/// A sample of the data decides, so the choice is the same on every machine.
int strategy_for(View data, int level) {
  if (level == 0 || data.size() < 4 * kSample) return Z_DEFAULT_STRATEGY;
  const View sample = data.subspan(data.size() / 2, kSample);
  const size_t matched = deflate_block({}, sample, level, Z_DEFAULT_STRATEGY, true).size();
  const size_t coded = deflate_block({}, sample, level, Z_HUFFMAN_ONLY, true).size();
  return coded <= matched + matched / 100 ? Z_HUFFMAN_ONLY : Z_DEFAULT_STRATEGY;
}

/// For small data: the deepest search for repetitions, and a separate table for each kind of data
/// if that is smaller.
Buffer deflate_small(View dictionary, View data, int level, bool last) {
  constexpr int kThorough = 6;
  constexpr int kMost = 9;
  if (level >= kThorough) level = kMost;
  Buffer out = deflate_block(dictionary, data, level, Z_DEFAULT_STRATEGY, last);
  const std::vector<size_t> cuts = level == 0 ? std::vector<size_t>() : entropy_cuts(data);
  if (cuts.empty()) return out;
  Buffer other = deflate_block(dictionary, data, level, Z_DEFAULT_STRATEGY, last, cuts);
  return other.size() < out.size() ? other : out;
}

std::array<std::byte, 10> gzip_header(int level) {
  // RFC 1952: magic, deflate, no flags, no time, extra flags by level, unknown system.
  const uint8_t extra = level == 9 ? 2 : level == 1 ? 4 : 0;
  const std::array<uint8_t, 10> bytes = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, extra, 255};
  return std::bit_cast<std::array<std::byte, 10>>(bytes);
}

std::array<std::byte, 8> gzip_trailer(unsigned long crc, size_t size) {
  const std::array<uint32_t, 2> words = {static_cast<uint32_t>(crc), static_cast<uint32_t>(size)};
  return std::bit_cast<std::array<std::byte, 8>>(words);
}

}  // namespace

struct ParallelGzip::Block {
  Buffer input;  ///< the dictionary, then the data
  size_t dictionary = 0;
  bool last = false;
  Buffer output;
  unsigned long crc = 0;
  bool done = false;
  std::exception_ptr error;

  View data() const { return View(input).subspan(dictionary); }
  size_t room() const { return kBlock - data().size(); }

  void compress(int level) noexcept {
    try {
      const View before = View(input).first(dictionary);
      output = data().size() <= kSmall
                   ? deflate_small(before, data(), level, last)
                   : deflate_block(before, data(), level, strategy_for(data(), level), last);
      crc = crc32_gzip_refl(0, zlib_bytes(data().data()), data().size());
    } catch (...) {
      error = std::current_exception();
    }
  }

  /// The next block, which may refer back to this one.
  std::unique_ptr<Block> successor() const {
    auto out = std::make_unique<Block>();
    out->dictionary = std::min(input.size(), kWindow);
    out->input.reserve(out->dictionary + kBlock);
    out->input.assign(input.end() - static_cast<ptrdiff_t>(out->dictionary), input.end());
    return out;
  }
};

/// Blocks in progress, in order, with the threads that compress them; without threads, compresses
/// immediately.
class ParallelGzip::Workers {
 public:
  Workers(int threads, int level) : level_(level) {
    for (int i = 0; threads > 1 && i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  size_t in_flight() const { return blocks_.size(); }

  void add(std::unique_ptr<Block> block) {
    if (threads_.empty()) {
      block->compress(level_);
      block->done = true;
    }
    {
      const std::lock_guard lock(mutex_);
      if (!block->done) waiting_.push_back(block.get());
    }
    blocks_.push_back(std::move(block));
    wake_.notify_one();
  }

  /// The oldest block, after its compression.
  std::unique_ptr<Block> take_front() {
    std::unique_ptr<Block> front = std::move(blocks_.front());
    blocks_.pop_front();
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return front->done; });
    return front;
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      Block* const block = waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      block->compress(level_);
      lock.lock();
      block->done = true;
      finished_.notify_one();
    }
  }

  int level_;
  std::deque<std::unique_ptr<Block>> blocks_;  ///< used only by the caller's thread
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable finished_;
  std::deque<Block*> waiting_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

ParallelGzip::ParallelGzip(Sink sink, int level, int threads)
    : sink_(std::move(sink)),
      level_(level),
      max_in_flight_(threads > 1 ? 2 * static_cast<size_t>(threads) : 0),
      filling_(std::make_unique<Block>()),
      workers_(std::make_unique<Workers>(threads, level)),
      crc_(0) {
  T2N_ASSERT(level >= 0 && level <= 9 && threads >= 1, "gzip level ", level, ", ", threads,
             " threads");
  sink_(gzip_header(level));
}

ParallelGzip::~ParallelGzip() = default;

void ParallelGzip::write(std::span<const std::byte> data) {
  while (!data.empty()) {
    const View piece = data.first(std::min(data.size(), filling_->room()));
    filling_->input.insert(filling_->input.end(), piece.begin(), piece.end());
    data = data.subspan(piece.size());
    if (filling_->room() == 0) submit(/*last=*/false);
  }
}

void ParallelGzip::finish() {
  submit(/*last=*/true);
  while (workers_->in_flight() > 0) emit_front();
  sink_(gzip_trailer(crc_, size_));
}

void ParallelGzip::submit(bool last) {
  auto next = filling_->successor();
  filling_->last = last;
  workers_->add(std::exchange(filling_, std::move(next)));
  while (workers_->in_flight() > max_in_flight_) emit_front();
}

void ParallelGzip::emit_front() {
  const std::unique_ptr<Block> block = workers_->take_front();
  if (block->error) std::rethrow_exception(block->error);
  const size_t size = block->data().size();
  crc_ = crc32_combine(crc_, block->crc, static_cast<z_off_t>(size));
  size_ += size;
  sink_(block->output);
}

int default_gzip_threads() {
  constexpr unsigned kMax = 16;  // bounds the memory; disks are not faster
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, kMax));
}

}  // namespace t2n::nnef

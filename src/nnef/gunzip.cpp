// SPDX-License-Identifier: Apache-2.0
#include "src/nnef/gunzip.h"

#include <algorithm>
#include <utility>

#include "src/diag/error.h"

namespace t2n::nnef {
namespace {

constexpr size_t kPiece = size_t{1} << 18;
constexpr int kGzipOnly = 16 + MAX_WBITS;

}  // namespace

Gunzip::Gunzip(std::span<const std::byte> bytes) : rest_(bytes), piece_(kPiece) {
  T2N_ASSERT(inflateInit2(&stream_, kGzipOnly) == Z_OK, "zlib is out of memory");
}

Gunzip::~Gunzip() { inflateEnd(&stream_); }

std::span<const std::byte> Gunzip::stop(std::string error) {
  is_done_ = true;
  error_ = std::move(error);
  return {};
}

std::span<const std::byte> Gunzip::next() {
  if (is_done_) return {};
  stream_.next_out = reinterpret_cast<Bytef*>(piece_.data());
  stream_.avail_out = static_cast<uInt>(piece_.size());
  while (stream_.avail_out > 0) {
    if (stream_.avail_in == 0) {
      const size_t size = std::min<size_t>(rest_.size(), size_t{1} << 30);  // fits zlib's integers
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(rest_.data()));
      stream_.avail_in = static_cast<uInt>(size);
      rest_ = rest_.subspan(size);
    }
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      if (stream_.avail_in > 0 || !rest_.empty()) return stop("bytes follow its gzip data");
      is_done_ = true;
      break;
    }
    if (status == Z_BUF_ERROR) return stop("its gzip data ends early");
    if (status != Z_OK)
      return stop(cat("its gzip data is damaged: ",
                      stream_.msg == nullptr ? "zlib gives up" : stream_.msg));
  }
  return std::span(piece_).first(piece_.size() - stream_.avail_out);
}

}  // namespace t2n::nnef

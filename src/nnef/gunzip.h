// SPDX-License-Identifier: Apache-2.0
// Unpacks one gzip member piece by piece; unlike libarchive's filter it checks the checksum.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace t2n::nnef {

class Gunzip {
 public:
  explicit Gunzip(std::span<const std::byte> bytes);
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  /// The next piece, valid until the next call; empty at the end, and after an error.
  std::span<const std::byte> next();
  /// The error in the data, or "".
  const std::string& error() const { return error_; }

 private:
  std::span<const std::byte> stop(std::string error);

  z_stream stream_ = {};
  std::span<const std::byte> rest_;  ///< input not yet passed to the stream
  std::vector<std::byte> piece_;
  bool is_done_ = false;
  std::string error_;
};

}  // namespace t2n::nnef

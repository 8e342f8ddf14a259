// SPDX-License-Identifier: Apache-2.0
// The bytes of a pickle, read one opcode and operand after another.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace t2n::model_file {

/// Operands are nothing if the bytes end before them.
class PickleBytes {
 public:
  explicit PickleBytes(std::span<const char> bytes) : bytes_(bytes) {}

  bool is_at_end() const { return at_ == bytes_.size(); }
  char next() { return bytes_[at_++]; }

  std::optional<std::string_view> take(uint64_t count) {
    if (count > bytes_.size() - at_) return std::nullopt;
    const std::string_view out(bytes_.data() + at_, static_cast<size_t>(count));
    at_ += out.size();
    return out;
  }
  bool skip(uint64_t count) { return take(count).has_value(); }
  /// Little-endian, of at most 8 bytes.
  std::optional<uint64_t> number(size_t width) {
    const auto bytes = take(width);
    if (!bytes) return std::nullopt;
    uint64_t out = 0;
    for (size_t i = 0; i < width; ++i)
      out |= uint64_t{static_cast<unsigned char>((*bytes)[i])} << (8 * i);
    return out;
  }
  /// As many bytes as a number before them says.
  std::optional<std::string_view> counted(size_t width) {
    const auto count = number(width);
    return count ? take(*count) : std::nullopt;
  }
  /// Up to the end of the line, without it.
  std::optional<std::string_view> line() {
    const std::string_view rest(bytes_.data() + at_, bytes_.size() - at_);
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    at_ += end + 1;
    return rest.substr(0, end);
  }

 private:
  std::span<const char> bytes_;
  size_t at_ = 0;
};

}  // namespace t2n::model_file

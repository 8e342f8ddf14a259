// SPDX-License-Identifier: Apache-2.0
// Numbers, strings and names as text that parses back to the same value.
#include <array>
#include <charconv>
#include <cstring>

#include "ir/print.h"
#include "src/diag/error.h"

namespace t2n::ir {
namespace {

template <typename Float>
std::string shortest(Float value) {
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  std::string text(buffer.data(), end);
  if (text == "-nan") return "nan";
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

constexpr std::string_view kHexDigits = "0123456789abcdef";

std::string escaped(char c) {
  switch (c) {
    case '"': return "\\\"";
    case '\\': return "\\\\";
    case '\n': return "\\n";
    case '\t': return "\\t";
    default: break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte != 0x7f) return {c};
  return {'\\', 'x', kHexDigits[byte / 16], kHexDigits[byte % 16]};
}

bool is_plain_name(std::string_view name) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
  return !name.empty() && name.find_first_not_of(kPlain) == std::string_view::npos;
}

/// The bits of one element; hosts are little-endian, as are the files.
uint64_t load_bits(std::span<const std::byte> element) {
  uint64_t bits = 0;
  std::memcpy(&bits, element.data(), element.size());
  return bits;
}

template <typename T>
T from_bits(uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

template <typename T>
uint64_t to_bits(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}

/// All of `text` as a number, or nothing.
template <typename T>
std::optional<uint64_t> number_bits(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return to_bits(value);
}

std::optional<uint64_t> small_float_bits(std::string_view text, uint16_t (*narrow)(float)) {
  const auto wide = number_bits<float>(text);
  if (!wide) return std::nullopt;
  return narrow(from_bits<float>(*wide));
}

std::optional<uint64_t> bool_bits(std::string_view text) {
  if (text == "false") return 0;
  if (text == "true") return 1;
  return std::nullopt;
}

std::optional<uint64_t> decimal_bits(DType dtype, std::string_view text) {
  switch (dtype) {
    case DType::boolean: return bool_bits(text);
    case DType::u8: return number_bits<uint8_t>(text);
    case DType::u16: return number_bits<uint16_t>(text);
    case DType::u32: return number_bits<uint32_t>(text);
    case DType::u64: return number_bits<uint64_t>(text);
    case DType::i8: return number_bits<int8_t>(text);
    case DType::i16: return number_bits<int16_t>(text);
    case DType::i32: return number_bits<int32_t>(text);
    case DType::i64: return number_bits<int64_t>(text);
    case DType::f16: return small_float_bits(text, &float_to_half);
    case DType::bf16: return small_float_bits(text, &float_to_bfloat);
    case DType::f32: return number_bits<float>(text);
    case DType::f64: return number_bits<double>(text);
    case DType::c64:
    case DType::c128: break;
  }
  return std::nullopt;
}

std::string decimal_text(DType dtype, uint64_t bits) {
  switch (dtype) {
    case DType::boolean: return bits == 0 ? "false" : "true";
    case DType::u8:
    case DType::u16:
    case DType::u32:
    case DType::u64: return std::to_string(bits);
    case DType::i8: return std::to_string(from_bits<int8_t>(bits));
    case DType::i16: return std::to_string(from_bits<int16_t>(bits));
    case DType::i32: return std::to_string(from_bits<int32_t>(bits));
    case DType::i64: return std::to_string(from_bits<int64_t>(bits));
    case DType::f16: return float_literal(half_to_float(from_bits<uint16_t>(bits)));
    case DType::bf16: return float_literal(bfloat_to_float(from_bits<uint16_t>(bits)));
    case DType::f32: return float_literal(from_bits<float>(bits));
    case DType::f64: return float_literal(from_bits<double>(bits));
    case DType::c64:
    case DType::c128: break;
  }
  internal_error(__FILE__, __LINE__, cat("no single number is a ", dtype_name(dtype)));
}

std::string hex_text(uint64_t bits, size_t bytes) {
  std::string out = "0x";
  for (size_t digit = 2 * bytes; digit-- > 0;) out += kHexDigits[(bits >> (4 * digit)) & 15];
  return out;
}

std::optional<uint64_t> hex_bits(std::string_view digits, size_t bytes) {
  uint64_t bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, 16);
  const bool is_complete = error == std::errc() && end == digits.data() + digits.size();
  if (!is_complete || digits.size() != 2 * bytes) return std::nullopt;
  return bits;
}

std::optional<std::vector<std::byte>> complex_bits(DType dtype, std::string_view text) {
  constexpr std::string_view kOpen = "complex(";
  const size_t comma = text.find(", ");
  if (!text.starts_with(kOpen) || !text.ends_with(')') || comma == text.npos) return std::nullopt;
  text.remove_suffix(1);
  auto real =
      parse_element(component_dtype(dtype), text.substr(kOpen.size(), comma - kOpen.size()));
  const auto imag = parse_element(component_dtype(dtype), text.substr(comma + 2));
  if (!real || !imag) return std::nullopt;
  real->insert(real->end(), imag->begin(), imag->end());
  return real;
}

}  // namespace

std::string float_literal(double value) { return shortest(value); }
std::string float_literal(float value) { return shortest(value); }

std::string string_literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) out += escaped(c);
  return out + "\"";
}

std::string name_literal(std::string_view name) {
  return is_plain_name(name) ? std::string(name) : string_literal(name);
}

std::string element_literal(DType dtype, std::span<const std::byte> element) {
  if (is_complex(dtype)) {
    const auto part = [&](size_t at) {
      return element_literal(component_dtype(dtype), element.subspan(at, element.size() / 2));
    };
    return cat("complex(", part(0), ", ", part(element.size() / 2), ")");
  }
  const uint64_t bits = load_bits(element);
  std::string text = decimal_text(dtype, bits);
  return decimal_bits(dtype, text) == bits ? text : hex_text(bits, element.size());
}

std::optional<std::vector<std::byte>> parse_element(DType dtype, std::string_view text) {
  if (is_complex(dtype)) return complex_bits(dtype, text);
  const size_t size = dtype_size(dtype);
  const auto bits =
      text.starts_with("0x") ? hex_bits(text.substr(2), size) : decimal_bits(dtype, text);
  if (!bits) return std::nullopt;
  std::vector<std::byte> out(size);
  std::memcpy(out.data(), &*bits, size);
  return out;
}

}  // namespace t2n::ir

// SPDX-License-Identifier: Apache-2.0
// Decodes UTF-8 strictly: no overlong forms, no surrogates.
#include "src/diag/printable.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace t2n {
namespace {

struct Decoded {
  uint32_t point = 0;
  size_t length = 0;  ///< 0: not UTF-8
};

uint32_t byte_at(std::string_view text, size_t at) { return static_cast<unsigned char>(text[at]); }

Decoded decode(std::string_view text) {
  const uint32_t first = byte_at(text, 0);
  if (first < 0x80) return {first, 1};
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return {};
  uint32_t point = first & (0x7fU >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xc0U) != 0x80U) return {};
    point = point << 6U | (byte_at(text, i) & 0x3fU);
  }
  constexpr std::array<uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = point >= 0xd800 && point <= 0xdfff;
  if (point < kLeast.at(length) || point > 0x10ffff || is_surrogate) return {};
  return {point, length};
}

/// Characters that control a terminal instead of being shown: controls, direction marks, line
/// separators, invisible tags.
bool is_control(uint32_t point) {
  constexpr std::array<std::pair<uint32_t, uint32_t>, 9> kRanges = {{{0x00, 0x1f},
                                                                     {0x7f, 0x9f},
                                                                     {0x61c, 0x61c},
                                                                     {0x200e, 0x200f},
                                                                     {0x2028, 0x202e},
                                                                     {0x2066, 0x2069},
                                                                     {0xfeff, 0xfeff},
                                                                     {0xfff9, 0xfffb},
                                                                     {0xe0000, 0xe007f}}};
  for (const auto& [first, last] : kRanges)
    if (point >= first && point <= last) return true;
  return false;
}

std::string formatted(const char* format, uint32_t number) {
  std::array<char, 16> text;
  std::snprintf(text.data(), text.size(), format, number);
  return text.data();
}

std::string escaped_for_json(uint32_t point) {
  if (point <= 0xffff) return formatted("\\u%04x", point);
  const uint32_t rest = point - 0x10000;
  return formatted("\\u%04x", 0xd800 + (rest >> 10U)) +
         formatted("\\u%04x", 0xdc00 + (rest & 0x3ffU));
}

enum class Style { lines, line, json };

std::string escaped(uint32_t point, Style style) {
  if (point == '\n') return style == Style::line ? "\\n" : "\n";
  if (point == '\t' && style != Style::json) return "\t";
  if (style == Style::json) return escaped_for_json(point);
  return formatted(point < 0x80 ? "\\x%02x" : "\\u{%x}", point);
}

std::string escaped_text(std::string_view text, Style style) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded next = decode(text);
    if (next.length == 0)
      out += style == Style::json ? "\\ufffd" : formatted("\\x%02x", byte_at(text, 0));
    else if (is_control(next.point))
      out += escaped(next.point, style);
    else
      out += text.substr(0, next.length);
    text.remove_prefix(next.length == 0 ? 1 : next.length);
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) { return escaped_text(text, Style::lines); }

std::string printable_line(std::string_view text) { return escaped_text(text, Style::line); }

std::string printable_json(std::string_view text) { return escaped_text(text, Style::json); }

size_t text_width(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; });
}

std::string first_line(const std::string& text, size_t limit) {
  const size_t begin = text.find_first_not_of(" \n\t");
  if (begin == std::string::npos) return {};
  const std::string line = text.substr(begin, text.find('\n', begin) - begin);
  return clipped(line, limit);
}

std::string without_commands(std::string text) {
  for (size_t at = 0; (at = text.find("##[", at)) != std::string::npos;)
    text.replace(at, 1, "\\x23");
  for (size_t line = 0; line < text.size();) {
    const size_t first = std::min(text.find_first_not_of(" \t", line), text.size());
    if (text.compare(first, 2, "::") == 0) text.replace(first, 1, "\\x3a");
    line = std::min(text.find('\n', first), text.size() - 1) + 1;
  }
  return text;
}

std::string clipped(const std::string& text, size_t most) {
  size_t count = 0;
  size_t end = 0;  // of the first most - 1 characters
  for (size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;
    if (count++ == most - 1) end = i;
    if (count > most) return text.substr(0, end) + "…";
  }
  return text;
}

std::string number_text(const char* format, double value) {
  std::array<char, 48> text;
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

}  // namespace t2n

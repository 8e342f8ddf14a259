// SPDX-License-Identifier: Apache-2.0
// Turns names of the model into names of the file format, deterministically.
#include "src/nnef/names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "src/diag/error.h"
#include "src/diag/one_of.h"

namespace t2n::nnef {
namespace {

/// Keywords of NNEF 1.0.5 §3.1 and §3.2.
constexpr std::array<std::string_view, 19> kReserved = {
    "version", "extension", "graph", "fragment", "tensor",   "integer",   "scalar",
    "logical", "string",    "for",   "in",       "shape_of", "length_of", "range_of",
    "yield",   "if",        "else",  "true",     "false"};

/// tract reads these as literals even as prefixes of longer names.
constexpr std::array<std::string_view, 3> kLiteralPrefixes = {"inf", "true", "false"};

bool is_label_char(char c) { return is_identifier_char(c) || c == '.' || c == '-' || c == '/'; }

bool needs_prefix(std::string_view name) {
  return name.empty() || is_digit(name[0]) || is_reserved_word(name) ||
         std::any_of(kLiteralPrefixes.begin(), kLiteralPrefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// Drops dots and slashes that would make an empty, hidden or parent component.
std::string without_bad_dots(std::string_view text) {
  std::string out;
  const auto ends_component = [&] { return out.empty() || out.back() == '/'; };
  const auto drop_dots = [&] {
    while (!out.empty() && out.back() == '.') out.pop_back();
  };
  for (const char c : text) {
    if (c == '/') drop_dots();
    if (c == '/' && ends_component()) continue;
    if (c == '.' && (ends_component() || out.back() == '.')) continue;
    out += c;
  }
  drop_dots();
  if (!out.empty() && out.back() == '/') out.pop_back();
  return out;
}

}  // namespace

bool is_reserved_word(std::string_view text) { return is_one_of(text, kReserved); }

bool is_plain_identifier(std::string_view name) {
  return !name.empty() && !is_digit(name[0]) &&
         std::all_of(name.begin(), name.end(), is_identifier_char);
}

std::string identifier_for(std::string_view natural) {
  std::string out(natural);
  for (char& c : out)
    if (!is_identifier_char(c)) c = '_';
  // "x[0]" becomes "x_0", not "x_0_".
  while (out.size() > 1 && out.back() == '_' && natural[out.size() - 1] != '_') out.pop_back();
  return needs_prefix(out) ? "_" + out : out;
}

bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLabel &&
         std::all_of(text.begin(), text.end(), is_label_char) && without_bad_dots(text) == text;
}

std::string label_for(std::string_view dotted_name) {
  std::string safe(dotted_name);
  for (char& c : safe)
    if (!is_label_char(c)) c = '_';
  std::string out = without_bad_dots(safe);
  constexpr size_t kRoomForSuffix = 12;
  constexpr size_t kHalf = (kMaxLabel - kRoomForSuffix) / 2;
  if (out.size() > 2 * kHalf)
    out = without_bad_dots(out.substr(0, kHalf) + "_" + out.substr(out.size() - kHalf + 1));
  return out.empty() ? "_" : out;
}

std::string UniqueNames::key(std::string_view name) const {
  std::string out(name);
  if (case_ == Case::ignored)
    for (char& c : out)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

bool UniqueNames::reserve(std::string_view name) { return taken_.insert(key(name)).second; }

std::string UniqueNames::claim(std::string_view name) {
  if (reserve(name)) return std::string(name);
  // Stored per name: otherwise n equal names cost n² look-ups.
  int& suffix = next_suffix_[key(name)];
  while (true) {
    std::string candidate = cat(name, "_", ++suffix);
    if (reserve(candidate)) return candidate;
  }
}

}  // namespace t2n::nnef

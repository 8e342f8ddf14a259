// SPDX-License-Identifier: Apache-2.0
// Names that NNEF and its readers accept: identifiers in text, labels of .dat files.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace t2n::nnef {

// Unlike std::isalpha, independent of the locale.
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_identifier_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

/// `[A-Za-z_][A-Za-z0-9_]*`; other names are written `i"…"`, which only tract reads.
bool is_plain_identifier(std::string_view name);

/// Keywords and logical literals (NNEF 1.0.5 §3.1), which cannot be names.
bool is_reserved_word(std::string_view text);

/// A plain identifier similar to `natural`: other characters become `_`, and `_` is prepended to
/// digits, reserved words, and prefixes that tract reads as a literal (`inf`, `true`).
std::string identifier_for(std::string_view natural);

/// Whether a label can be a file path: `[A-Za-z0-9_.-]` in components that do not begin with a dot,
/// no `..`, at most kMaxLabel characters.
bool is_label(std::string_view text);
inline constexpr size_t kMaxLabel = 180;

/// A label for a dotted name; removes the middle of a name that is too long.
std::string label_for(std::string_view dotted_name);

/// Makes names unique by appending `_1`, `_2`… to a name that is already used.
class UniqueNames {
 public:
  enum class Case { sensitive, ignored };
  explicit UniqueNames(Case letter_case = Case::sensitive) : case_(letter_case) {}

  /// Makes `name` unavailable. False if it was already used.
  bool reserve(std::string_view name);
  std::string claim(std::string_view name);

 private:
  std::string key(std::string_view name) const;

  Case case_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> next_suffix_;
};

}  // namespace t2n::nnef

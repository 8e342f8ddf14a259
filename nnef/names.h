// Names that NNEF and its readers accept: identifiers in text, labels of .dat files.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace t2n::nnef {

/// `[A-Za-z_][A-Za-z0-9_]*`; other names are written `i"…"`, which only tract reads.
bool is_plain_identifier(std::string_view name);

/// Keywords and logical literals (NNEF 1.0.5 §3.1), which cannot be names.
bool is_reserved_word(std::string_view text);

/// The plain identifier nearest to `natural`: other characters become `_`, and `_` is put in front
/// of digits, reserved words, and prefixes that tract reads as a literal (`inf`, `true`).
std::string identifier_for(std::string_view natural);

/// Whether a label can be a file path: `[A-Za-z0-9_.-]` in components that do not begin with a dot,
/// no `..`, at most kMaxLabel characters.
bool is_label(std::string_view text);
inline constexpr size_t kMaxLabel = 180;

/// The label nearest to a dotted name; a name that is too long loses its middle.
std::string label_for(std::string_view dotted_name);

/// Gives out every name once; a name that is taken gets `_1`, `_2`….
class UniqueNames {
 public:
  enum class Case { sensitive, ignored };
  explicit UniqueNames(Case letter_case = Case::sensitive) : case_(letter_case) {}

  /// Makes `name` unavailable. False if it was taken.
  bool reserve(std::string_view name);
  std::string claim(std::string_view name);

 private:
  std::string key(std::string_view name) const;

  Case case_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> next_suffix_;
};

}  // namespace t2n::nnef

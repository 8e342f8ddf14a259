// SPDX-License-Identifier: Apache-2.0
#include "src/config/key_lines.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "src/diag/error.h"

namespace t2n::config {
namespace {

using KeyLines = std::map<std::string, size_t>;

std::string joined_key(const std::string& table, const std::string& name) {
  return table.empty() ? name : cat(table, ".", name);
}

/// Reads JSON character by character: strings before a colon are keys.
class JsonKeys {
 public:
  explicit JsonKeys(std::string_view text) : text_(text) {}

  KeyLines read() {
    for (at_ = 0; at_ < text_.size(); ++at_) take(text_[at_]);
    return std::move(lines_);
  }

 private:
  void take(char c) {
    if (c == '\n') ++line_;
    if (c == '"') last_string_ = string();
    if (c == ':') {
      key_ = joined_key(tables_.empty() ? "" : tables_.back(), last_string_);
      lines_.emplace(key_, line_);
    }
    if (c == '{') tables_.push_back(tables_.empty() ? "" : key_);
    if (c == '}' && !tables_.empty()) tables_.pop_back();
  }

  /// The content of the string that begins here; stops at its end.
  std::string string() {
    std::string out;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
      if (at_ < text_.size()) out += text_[at_];
    }
    return out;
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t line_ = 1;
  std::string last_string_;
  std::string key_;
  std::vector<std::string> tables_;
  KeyLines lines_;
};

/// Without blanks and quotes around it.
std::string bare(std::string_view text) {
  constexpr std::string_view kAround = " \t\r\"'";
  const size_t first = text.find_first_not_of(kAround);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kAround) - first + 1));
}

/// A line without its comment, and by how much its brackets are more opened than closed.
struct TomlLine {
  std::string_view content;
  int depth = 0;
};

TomlLine toml_line(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  if (first != std::string_view::npos && line[first] == ';') return {};  // CLI11's other comment
  TomlLine out{line};
  char quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '#') {
      out.content = line.substr(0, i);
      break;
    } else {
      out.depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    }
  }
  return out;
}

/// Calls `visit` for each line, with whether a list of an earlier line continues in it, and whether
/// one continues in the next.
template <typename Visit>
void each_toml_line(std::string_view text, Visit&& visit) {
  int depth = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const bool is_inside = depth > 0;
    const TomlLine parsed = toml_line(line);
    depth += parsed.depth;
    visit(parsed.content, is_inside, depth > 0);
  }
}

}  // namespace

KeyLines json_key_lines(std::string_view text) { return JsonKeys(text).read(); }

KeyLines toml_key_lines(std::string_view text) {
  KeyLines out;
  std::string table;
  size_t number = 0;
  each_toml_line(text, [&](std::string_view line, bool is_inside, bool /*continues*/) {
    ++number;
    if (is_inside) return;
    const size_t equals = line.find('=');
    const std::string content = bare(line);
    if (content.starts_with('['))
      table = bare(std::string_view(content).substr(1, content.find(']') - 1));
    else if (equals != std::string_view::npos)
      out.emplace(joined_key(table, bare(line.substr(0, equals))), number);
  });
  return out;
}

std::string with_joined_lists(std::string_view toml) {
  std::string out;
  each_toml_line(toml, [&](std::string_view line, bool is_inside, bool continues) {
    const size_t first = std::min(line.find_first_not_of(" \t"), line.size());
    out += is_inside ? line.substr(first) : line;
    // CLI11 takes a comma before the last bracket for a further, empty value.
    if (is_inside && !continues && line.substr(first).starts_with(']'))
      if (const size_t comma = out.find_last_not_of(" \t", out.rfind(']') - 1);
          comma != std::string::npos && out[comma] == ',')
        out[comma] = ' ';
    out += continues ? ' ' : '\n';
  });
  return out;
}

}  // namespace t2n::config

// SPDX-License-Identifier: Apache-2.0
#include "src/model_file/code_scan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

#include "src/diag/error.h"
#include "src/diag/one_of.h"

namespace t2n::model_file {
namespace {

/// Nested brackets, operators and calls in a statement.
constexpr size_t kMaxExpression = 2000;
/// Nested blocks.
constexpr size_t kMaxBlocks = 200;
/// Branches of one `if`; each is parsed inside the previous one.
constexpr size_t kMaxElse = 500;
/// Classes and functions, each needed by the previous one.
constexpr size_t kMaxChain = 1000;

[[noreturn]] void refuse(const std::string& why) {
  throw Error("model-corrupt", "the code of the model cannot be read", why,
              "torch.jit.save writes no such code");
}

bool begins_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool continues_identifier(char c) { return begins_identifier(c) || is_digit(c); }

bool is_operator_keyword(std::string_view identifier) {
  constexpr std::array<std::string_view, 9> kWords = {"not", "and", "or",    "if",    "else",
                                                      "in",  "is",  "await", "lambda"};
  return is_one_of(identifier, kWords);
}

}  // namespace

/// Splits code into the tokens of torch/csrc/jit/frontend/lexer.h that affect nesting.
class CodeReader {
 public:
  CodeReader(std::string_view text, const std::string& module, const std::string& record,
             CodeScan& scan)
      : text_(text), module_(module), record_(record), scan_(scan) {}

  void run() {
    begin_line();
    while (at_ < text_.size()) token();
    end_name();
  }

 private:
  char here() const { return text_[at_]; }
  std::string_view rest() const { return text_.substr(at_); }

  void token() {
    const char c = here();
    if (c == '\n') {
      ++at_;
      if (!counts_.empty() && counts_.size() > 1) return;  // inside brackets
      end_name();
      begin_line();
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else if (c == '\\' && rest().starts_with("\\\n")) {
      at_ += 2;
    } else if (c == '#' && !rest().starts_with("# type:")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '"' || c == '\'') {
      end_name();
      string(c);
    } else if (begins_identifier(c)) {
      identifier();
    } else if (is_digit(c)) {
      end_name();
      number();
    } else {
      sign(c);
    }
  }

  /// Handles indentation, and starts a new statement.
  void begin_line() {
    size_t indent = 0;
    for (size_t at = at_; at < text_.size() && (text_[at] == ' ' || text_[at] == '\t'); ++at)
      ++indent;
    counts_.assign(1, 0);
    total_ = 0;
    const size_t first = at_ + indent;
    if (first >= text_.size() || text_[first] == '\n' || text_[first] == '#') return;
    while (!indents_.empty() && indents_.back() > indent) indents_.pop_back();
    if (indents_.empty() || indents_.back() < indent) indents_.push_back(indent);
    if (indents_.size() > kMaxBlocks)
      refuse(cat("blocks are nested more than ", kMaxBlocks, " levels deep"));
    is_first_ = true;
    at_ = first;
  }

  void deepen() {
    ++counts_.back();
    if (++total_ > kMaxExpression)
      refuse(cat("an expression is nested more than ", kMaxExpression, " levels deep"));
  }

  void string(char quote) {
    const bool is_long = rest().size() >= 3 && text_[at_ + 1] == quote && text_[at_ + 2] == quote;
    const size_t width = is_long ? 3 : 1;
    at_ += width;
    for (;;) {
      if (at_ >= text_.size()) refuse("a string does not end");
      if (here() == '\\') {
        at_ += 2;
        continue;
      }
      if (here() == '\n' && !is_long) refuse("a string does not end in its line");
      const bool ends =
          here() == quote &&
          (!is_long || (rest().size() >= 3 && text_[at_ + 1] == quote && text_[at_ + 2] == quote));
      ++at_;
      if (!ends) continue;
      at_ += width - 1;
      return;
    }
  }

  void number() {
    const size_t begin = at_;
    while (at_ < text_.size() && (continues_identifier(here()) || here() == '.')) ++at_;
    const char last = text_[at_ - 1];
    const bool is_hex = text_.substr(begin, 2) == "0x" || text_.substr(begin, 2) == "0X";
    if ((last == 'e' || last == 'E') && !is_hex && at_ < text_.size() &&
        (here() == '+' || here() == '-'))
      ++at_;
  }

  void identifier() {
    const size_t begin = at_;
    while (at_ < text_.size() && continues_identifier(here())) ++at_;
    const std::string_view identifier = text_.substr(begin, at_ - begin);
    if (is_after_dot_ && !name_.empty()) {
      name_ += '.';
      name_ += identifier;
      is_after_dot_ = false;
      return;
    }
    const bool is_attribute = is_after_dot_;
    end_name();
    if (is_definition_) {
      definition_ = &scan_.definitions_[cat(module_, ".", identifier)];
      is_definition_ = false;
    }
    if (std::exchange(is_first_, false) && indents_.size() == 1)
      is_definition_ = identifier == "class" || identifier == "def";
    if (identifier == "elif" && ++elses_ > kMaxElse)
      refuse(cat("there are more than ", kMaxElse, " branches of one kind"));
    if (is_operator_keyword(identifier)) deepen();
    if (identifier == "__torch__" ||
        (!is_attribute && (identifier == "torch" || identifier == "ops"))) {
      name_ = identifier;
      name_begin_ = begin;
    }
  }

  /// torch.relu(…) and ops.torchvision.nms(…) call operators.
  void record_call() {
    const size_t dot = name_.find('.'), last = name_.rfind('.');
    if (dot == std::string::npos) return;
    const std::string_view root = std::string_view(name_).substr(0, dot);
    const std::string name = name_.substr(last + 1);
    if (root == "torch" && last == dot) count(cat("aten::", name));
    if (root == "ops" && last > dot && name_.find('.', dot + 1) == last)
      count(cat(name_.substr(dot + 1, last - dot - 1), "::", name));
  }

  void count(const std::string& name) {
    CodeScan::Calls& calls = scan_.operators_[name];
    ++calls.count;
    if (calls.first.size() < kShownUses) calls.first.push_back({record_, name_begin_});
  }

  void sign(char c) {
    ++at_;
    if (c == '.') {
      deepen();
      is_after_dot_ = true;
      return;
    }
    if (c == '(') record_call();
    end_name();
    is_first_ = false;
    if (c == '(' || c == '[' || c == '{') {
      deepen();
      counts_.push_back(0);
    } else if (c == ')' || c == ']' || c == '}') {
      if (counts_.size() == 1) return;
      drop_count();
      counts_.pop_back();
    } else if (c == ',') {
      drop_count();
    } else if (c != ':') {
      deepen();
    }
  }

  void drop_count() {
    total_ -= counts_.back();
    counts_.back() = 0;
  }

  void end_name() {
    is_after_dot_ = false;
    if (name_.empty()) return;
    if (definition_ != nullptr) definition_->names.insert(name_);
    name_.clear();
  }

  std::string_view text_;
  const std::string& module_;
  const std::string& record_;
  CodeScan& scan_;
  size_t at_ = 0;
  std::vector<size_t> indents_;
  std::vector<size_t> counts_;  ///< of the statement, and of each open bracket
  size_t total_ = 0;
  size_t elses_ = 0;
  bool is_first_ = false;  ///< the next identifier is the first in its line
  bool is_definition_ = false;
  bool is_after_dot_ = false;
  std::string name_;
  size_t name_begin_ = 0;
  CodeScan::Definition* definition_ = nullptr;
};

void CodeScan::add(std::string_view text, const std::string& module, const std::string& record) {
  CodeReader(text, module, record, *this).run();
}

namespace {

/// Strongly connected definitions, and the longest path through them.
class Chains {
 public:
  explicit Chains(std::vector<std::vector<size_t>> needs)
      : needs_(std::move(needs)),
        index_(needs_.size(), 0),
        low_(needs_.size(), 0),
        is_open_(needs_.size(), false),
        depth_(needs_.size(), 0) {}

  size_t longest() {
    size_t out = 0;
    for (size_t each = 0; each < needs_.size(); ++each) {
      if (index_[each] == 0) visit(each);
      out = std::max(out, depth_[each]);
    }
    return out;
  }

 private:
  void enter(size_t each) {
    index_[each] = low_[each] = ++count_;
    open_.push_back(each);
    is_open_[each] = true;
    path_.emplace_back(each, 0);
  }

  void visit(size_t root) {
    enter(root);
    while (!path_.empty()) {
      const size_t each = path_.back().first;
      if (path_.back().second < needs_[each].size()) {
        const size_t need = needs_[each][path_.back().second++];
        if (index_[need] == 0)
          enter(need);
        else if (is_open_[need])
          low_[each] = std::min(low_[each], index_[need]);
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) low_[path_.back().first] = std::min(low_[path_.back().first], low_[each]);
      if (low_[each] == index_[each]) close(each);
    }
  }

  /// Mutually dependent definitions may be entered from any of them.
  void close(size_t root) {
    std::vector<size_t> group;
    do {
      group.push_back(open_.back());
      is_open_[open_.back()] = false;
      open_.pop_back();
    } while (group.back() != root);
    size_t below = 0;
    for (const size_t each : group)
      for (const size_t need : needs_[each]) below = std::max(below, depth_[need]);
    for (const size_t each : group) depth_[each] = below + group.size();
  }

  std::vector<std::vector<size_t>> needs_;
  std::vector<size_t> index_;
  std::vector<size_t> low_;
  std::vector<bool> is_open_;
  std::vector<size_t> depth_;
  std::vector<size_t> open_;
  std::vector<std::pair<size_t, size_t>> path_;
  size_t count_ = 0;
};

}  // namespace

void CodeScan::finish() const {
  std::map<std::string_view, size_t> indices;
  for (const auto& [name, definition] : definitions_) indices.emplace(name, indices.size());
  std::vector<std::vector<size_t>> needs;
  for (const auto& [definition_name, definition] : definitions_) {
    std::vector<size_t>& here = needs.emplace_back();
    for (const std::string& name : definition.names)
      for (std::string_view part = name; !part.empty();) {
        if (const auto found = indices.find(part); found != indices.end()) {
          if (found->first != definition_name) here.push_back(found->second);
          break;
        }
        const size_t dot = part.rfind('.');
        part = dot == std::string_view::npos ? std::string_view() : part.substr(0, dot);
      }
  }
  if (Chains(std::move(needs)).longest() > kMaxChain)
    refuse(cat("more than ", kMaxChain, " classes and functions depend on each other"));
}

}  // namespace t2n::model_file

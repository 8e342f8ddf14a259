// SPDX-License-Identifier: Apache-2.0
#include "src/pt2/sizes.h"

#include <algorithm>
#include <cctype>

#include "src/diag/error.h"

namespace t2n::pt2 {
namespace {

bool is_name_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Reads a constructor call of sympy: FUNCTION(ARGUMENT, …).
class CallReader {
 public:
  explicit CallReader(const std::string& text) : text_(text) {}

  std::string run() {
    std::string out = call(0);
    if (at_ != text_.size()) refuse();
    return out;
  }

 private:
  [[noreturn]] void refuse() const {
    throw Error("model-corrupt", cat("the size ", quoted(text_), " of an input cannot be read"),
                "it is not a sum or product of integers and symbols");
  }

  std::string word() {
    const size_t begin = at_;
    while (at_ < text_.size() && (is_name_char(text_[at_]) || text_[at_] == '-')) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  bool skip(std::string_view part) {
    if (!std::string_view(text_).substr(at_).starts_with(part)) return false;
    at_ += part.size();
    return true;
  }

  std::string symbol() {
    if (!skip("'")) refuse();
    const std::string name = word();
    if (name.empty() || !skip("'")) refuse();
    at_ = text_.find(')', at_);  // assumptions follow, such as positive=True
    if (at_ == std::string::npos) refuse();
    return name;
  }

  std::string call(int depth) {
    constexpr int kMaxDepth = 50;
    const std::string function = word();
    if (depth > kMaxDepth || !skip("(")) refuse();
    std::string out;
    if (function == "Symbol") {
      out = symbol();
    } else if (function == "Integer") {
      out = word();
    } else if (function == "Add" || function == "Mul") {
      do {
        out += out.empty() ? "" : function == "Add" ? " + " : "*";
        const std::string operand = call(depth + 1);
        out += operand.find('+') != std::string::npos && function == "Mul" ? cat("(", operand, ")")
                                                                           : operand;
      } while (skip(", "));
    } else {
      refuse();
    }
    if (!skip(")")) refuse();
    return out;
  }

  const std::string& text_;
  size_t at_ = 0;
};

bool mentions(const std::string& text, const std::string& symbol) {
  for (size_t at = text.find(symbol); at != std::string::npos; at = text.find(symbol, at + 1)) {
    const size_t end = at + symbol.size();
    if ((at == 0 || !is_name_char(text[at - 1])) &&
        (end == text.size() || !is_name_char(text[end])))
      return true;
  }
  return false;
}

/// Reads what Python writes of local variables: L['opts'][0].size()[1].
class GuardReader {
 public:
  GuardReader(const std::string& text, const SizeOf& size_of) : text_(text), size_of_(size_of) {}

  std::optional<std::string> run() {
    while (at_ < text_.size())
      if (!(skip("L[") ? size() : character())) return std::nullopt;
    return out_;
  }

 private:
  bool skip(std::string_view part) {
    if (!std::string_view(text_).substr(at_).starts_with(part)) return false;
    at_ += part.size();
    return true;
  }

  /// The text up to the next bracket, without quotes.
  std::string key() {
    const size_t end = std::min(text_.find(']', at_), text_.size());
    std::string out = text_.substr(at_, end - at_);
    std::erase(out, '\'');
    at_ = std::min(end + 1, text_.size());
    return out;
  }

  bool size() {
    std::string name = key();
    while (skip("[")) name += "_" + key();
    if (!skip(".size()[")) return false;
    const std::string axis = key();
    constexpr size_t kMostDigits = 3;
    if (axis.empty() || axis.size() > kMostDigits ||
        axis.find_first_not_of("0123456789") != std::string::npos)
      return false;
    const std::string size = size_of_(name, std::stoul(axis));
    if (size.empty()) return false;
    out_ += cat("(", size, ")");
    return true;
  }

  bool character() {
    if (std::string_view("0123456789 +-*/%()<>=!").find(text_[at_]) == std::string_view::npos)
      return false;
    out_ += text_[at_++];
    return true;
  }

  const std::string& text_;
  const SizeOf& size_of_;
  std::string out_;
  size_t at_ = 0;
};

}  // namespace

std::optional<std::string> guard_text(const std::string& guard, const SizeOf& size_of) {
  return GuardReader(guard, size_of).run();
}

std::string size_text(const std::string& expression) {
  const bool is_call = expression.find('(') != std::string::npos &&
                       std::isupper(static_cast<unsigned char>(expression[0])) != 0;
  return is_call ? CallReader(expression).run() : expression;
}

std::vector<std::string> assertions_on(const std::vector<std::string>& sizes,
                                       const Program& program) {
  std::vector<std::string> out;
  for (const auto& [symbol, range] : program.ranges) {
    if (std::none_of(sizes.begin(), sizes.end(), [&symbol = symbol](const std::string& size) {
          return mentions(size, symbol);
        }))
      continue;
    if (range.minimum && *range.minimum > 1) out.push_back(cat(symbol, " >= ", *range.minimum));
    if (range.maximum) out.push_back(cat(symbol, " <= ", *range.maximum));
  }
  return out;
}

}  // namespace t2n::pt2

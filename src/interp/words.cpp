#include "src/interp/words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/nnef_reader/parser.h"

namespace t2n::interp {
namespace {

constexpr std::array<std::string_view, 7> kWords = {"length_of", "range_of", "shape_of", "scalar",
                                                    "integer",   "logical",  "string"};
constexpr std::array<std::string_view, 4> kIntroductions = {"external", "tract_core_external",
                                                            "variable", "update"};

[[noreturn]] void no_dimension(const nnef::Value& expression) {
  throw Error("engine-rejects", cat(quoted(nnef::print(expression)), " is no dimension"));
}

ir::Dim combine(const nnef::Value& expression, std::string_view sign, const ir::Dim& a,
                const ir::Dim& b) {
  if (sign == "+") return a + b;
  if (sign == "-") return a - b;
  if (sign == "*") return a * b;
  if (sign == "/" && !(b == ir::Dim(0))) return floor_div(a, b);
  if (sign == "min") return min(a, b);
  if (sign == "max") return max(a, b);
  no_dimension(expression);
}

}  // namespace

bool is_word(std::string_view name) {
  return std::find(kWords.begin(), kWords.end(), name) != kWords.end();
}

bool is_introduction(std::string_view name) {
  return std::find(kIntroductions.begin(), kIntroductions.end(), name) != kIntroductions.end();
}

std::optional<ir::DType> tract_dtype(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  if (lower == "tdim") return ir::DType::i64;
  return ir::parse_dtype(lower);
}

ir::Dim dimension(const nnef::Value& expression) {
  switch (expression.kind) {
    case nnef::Kind::integer: return expression.integer;
    case nnef::Kind::identifier: return ir::Dim::symbol(expression.text);
    case nnef::Kind::dimension: return expression.dim;
    case nnef::Kind::unary:
      if (expression.text == "-") return ir::Dim(0) - dimension(expression.items[0]);
      break;
    case nnef::Kind::binary:
      return combine(expression, expression.text, dimension(expression.items[0]),
                     dimension(expression.items[1]));
    case nnef::Kind::invocation:
      if (expression.arguments.size() == 2)
        return combine(expression, expression.text, dimension(expression.arguments[0].value),
                       dimension(expression.arguments[1].value));
      break;
    case nnef::Kind::scalar:
    case nnef::Kind::logical:
    case nnef::Kind::string:
    case nnef::Kind::array:
    case nnef::Kind::tuple:
    case nnef::Kind::if_else:
    case nnef::Kind::subscript:
    case nnef::Kind::comprehension:
    case nnef::Kind::none: break;
  }
  no_dimension(expression);
}

}  // namespace t2n::interp

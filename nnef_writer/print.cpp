// SPDX-License-Identifier: Apache-2.0
// One short function for each kind of expression, statement and declaration.
#include "nnef_writer/print.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/nnef/names.h"
#include "src/tract_forms/sizes/size_text.h"

namespace t2n::nnef {
namespace {

/// Precedence of expressions (NNEF 1.0.5 §3.2.3, lowest first).
enum Strength { kConditional, kIn, kBoolean, kComparison, kSum, kProduct, kPower, kAtom };

struct OperatorRow {
  std::string_view text;
  Strength strength;
  bool spaced;  ///< as in `2*S + 1`
};
constexpr std::array<OperatorRow, 14> kOperators = {{{"in", kIn, true},
                                                     {"&&", kBoolean, true},
                                                     {"||", kBoolean, true},
                                                     {"<", kComparison, true},
                                                     {"<=", kComparison, true},
                                                     {">", kComparison, true},
                                                     {">=", kComparison, true},
                                                     {"==", kComparison, true},
                                                     {"!=", kComparison, true},
                                                     {"+", kSum, true},
                                                     {"-", kSum, true},
                                                     {"*", kProduct, false},
                                                     {"/", kProduct, false},
                                                     {"^", kPower, false}}};

const OperatorRow& operator_row(std::string_view text) {
  for (const OperatorRow& row : kOperators)
    if (row.text == text) return row;
  internal_error(__FILE__, __LINE__, cat("NNEF has no operator ", quoted(text)));
}

/// Shortest text that reads back as the same number: "1.0", "1e-5", "0.1".
template <typename Float>
std::string shortest(Float number) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  std::string out(buffer.data(), end);
  const size_t exponent = out.find('e');
  if (exponent == std::string::npos) return out.find('.') == std::string::npos ? out + ".0" : out;
  // C++ writes "1e-05" and "1e+20"; tract refuses the plus sign.
  const bool negative = out[exponent + 1] == '-';
  const size_t digits = out.find_first_not_of('0', exponent + 2);
  return out.substr(0, exponent) + (negative ? "e-" : "e") + out.substr(digits);
}

std::string scalar_text(const Value& value) {
  T2N_ASSERT(!std::isnan(value.number), "NNEF has no literal for NaN");
  const double number = value.is_f64 ? value.number : static_cast<float>(value.number);
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  return value.is_f64 ? shortest(number) : shortest(static_cast<float>(number));
}

/// A backslash before quotes and backslashes; also inside `{{`, `{%` and `{#`, which tract 0.22
/// reads as its template language.
std::string escaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool after_brace = i > 0 && text[i - 1] == '{';
    if (c == '\'' || c == '"' || c == '\\' || (after_brace && (c == '{' || c == '%' || c == '#')))
      out += '\\';
    out += c;
  }
  return out;
}

Strength strength(const Value& value) {
  switch (value.kind) {
    case Kind::if_else: return kConditional;
    case Kind::binary: return operator_row(value.text).strength;
    // Readers disagree on the precedence of a minus; a dimension may be a sum.
    case Kind::unary:
    case Kind::dimension: return kConditional;
    case Kind::integer: return value.integer < 0 ? kConditional : kAtom;
    case Kind::scalar: return std::signbit(value.number) ? kConditional : kAtom;
    case Kind::identifier:
    case Kind::reference:
    case Kind::logical:
    case Kind::string:
    case Kind::array:
    case Kind::tuple:
    case Kind::invocation:
    case Kind::subscript:
    case Kind::comprehension:
    case Kind::none: return kAtom;
  }
  internal_error(__FILE__, __LINE__, "an expression of no kind");
}

/// Words with another meaning inside expressions; `i"…"` marks them as names.
constexpr std::array<std::string_view, 8> kExpressionWords = {"true", "false", "inf",  "for",
                                                              "in",   "if",    "else", "yield"};

std::string operand_name(const std::string& name) {
  return is_one_of(name, kExpressionWords) ? cat("i\"", name, "\"") : print_identifier(name);
}

/// One line that no template engine interprets.
std::string comment_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (!out.empty() && out.back() == '{' && (c == '{' || c == '%' || c == '#')) out += ' ';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

/// Appends to one text: documents of 50,000 statements are common.
class Printer {
 public:
  void document(const Document& document) {
    put("version 1.0;\n\n");
    const std::vector<std::string> lines = extension_lines(document);
    for (const std::string& text : lines) extension(text);
    if (!lines.empty()) put("\n");
    for (const Fragment& item : document.fragments) {
      fragment(item);
      put("\n");
    }
    graph(document.graph);
  }

  void fragment(const Fragment& fragment) {
    put("fragment ", print_identifier(fragment.name));
    if (!fragment.generic.empty()) put("<", fragment.generic, ">");
    parameters("(", fragment.parameters);
    parameters(") -> (", fragment.results);
    put(")");
    if (fragment.body.empty())
      put(";\n");
    else
      body(fragment.body);
  }

  void expression(const Value& value) {
    switch (value.kind) {
      case Kind::identifier: return put(operand_name(value.text));
      case Kind::reference: return put("%", std::to_string(value.integer));
      case Kind::integer: return put(std::to_string(value.integer));
      case Kind::scalar: return put(scalar_text(value));
      case Kind::logical: return put(value.logical ? "true" : "false");
      case Kind::string: return put("'", escaped(value.text), "'");
      case Kind::array: return items("[", value.items, "]");
      case Kind::tuple:
        T2N_ASSERT(value.items.size() >= 2, "a tuple of ", value.items.size(), " items");
        return items("(", value.items, ")");
      case Kind::invocation: return invocation(value);
      case Kind::binary: return binary(value);
      case Kind::unary: return unary(value);
      case Kind::if_else: return if_else(value);
      case Kind::subscript: return subscript(value);
      case Kind::comprehension: return comprehension(value);
      case Kind::dimension: return put(tract_forms::size_text(value.dim));
      case Kind::none: return;
    }
    internal_error(__FILE__, __LINE__, "an expression of no kind");
  }

  std::string take() { return std::move(out_); }

 private:
  template <typename... Texts>
  void put(const Texts&... texts) {
    ((out_ += texts), ...);
  }

  /// Calls `print` for each item, separated by commas.
  template <typename Items, typename Print>
  void list(const Items& items, Print print_item) {
    bool first = true;
    for (const auto& item : items) {
      if (!first) put(", ");
      first = false;
      print_item(item);
    }
  }

  void items(std::string_view open, const Values& values, std::string_view close) {
    put(open);
    list(values, [this](const Value& value) { expression(value); });
    put(close);
  }

  static const Value& item(const Value& value, size_t index) {
    T2N_ASSERT(index < value.items.size(), "an expression lacks its operand ", index);
    return value.items[index];
  }

  /// Adds parentheses if the precedence is lower than `least`.
  void operand(const Value& value, int least) {
    const bool loose = strength(value) < least;
    if (loose) put("(");
    expression(value);
    if (loose) put(")");
  }

  /// A sign before a number would become part of it.
  void unary(const Value& value) {
    const Kind kind = item(value, 0).kind;
    put(value.text);
    operand(value.items[0], kind == Kind::integer || kind == Kind::scalar ? kAtom + 1 : kAtom);
  }

  /// `a < b > (c)` would be an invocation.
  void binary(const Value& value) {
    const OperatorRow& row = operator_row(value.text);
    const std::string_view blank = row.spaced ? " " : "";
    operand(item(value, 0), row.strength + (row.strength == kComparison ? 1 : 0));
    put(blank, row.text, blank);
    operand(item(value, 1), row.strength + 1);  // operators associate to the left
  }

  void if_else(const Value& value) {
    operand(item(value, 1), kIn);
    put(" if ");
    operand(item(value, 0), kIn);
    put(" else ");
    operand(item(value, 2), kIn);
  }

  void subscript(const Value& value) {
    // tract reads only one subscript after an operand.
    const bool nested = item(value, 0).kind == Kind::subscript;
    operand(item(value, 0), nested ? kAtom + 1 : kAtom);
    put("[");
    expression(item(value, 1));
    if (value.items.size() > 2) {
      put(":");
      expression(value.items[2]);
    }
    put("]");
  }

  void comprehension(const Value& value) {
    put("[for ");
    list(value.loops, [this](const Loop& loop) {
      put(print_identifier(loop.variable), " in ");
      operand(loop.sequence, kIn);
    });
    if (!value.condition.empty()) {
      put(" if ");
      operand(value.condition[0], kIn);
    }
    put(" yield ");
    expression(item(value, 0));
    put("]");
  }

  void invocation(const Value& value) {
    put(operand_name(value.text));
    if (!value.type.empty()) put("<", value.type, ">");
    put("(");
    list(value.arguments, [this](const Argument& argument) {
      if (!argument.name.empty()) put(print_identifier(argument.name), " = ");
      expression(argument.value);
    });
    put(")");
  }

  void body(const std::vector<Assignment>& body) {
    put("\n{\n");
    for (const Assignment& assignment : body) {
      put("    ");
      expression(assignment.left);
      put(" = ");
      expression(assignment.right);
      put(";");
      if (!assignment.comment.empty()) put("  # ", comment_text(assignment.comment));
      put("\n");
    }
    put("}\n");
  }

  void parameters(std::string_view open, const std::vector<Parameter>& parameters) {
    put(open);
    list(parameters, [this](const Parameter& parameter) {
      put(print_identifier(parameter.name), ": ", parameter.type);
      if (!parameter.default_value) return;
      put(" = ");
      expression(*parameter.default_value);
    });
  }

  void extension(const std::string& text) {
    T2N_ASSERT(!text.empty() && text.find_first_of(";\n\r") == std::string::npos, "the extension ",
               quoted(text), " does not fit a line");
    put("extension ", text, ";\n");
  }

  void graph(const Graph& graph) {
    const auto name = [this](const std::string& text) { put(print_identifier(text)); };
    put("graph ", print_identifier(graph.name), "(");
    list(graph.parameters, name);
    put(") -> (");
    list(graph.results, name);
    put(")");
    body(graph.body);
  }

  std::string out_;
};

}  // namespace

std::string print_identifier(const std::string& name) {
  return is_plain_identifier(name) ? name : cat("i\"", escaped(name), "\"");
}

std::string assertion_text(const Assertion& assertion) {
  if (!assertion.text.empty()) return assertion.text;
  const auto& [left, relation, right] = assertion.comparison;
  return cat(tract_forms::size_text(left), " ", ir::str(relation), " ",
             tract_forms::size_text(right));
}

std::vector<std::string> extension_lines(const Document& document) {
  std::vector<std::string> out = document.extensions;
  for (const ir::Symbol& symbol : document.symbols) out.push_back(cat("tract_symbol ", symbol));
  for (const Assertion& each : document.assertions)
    out.push_back(cat("tract_assert ", each.scenario, each.scenario.empty() ? "" : ": ",
                      assertion_text(each)));
  return out;
}

std::vector<std::string> registries(const Document& document) {
  constexpr std::string_view kRegistry = "tract_registry ";
  std::vector<std::string> out;
  for (const std::string& line : extension_lines(document))
    if (line.starts_with(kRegistry)) out.push_back(line.substr(kRegistry.size()));
  return out;
}

std::string print(const Value& value) {
  Printer printer;
  printer.expression(value);
  return printer.take();
}

std::string print(const Fragment& fragment) {
  Printer printer;
  printer.fragment(fragment);
  return printer.take();
}

std::string print(const Document& document) {
  Printer printer;
  printer.document(document);
  return printer.take();
}

}  // namespace t2n::nnef

// SPDX-License-Identifier: Apache-2.0
// Documents, declarations and statements (NNEF 1.0.5 §3.1, §3.2, with tract's extensions).
#include "src/nnef/parser.h"

#include <functional>
#include <string>
#include <utility>

#include "src/diag/error.h"
#include "src/nnef/cursor.h"
#include "src/nnef/expression.h"
#include "src/tract_forms/sizes/size_reader.h"

namespace t2n::nnef {
namespace {

/// A tuple of one item becomes that item, as in expressions.
Value tuple_of(Values items) {
  if (items.size() == 1) return std::move(items[0]);
  return tuple(std::move(items));
}

Value target(Cursor& cursor) {
  const Cursor::Nesting nesting(cursor);
  Values items;
  const auto read_item = [&] { items.push_back(target(cursor)); };
  if (cursor.accept("[")) {
    cursor.list("]", read_item);
    return array(std::move(items));
  }
  if (!cursor.accept("(")) return identifier(cursor.name("a result"));
  cursor.list(")", read_item);
  if (items.empty()) cursor.fail("the parentheses before this are empty");
  return tuple_of(std::move(items));
}

Value left_side(Cursor& cursor) {
  Values items{target(cursor)};
  while (cursor.accept(",")) items.push_back(target(cursor));
  return tuple_of(std::move(items));
}

Assignment assignment(Cursor& cursor) {
  cursor.start_statement();
  Assignment out;
  out.left = left_side(cursor);
  cursor.expect("=", " after the result");
  out.right = read_expression(cursor);
  if (cursor.is(";")) out.comment = cursor.lexer().trailing_comment(cursor.token().end());
  cursor.expect(";", " after the statement");
  return out;
}

using AtStatement = std::function<void(const Cursor& cursor)>;

/// Advances to the next statement, or to the end of the body. False at the end of the text.
bool skip_statement(Cursor& cursor) {
  while (!cursor.is(";") && !cursor.is("}") && !cursor.is(TokenKind::end)) cursor.advance();
  return cursor.accept(";") || cursor.is("}");
}

/// `visit` is called with the start of each statement. Errors: those of all statements, as one.
std::vector<Assignment> body(Cursor& cursor, const AtStatement& visit = {}) {
  constexpr size_t kMostFaults = 20;
  std::vector<Assignment> out;
  std::vector<Diagnostic> faults;
  cursor.expect("{", " before the statements");
  const auto read = [&] {
    try {
      if (visit) visit(cursor);
      out.push_back(assignment(cursor));
      return true;
    } catch (const Error& error) {
      faults.push_back(error.diagnostic());
      return error.diagnostic().id == "nnef-syntax" && faults.size() < kMostFaults;
    }
  };
  try {
    for (size_t known = 0; !cursor.accept("}");) {
      if (!read()) break;
      if (faults.size() > known && !skip_statement(cursor)) break;
      known = faults.size();
    }
  } catch (const Error& error) {  // of the text between statements
    faults.push_back(error.diagnostic());
  }
  if (!faults.empty()) throw Error(faults[0], {faults.begin() + 1, faults.end()});
  return out;
}

std::string type_name(Cursor& cursor) { return cursor.accept("?") ? "?" : cursor.name("a type"); }

std::string tensor_type(Cursor& cursor) {
  cursor.expect("<", " after 'tensor'");
  const std::string item = cursor.token().text.starts_with('>') ? "" : type_name(cursor);
  cursor.close_angle();
  return cat("tensor<", item, ">");
}

std::string type(Cursor& cursor) {
  const Cursor::Nesting nesting(cursor);
  std::string out;
  if (cursor.accept("(")) {
    cursor.list(")", [&] { out += (out.empty() ? "" : ", ") + type(cursor); });
    out = cat("(", out, ")");
  } else {
    out = cursor.accept("tensor") ? tensor_type(cursor) : type_name(cursor);
  }
  while (cursor.accept("[")) {
    cursor.expect("]", " of the array type");
    out += "[]";
  }
  return out;
}

Parameter parameter(Cursor& cursor) {
  cursor.start_statement();
  Parameter out;
  out.name = cursor.name("a parameter");
  cursor.expect(":", " after the parameter's name");
  out.type = type(cursor);
  if (cursor.accept("=")) out.default_value = read_expression(cursor);
  return out;
}

std::vector<Parameter> parameters(Cursor& cursor, std::string_view where) {
  std::vector<Parameter> out;
  cursor.expect("(", where);
  cursor.list(")", [&] { out.push_back(parameter(cursor)); });
  return out;
}

Fragment fragment(Cursor& cursor) {
  Fragment out;
  cursor.expect("fragment", "");
  out.name = cursor.name("the fragment's name");
  if (cursor.accept("<")) {
    cursor.expect("?", " in the generic declaration");
    out.generic = cursor.accept("=") ? "? = " + type_name(cursor) : "?";
    cursor.close_angle();
  }
  out.parameters = parameters(cursor, " before the parameters");
  cursor.expect("->", " before the results");
  out.results = parameters(cursor, " before the results");
  if (!cursor.accept(";")) out.body = body(cursor);
  return out;
}

std::vector<Fragment> fragments(Cursor& cursor) {
  std::vector<Fragment> out;
  while (cursor.is("fragment")) out.push_back(fragment(cursor));
  return out;
}

Graph graph(Cursor& cursor, const AtStatement& visit) {
  Graph out;
  cursor.expect("graph", "");
  out.name = cursor.name("the graph's name");
  cursor.expect("(", " before the parameters");
  out.parameters = cursor.names(")");
  cursor.expect("->", " before the results");
  cursor.expect("(", " before the results");
  out.results = cursor.names(")");
  out.body = body(cursor, visit);
  return out;
}

void version(Cursor& cursor) {
  cursor.expect("version", " at the start of the document");
  if (!cursor.is("1.0"))
    cursor.fail(cat("version ", described(cursor.token()), " is not supported"),
                "write 'version 1.0;'");
  cursor.advance();
  cursor.expect(";", " after the version");
}

std::string single_spaced(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  if (out.ends_with(' ')) out.pop_back();
  return out;
}

/// Everything up to the semicolon: `tract_assert S >= 1` is not an NNEF expression.
std::string extension(Cursor& cursor) {
  const size_t begin = cursor.token().end();
  const std::string_view text = cursor.lexer().until(';', begin);
  std::string out = single_spaced(text);
  if (out.empty()) cursor.fail("an extension needs a name");
  cursor.move_to(begin + text.size());
  cursor.expect(";", " after the extension");
  return out;
}

/// The text after the first word of an extension, if that is `keyword`.
std::optional<std::string_view> text_after(std::string_view keyword, std::string_view extension) {
  if (!extension.starts_with(keyword) || extension.substr(keyword.size(), 1) != " ") return {};
  return extension.substr(keyword.size() + 1);
}

std::string_view without_blanks(std::string_view text) {
  if (text.starts_with(' ')) text.remove_prefix(1);
  if (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::optional<Assertion> read_assertion(std::string_view text) {
  const size_t colon = text.find(':');
  const bool is_scenario = colon != std::string_view::npos;
  const std::string_view condition = without_blanks(is_scenario ? text.substr(colon + 1) : text);
  const auto comparison = tract_forms::read_assertion(condition);
  if (!comparison) return {};
  return Assertion{std::string(is_scenario ? without_blanks(text.substr(0, colon)) : ""),
                   *comparison, std::string(condition)};
}

void add_extension(Document& document, std::string text) {
  if (const auto name = text_after("tract_symbol", text))
    return document.symbols.emplace_back(*name), void();
  if (const auto condition = text_after("tract_assert", text))
    if (auto assertion = read_assertion(*condition))
      return document.assertions.push_back(*std::move(assertion));
  document.extensions.push_back(std::move(text));
}

QuantEntry quant_entry(Cursor& cursor) {
  cursor.start_statement();
  QuantEntry out;
  const bool is_quoted = cursor.token().text.ends_with('"') || cursor.token().text.ends_with('\'');
  if (!is_quoted) cursor.fail_expected("a tensor's name in double quotes");
  out.name = decoded(cursor.token());
  cursor.advance();
  cursor.expect(":", " after the tensor's name");
  out.invocation = read_invocation(cursor);
  cursor.expect(";", " after the entry");
  return out;
}

/// `visit` is called with the start of each statement of the graph.
Document document(std::string_view text, std::string_view origin, const AtStatement& visit) {
  Cursor cursor(text, origin);
  Document out;
  version(cursor);
  while (cursor.is("extension")) add_extension(out, extension(cursor));
  out.fragments = fragments(cursor);
  out.graph = graph(cursor, visit);
  cursor.expect_end();
  return out;
}

}  // namespace

Document parse_document(std::string_view text, std::string_view origin) {
  return document(text, origin, {});
}

std::vector<Where> statement_locations(std::string_view text, std::string_view origin) {
  std::vector<Where> out;
  (void)document(text, origin, [&](const Cursor& cursor) {
    out.push_back(cursor.lexer().where(cursor.token()));
  });
  return out;
}

std::vector<Fragment> parse_fragments(std::string_view text, std::string_view origin) {
  Cursor cursor(text, origin);
  std::vector<Fragment> out = fragments(cursor);
  cursor.expect_end();
  return out;
}

Value parse_value(std::string_view text) {
  Cursor cursor(text, "expression");
  Value out = read_expression(cursor);
  cursor.expect_end();
  return out;
}

std::vector<QuantEntry> parse_quant(std::string_view text, std::string_view origin) {
  Cursor cursor(text, origin);
  std::vector<QuantEntry> out;
  while (!cursor.is(TokenKind::end)) out.push_back(quant_entry(cursor));
  return out;
}

}  // namespace t2n::nnef

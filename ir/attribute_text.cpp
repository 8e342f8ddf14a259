// SPDX-License-Identifier: Apache-2.0
// The text form of graph attributes: one entry per C++ type.
#include <charconv>
#include <limits>

#include "ir/lexer.h"
#include "ir/loop_notes.h"
#include "ir/print.h"

namespace t2n::ir {
namespace {

std::string print_sizes(const std::any& value) {
  std::string out;
  for (const auto& [symbol, size] : std::any_cast<const Sizes&>(value))
    out += cat(out.empty() ? "" : ", ", symbol, "=", size);
  return out;
}

std::any parse_sizes(std::string_view text) {
  Sizes out;
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(", "));
    text.remove_prefix(std::min(text.size(), item.size() + 2));
    const size_t equals = item.find('=');
    const Dim size = equals == item.npos ? Dim::symbol("?") : parse_dim(item.substr(equals + 1));
    if (!size.is_constant())
      throw Error("ir-syntax", cat("expected sizes such as 'S=7, T=3', not ", quoted(item)));
    out.emplace(parse_symbol(item.substr(0, equals)), size.value());
  }
  return out;
}

/// "0 iteration.1 = size.x.1: 2 5 8; …"
std::string print_loops(const std::any& value) {
  std::string out;
  for (const UnrolledLoop& each : std::any_cast<const std::vector<UnrolledLoop>&>(value)) {
    out += cat(out.empty() ? "" : "; ", each.loop, " ", each.number, " = ", each.length.str(), ":");
    for (const size_t bound : each.bounds) out += cat(" ", bound);
  }
  return out;
}

/// Removes and returns the text before `end`; also removes `end`.
std::string_view take(std::string_view& text, std::string_view end) {
  const size_t at = std::min(text.find(end), text.size());
  const std::string_view out = text.substr(0, at);
  text.remove_prefix(std::min(text.size(), at + end.size()));
  return out;
}

template <typename T>
T parse_number(std::string_view text) {
  T out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size())
    throw Error("ir-syntax",
                cat("expected loops such as '0 iteration.0 = 3: 1 4 7 10', not ", quoted(text)));
  return out;
}

std::any parse_loops(std::string_view text) {
  std::vector<UnrolledLoop> out;
  while (!text.empty()) {
    std::string_view item = take(text, "; ");
    UnrolledLoop loop;
    loop.loop = parse_number<int64_t>(take(item, " "));
    loop.number = parse_symbol(take(item, " = "));
    loop.length = parse_dim(take(item, ": "));
    while (!item.empty()) loop.bounds.push_back(parse_number<size_t>(take(item, " ")));
    out.push_back(std::move(loop));
  }
  return out;
}

/// The range of integer inputs, by name: [low, high).
using Ranges = std::map<std::string, std::pair<int64_t, int64_t>>;

/// "ids=0..29999, \"odd name\"=-4..3": both ends included, as in `--input`.
std::string print_ranges(const std::any& value) {
  std::string out;
  for (const auto& [name, range] : std::any_cast<const Ranges&>(value))
    out +=
        cat(out.empty() ? "" : ", ", name_literal(name), "=", range.first, "..", range.second - 1);
  return out;
}

std::any parse_ranges(std::string_view text) {
  Ranges out;
  Lexer lexer(text);
  while (lexer.peek() != '\0') {
    if (!out.empty()) lexer.expect(",");
    std::string name = lexer.name("the name of an input");
    lexer.expect("=");
    const std::string range(lexer.raw());
    const size_t dots = range.find("..");
    if (dots == range.npos)
      lexer.fail(cat("expected ranges such as 'ids=0..9', not ", quoted(range)));
    const Dim low = parse_size(std::string_view(range).substr(0, dots));
    const Dim high = parse_size(std::string_view(range).substr(dots + 2));
    if (!low.is_constant() || !high.is_constant() || high.value() < low.value() ||
        high.value() == std::numeric_limits<int64_t>::max())
      lexer.fail(cat("expected ranges such as 'ids=0..9', not ", quoted(range)));
    out.emplace(std::move(name), std::pair(low.value(), high.value() + 1));
  }
  return out;
}

std::map<std::type_index, AttributeText>& table() {
  static std::map<std::type_index, AttributeText> all = {
      {typeid(Sizes), {"sizes", print_sizes, parse_sizes}},
      {typeid(std::vector<UnrolledLoop>), {"loops", print_loops, parse_loops}},
      {typeid(Ranges), {"ranges", print_ranges, parse_ranges}}};
  return all;
}

}  // namespace

void register_attribute_printer(std::type_index type, AttributeText text) {
  T2N_ASSERT(attribute_text(type) == nullptr && attribute_text(text.kind) == nullptr,
             "two printers for graph attributes of kind '", text.kind, "'");
  table().emplace(type, std::move(text));
}

const AttributeText* attribute_text(std::type_index type) {
  const auto found = table().find(type);
  return found == table().end() ? nullptr : &found->second;
}

const AttributeText* attribute_text(std::string_view kind) {
  for (const auto& [type, text] : table())
    if (text.kind == kind) return &text;
  return nullptr;
}

}  // namespace t2n::ir

// SPDX-License-Identifier: Apache-2.0
// Parts of the text form: literals, names, content hashes, and the text of graph attributes.
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <typeindex>
#include <vector>

#include "ir/attr.h"
#include "ir/tensor.h"

namespace t2n::ir {

/// "\"a \\\"b\\\"\\n\"": printable ASCII and UTF-8 unchanged, all else escaped.
std::string string_literal(std::string_view text);
/// Shortest text that reads back to the same number, and never as an integer: "1.0", "1e-05".
std::string float_literal(double value);
std::string float_literal(float value);
/// The text after '%': "layer1.0.weight", or a string literal for names with other characters.
std::string name_literal(std::string_view name);

/// One element of a constant: "1.5", "-3", "true", "complex(0.0, 1.0)"; its bits ("0x7fc00001") if
/// no number represents it.
std::string element_literal(DType dtype, std::span<const std::byte> element);
/// Reads such text; nothing if it is malformed or out of range.
std::optional<std::vector<std::byte>> parse_element(DType dtype, std::string_view text);

/// Inverse of attr_str, except for references, strings and lists. Errors: `ir-syntax`.
Attr parse_plain_attr(std::string_view text);
/// A list argument from its items; nothing unless all are of one kind.
std::optional<Attr> list_attr(const std::vector<Attr>& items);
/// Like parse_dim, but accepts every int64_t. Errors: `ir-syntax`.
Dim parse_size(std::string_view text);

/// A 64-bit hash of the values in row-major order, and of nothing else.
uint64_t content_hash(const Tensor& tensor);

/// Writes a type of graph attribute in one line and reads it back; `kind` names it in the text.
struct AttributeText {
  std::string kind;
  std::function<std::string(const std::any& value)> print;
  std::function<std::any(std::string_view text)> parse;  ///< errors: `ir-syntax`
};

/// Attributes of types without an entry are not printed.
void register_attribute_printer(std::type_index type, AttributeText text);
/// nullptr if the type, or the kind, is not registered.
const AttributeText* attribute_text(std::type_index type);
const AttributeText* attribute_text(std::string_view kind);

/// Graph attribute: hashes by name of constants that parse() left unloaded, as a
/// std::map<std::string, uint64_t>.
inline constexpr const char* kContentHashes = "content_hashes";

}  // namespace t2n::ir

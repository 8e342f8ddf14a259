// Pieces of the text form: literals, names, content hashes, and how graph attributes are written.
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

/// "\"a \\\"b\\\"\\n\"": printable ASCII and UTF-8 as they are, all else escaped.
std::string string_literal(std::string_view text);
/// Shortest text that reads back to the same number, never mistaken for an integer: "1.0", "1e-05".
std::string float_literal(double value);
std::string float_literal(float value);
/// What follows '%': "layer1.0.weight" as it is, names with other characters as a string literal.
std::string name_literal(std::string_view name);

/// One element of a constant: "1.5", "-3", "true", "complex(0.0, 1.0)"; the bits ("0x7fc00001")
/// where no number stands for them.
std::string element_literal(DType dtype, std::span<const std::byte> element);
/// Reads such a text; nothing if it is malformed or out of range.
std::optional<std::vector<std::byte>> parse_element(DType dtype, std::string_view text);

/// Inverse of attr_str for all but references, strings and lists. Errors: `ir-syntax`.
Attr parse_plain_attr(std::string_view text);
/// A list argument from its items; nothing unless all are of one kind.
std::optional<Attr> list_attr(const std::vector<Attr>& items);
/// Like parse_dim, and reads every int64_t. Errors: `ir-syntax`.
Dim parse_size(std::string_view text);

/// 64 bits that depend on the values in row-major order; nothing else of the tensor enters.
uint64_t content_hash(const Tensor& tensor);

/// How a type of graph attribute is written in one line and read back; `kind` names it in the text.
struct AttributeText {
  std::string kind;
  std::function<std::string(const std::any& value)> print;
  std::function<std::any(std::string_view text)> parse;  ///< errors: `ir-syntax`
};

/// Attributes of types without an entry stay out of the text form.
void register_attribute_printer(std::type_index type, AttributeText text);
/// nullptr where the type (the kind) is not registered.
const AttributeText* attribute_text(std::type_index type);
const AttributeText* attribute_text(std::string_view kind);

/// Graph attribute: hashes by name of constants that parse() left unloaded, as a
/// std::map<std::string, uint64_t>.
inline constexpr const char* kContentHashes = "content_hashes";

}  // namespace t2n::ir

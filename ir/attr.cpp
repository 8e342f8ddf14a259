// SPDX-License-Identifier: Apache-2.0
// Arguments to text and back.
#include "ir/attr.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "ir/print.h"
#include "src/diag/error.h"

namespace t2n::ir {
namespace {

/// True for the text of a symbolic size that would read back as something else, such as "f32".
bool is_keyword(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text == "none" || text == "true" || text == "false" || text == "inf" || text == "nan" ||
         parse_dtype(text).has_value();
}

std::string dim_text(const Dim& dim) {
  std::string text = dim.str();
  return is_keyword(text) ? "(" + text + ")" : text;
}

std::string bool_text(bool value) { return value ? "true" : "false"; }

/// `empty` distinguishes kinds of lists without elements.
template <typename List, typename Text>
std::string list_text(const List& list, std::string_view empty, const Text& text) {
  if (list.empty()) return std::string(empty);
  std::string out = "[";
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ", ";
    out += text(list[i]);
  }
  return out + "]";
}

/// A visitor with one case per kind of argument.
struct AttrText {
  const std::function<std::string(ValueId)>& value_name;

  std::string ref(ValueId id) const { return id == kNoValue ? "none" : "%" + value_name(id); }

  std::string operator()(None) const { return "none"; }
  std::string operator()(TensorRef value) const { return ref(value.id); }
  std::string operator()(const TensorRefs& value) const {
    return list_text(value.ids, "tensors[]", [this](ValueId id) { return ref(id); });
  }
  std::string operator()(const Dim& value) const { return dim_text(value); }
  std::string operator()(double value) const { return float_literal(value); }
  std::string operator()(bool value) const { return bool_text(value); }
  std::string operator()(const std::complex<double>& value) const {
    return cat("complex(", float_literal(value.real()), ", ", float_literal(value.imag()), ")");
  }
  std::string operator()(const std::string& value) const { return string_literal(value); }
  std::string operator()(DType value) const { return std::string(dtype_name(value)); }
  std::string operator()(const std::vector<Dim>& value) const {
    return list_text(value, "[]", dim_text);
  }
  std::string operator()(const std::vector<double>& value) const {
    return list_text(value, "floats[]", [](double x) { return float_literal(x); });
  }
  std::string operator()(const std::vector<bool>& value) const {
    return list_text(value, "bools[]", bool_text);
  }
  std::string operator()(const std::vector<std::string>& value) const {
    return list_text(value, "strings[]", string_literal);
  }
};

/// All of `text` as an integer.
std::optional<int64_t> parse_int(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_complete = error == std::errc() && end == text.data() + text.size();
  return is_complete ? std::optional(value) : std::nullopt;
}

/// Accepts only what float_literal() writes: a symbol named "infinity" is not a float.
std::optional<double> parse_float(std::string_view text) {
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  const bool is_number = !digits.empty() && digits[0] >= '0' && digits[0] <= '9';
  if (!is_number && digits != "inf" && digits != "nan") return std::nullopt;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_complete = error == std::errc() && end == text.data() + text.size();
  return is_complete ? std::optional(value) : std::nullopt;
}

std::optional<std::complex<double>> parse_complex(std::string_view text) {
  const auto bytes = parse_element(DType::c128, text);
  if (!bytes) return std::nullopt;
  std::array<double, 2> parts{};
  std::memcpy(parts.data(), bytes->data(), sizeof(parts));
  return std::complex<double>(parts[0], parts[1]);
}

/// A list argument from its items; nothing unless all have type T.
template <typename T>
std::optional<Attr> list_of(const std::vector<Attr>& items) {
  std::vector<T> out;
  for (const Attr& item : items) {
    if (!std::holds_alternative<T>(item)) return std::nullopt;
    out.push_back(std::get<T>(item));
  }
  return Attr(std::move(out));
}

std::optional<Attr> list_of_refs(const std::vector<Attr>& items) {
  TensorRefs out;
  for (const Attr& item : items) {
    const auto* ref = std::get_if<TensorRef>(&item);
    if (ref == nullptr && !std::holds_alternative<None>(item)) return std::nullopt;
    out.ids.push_back(ref == nullptr ? kNoValue : ref->id);
  }
  return Attr(std::move(out));
}

}  // namespace

std::span<const Dim> dims(const Attr& attr) {
  if (const auto* one = std::get_if<Dim>(&attr)) return {one, 1};
  if (const auto* many = std::get_if<std::vector<Dim>>(&attr)) return *many;
  return {};
}

std::span<Dim> dims(Attr& attr) {
  if (auto* one = std::get_if<Dim>(&attr)) return {one, 1};
  if (auto* many = std::get_if<std::vector<Dim>>(&attr)) return *many;
  return {};
}

bool is_symbolic(const Attr& attr) {
  const std::span<const Dim> all = dims(attr);
  return std::any_of(all.begin(), all.end(), [](const Dim& dim) { return !dim.is_constant(); });
}

std::string attr_str(const Attr& attr, const std::function<std::string(ValueId)>& value_name) {
  return std::visit(AttrText{value_name}, attr);
}

Dim parse_size(std::string_view text) {
  const auto number = parse_int(text);
  return number ? Dim(*number) : parse_dim(text);
}

Attr parse_plain_attr(std::string_view text) {
  if (text == "none") return None{};
  if (text == "true" || text == "false") return text == "true";
  if (const auto value = parse_int(text)) return Dim(*value);
  if (const auto value = parse_float(text)) return *value;
  if (const auto value = parse_dtype(text)) return *value;
  if (const auto value = parse_complex(text)) return *value;
  return parse_dim(text);
}

std::optional<Attr> list_attr(const std::vector<Attr>& items) {
  for (const auto& as_list :
       {list_of<Dim>, list_of<double>, list_of<bool>, list_of<std::string>, list_of_refs})
    if (auto out = as_list(items)) return out;
  return std::nullopt;
}

}  // namespace t2n::ir

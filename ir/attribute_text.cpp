// How graph attributes are written: one entry per C++ type.
#include "ir/graph.h"
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
      throw Error("ir-syntax", cat("sizes read 'S=7, T=3', not ", quoted(item)));
    out.emplace(parse_symbol(item.substr(0, equals)), size.value());
  }
  return out;
}

std::map<std::type_index, AttributeText>& table() {
  static std::map<std::type_index, AttributeText> all = {
      {typeid(Sizes), {"sizes", print_sizes, parse_sizes}}};
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

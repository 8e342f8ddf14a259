// SPDX-License-Identifier: Apache-2.0
// Reads extensions, and the fragment `tract_core_properties`, which is the only metadata in NNEF
// files.
#include "src/spec/dialect.h"

#include <algorithm>

#include "nnef_writer/print.h"
#include "src/diag/error.h"

namespace t2n::spec {
namespace {

std::string value_text(const nnef::Value& value) {
  return value.kind == nnef::Kind::string ? value.text : nnef::print(value);
}

}  // namespace

Dialect dialect_of(const nnef::Document& document) {
  const bool is_tract =
      !document.symbols.empty() || !document.assertions.empty() ||
      std::any_of(document.extensions.begin(), document.extensions.end(),
                  [](const std::string& text) { return text.starts_with("tract_"); });
  return is_tract ? Dialect::tract : Dialect::khronos;
}

std::vector<std::pair<std::string, std::string>> properties(const nnef::Document& document) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const nnef::Fragment& fragment : document.fragments) {
    if (fragment.name != kPropertiesFragment || fragment.body.empty()) continue;
    for (const nnef::Value& row : fragment.body[0].right.items)
      if (row.items.size() == 2) out.emplace_back(row.items[0].text, value_text(row.items[1]));
  }
  return out;
}

std::optional<std::string> property(const nnef::Document& document, std::string_view name) {
  for (auto& [key, value] : properties(document))
    if (key == name) return value;
  return std::nullopt;
}

std::optional<target::Target> stated_target(const nnef::Document& document) {
  const auto version = property(document, "tract_target_version");
  if (!version) return std::nullopt;
  try {
    return target::parse_target("tract@" + *version);
  } catch (const Error&) {
    return std::nullopt;
  }
}

void add_property(nnef::Document& document, std::string_view name, nnef::Value value) {
  for (nnef::Fragment& fragment : document.fragments)
    if (fragment.name == kPropertiesFragment)
      fragment.body.at(0).right.items.push_back(
          nnef::tuple({nnef::string(std::string(name)), value}));
}

void add_property(nnef::Document& document, std::string_view name, std::string value) {
  add_property(document, name, nnef::string(std::move(value)));
}

}  // namespace t2n::spec

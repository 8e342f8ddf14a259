// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/session/input_locations.h"

#include <ATen/core/jit_type.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/diag/error.h"

namespace t2n::trace {
namespace {

bool is_decimal(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

c10::TypePtr without_optional(c10::TypePtr type) {
  while (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  return type;
}

/// An element of a container: its names and its type.
struct Element {
  std::vector<std::string> names;  ///< "0"; of a NamedTuple also the field's name
  c10::TypePtr type;
};

std::vector<Element> elements_of(const c10::TupleType& tuple) {
  std::vector<Element> out;
  const auto fields = tuple.schema();
  for (size_t i = 0; i < tuple.elements().size(); ++i) {
    out.push_back({{std::to_string(i)}, tuple.elements()[i]});
    if (fields) out.back().names.push_back(fields->arguments()[i].name());
  }
  return out;
}

/// The location that the path's parts from `part` on denote in a type; nothing if there is none.
std::optional<InputLocation> locate(const c10::TypePtr& declared, const InputPath& parts,
                                    size_t part) {
  if (part == parts.size()) return InputLocation{parts};
  const c10::TypePtr type = without_optional(declared);
  if (const auto list = type->cast<c10::ListType>())
    return is_decimal(parts[part]) ? locate(list->getElementType(), parts, part + 1) : std::nullopt;
  if (const auto dict = type->cast<c10::DictType>()) {
    auto found = locate(dict->getValueType(), parts, part + 1);
    if (found) found->by_key = true;
    return found;
  }
  if (const auto tuple = type->cast<c10::TupleType>())
    for (const Element& element : elements_of(*tuple))
      if (std::find(element.names.begin(), element.names.end(), parts[part]) != element.names.end())
        return locate(element.type, parts, part + 1);
  return {};
}

/// Finds all locations below an argument that have a flat name.
class FlatSearch {
 public:
  explicit FlatSearch(bool is_none) : is_none_(is_none) {}

  /// `suffix`: the flat name without the name of `path`: "", or "_0_k".
  void run(const c10::TypePtr& declared, std::string_view suffix) {
    const c10::TypePtr type = without_optional(declared);
    const auto tuple = type->cast<c10::TupleType>();
    const auto list = type->cast<c10::ListType>();
    const auto dict = type->cast<c10::DictType>();
    if (suffix.empty()) {
      const bool is_leaf = !tuple && !list && !dict;
      if (is_leaf || (is_none_ && type != declared)) found.push_back({path, by_key_});
      return;
    }
    suffix.remove_prefix(1);
    if (tuple)
      for (const Element& element : elements_of(*tuple))
        for (const std::string& name : element.names)
          if (suffix.starts_with(name)) below(suffix, name.size(), element.type);
    for (size_t end = 1; end <= suffix.size(); ++end) {
      if (dict) {
        const bool outer = std::exchange(by_key_, true);
        below(suffix, end, dict->getValueType());
        by_key_ = outer;
      } else if (list && is_decimal(suffix.substr(0, end))) {
        below(suffix, end, list->getElementType());
      }
    }
  }

  InputPath path;
  std::vector<InputLocation> found;

 private:
  /// Continues after the first `size` characters, which must be a complete part.
  void below(std::string_view suffix, size_t size, const c10::TypePtr& type) {
    if (size < suffix.size() && suffix[size] != '_') return;
    path.emplace_back(suffix.substr(0, size));
    run(type, suffix.substr(size));
    path.pop_back();
  }

  bool is_none_;
  bool by_key_ = false;
};

std::string dotted(const InputPath& path) {
  std::string out;
  for (const std::string& part : path) out += (out.empty() ? "" : ".") + part;
  return out;
}

[[noreturn]] void refuse_several(const std::string& name,
                                 const std::vector<InputLocation>& locations) {
  std::string known;
  for (const InputLocation& location : locations)
    known += (known.empty() ? "" : ", ") + dotted(location.path);
  throw Error("input-unknown", cat("several inputs have the name ", quoted(name)),
              cat("they are: ", known),
              cat("write it with dots: --input ", dotted(locations[0].path), "=…"));
}

}  // namespace

std::optional<InputLocation> argument_location(const c10::FunctionSchema& schema,
                                               const SampleInput& sample) {
  const auto& arguments = schema.arguments();
  for (size_t i = 1; i < arguments.size(); ++i)
    if (arguments[i].name() == sample.path[0])
      if (auto location = locate(arguments[i].type(), sample.path, 1)) return location;
  const std::string name = flat_name(sample.path);
  FlatSearch search(std::holds_alternative<ir::None>(sample.value));
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i].name();
    if (name == argument) return InputLocation{{argument}};
    if (!name.starts_with(argument + "_")) continue;
    search.path = {argument};
    search.run(arguments[i].type(), std::string_view(name).substr(argument.size()));
  }
  if (search.found.size() > 1) refuse_several(name, search.found);
  return search.found.empty() ? std::nullopt : std::optional(search.found[0]);
}

bool is_position(const std::string& name) {
  constexpr std::string_view kPrefix = "input_";
  return name.starts_with(kPrefix) && is_decimal(std::string_view(name).substr(kPrefix.size()));
}

}  // namespace t2n::trace

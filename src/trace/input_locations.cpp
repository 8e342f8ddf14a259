#include "src/trace/input_locations.h"

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

/// An element of a container: the names it goes by, and its type.
struct Element {
  std::vector<std::string> words;  ///< "0"; of a NamedTuple also the field's name
  c10::TypePtr type;
};

std::vector<Element> elements_of(const c10::TupleType& tuple) {
  std::vector<Element> out;
  const auto fields = tuple.schema();
  for (size_t i = 0; i < tuple.elements().size(); ++i) {
    out.push_back({{std::to_string(i)}, tuple.elements()[i]});
    if (fields) out.back().words.push_back(fields->arguments()[i].name());
  }
  return out;
}

/// The place that the path's parts from `at` on denote in a type; nothing if they denote none.
std::optional<InputPlace> follow(const c10::TypePtr& whole, const InputPath& parts, size_t at) {
  if (at == parts.size()) return InputPlace{parts};
  const c10::TypePtr type = without_optional(whole);
  if (const auto list = type->cast<c10::ListType>())
    return is_decimal(parts[at]) ? follow(list->getElementType(), parts, at + 1) : std::nullopt;
  if (const auto dict = type->cast<c10::DictType>()) {
    auto found = follow(dict->getValueType(), parts, at + 1);
    if (found) found->by_key = true;
    return found;
  }
  if (const auto tuple = type->cast<c10::TupleType>())
    for (const Element& element : elements_of(*tuple))
      if (std::find(element.words.begin(), element.words.end(), parts[at]) != element.words.end())
        return follow(element.type, parts, at + 1);
  return {};
}

/// Finds all places below an argument that have a flat name.
class FlatSearch {
 public:
  explicit FlatSearch(bool is_none) : is_none_(is_none) {}

  /// `rest` is what follows the name of `path`: "", or "_0_k".
  void run(const c10::TypePtr& whole, std::string_view rest) {
    const c10::TypePtr type = without_optional(whole);
    const auto tuple = type->cast<c10::TupleType>();
    const auto list = type->cast<c10::ListType>();
    const auto dict = type->cast<c10::DictType>();
    if (rest.empty()) {
      const bool is_leaf = !tuple && !list && !dict;
      if (is_leaf || (is_none_ && type != whole)) found.push_back({path, by_key_});
      return;
    }
    rest.remove_prefix(1);
    if (tuple)
      for (const Element& element : elements_of(*tuple))
        for (const std::string& word : element.words)
          if (rest.starts_with(word)) below(rest, word.size(), element.type);
    for (size_t end = 1; end <= rest.size(); ++end) {
      if (dict) {
        const bool outer = std::exchange(by_key_, true);
        below(rest, end, dict->getValueType());
        by_key_ = outer;
      } else if (list && is_decimal(rest.substr(0, end))) {
        below(rest, end, list->getElementType());
      }
    }
  }

  InputPath path;
  std::vector<InputPlace> found;

 private:
  /// Continues after the first `size` characters, which must be a whole part.
  void below(std::string_view rest, size_t size, const c10::TypePtr& type) {
    if (size < rest.size() && rest[size] != '_') return;
    path.emplace_back(rest.substr(0, size));
    run(type, rest.substr(size));
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

[[noreturn]] void refuse_several(const std::string& name, const std::vector<InputPlace>& places) {
  std::string known;
  for (const InputPlace& place : places) known += (known.empty() ? "" : ", ") + dotted(place.path);
  throw Error("input-unknown", cat("several inputs have the name ", quoted(name)),
              cat("they are: ", known),
              cat("write it with dots: --input ", dotted(places[0].path), "=…"));
}

}  // namespace

std::optional<InputPlace> argument_location(const c10::FunctionSchema& schema,
                                            const SampleInput& sample) {
  const auto& arguments = schema.arguments();
  for (size_t i = 1; i < arguments.size(); ++i)
    if (arguments[i].name() == sample.path[0])
      if (auto place = follow(arguments[i].type(), sample.path, 1)) return place;
  const std::string name = flat_name(sample.path);
  FlatSearch search(std::holds_alternative<ir::None>(sample.value));
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i].name();
    if (name == argument) return InputPlace{{argument}};
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

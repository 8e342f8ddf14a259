// SPDX-License-Identifier: Apache-2.0
#include "src/pt2/json_cursor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "src/diag/error.h"

namespace t2n::pt2 {
namespace {

[[noreturn]] void refuse_table(const std::string& record, const std::string& why) {
  throw Error("model-corrupt", cat("the record ", quoted(record), " of the model cannot be read"),
              why, "was it saved or downloaded completely?");
}

/// The path from a value to a part of it: ".graph.nodes[3].target"; nullopt if it is no part.
std::optional<std::string> path_to(const Json& value, const Json* part) {
  if (&value == part) return "";
  if (!value.is_structured()) return std::nullopt;
  size_t index = 0;
  for (const auto& [key, element] : value.items()) {
    if (const auto below = path_to(element, part))
      return cat(value.is_object() ? cat(".", key) : cat("[", index, "]"), *below);
    ++index;
  }
  return std::nullopt;
}

/// Python writes infinities and NaN without quotes, which PyTorch 2.7 adds.
std::string with_quoted_numbers(std::string_view text) {
  constexpr std::array<std::string_view, 3> kNames = {"-Infinity", "Infinity", "NaN"};
  std::string out;
  bool is_inside = false;  // a string
  for (size_t at = 0; at < text.size(); ++at) {
    const auto* const name = std::find_if(kNames.begin(), kNames.end(), [&](const auto& each) {
      return !is_inside && text.substr(at).starts_with(each);
    });
    if (name != kNames.end()) {
      out += cat('"', *name, '"');
      at += name->size() - 1;
      continue;
    }
    const bool is_escape = is_inside && text[at] == '\\' && at + 1 < text.size();
    if (text[at] == '"') is_inside = !is_inside;
    out += text[at];
    if (is_escape) out += text[++at];
  }
  return out;
}

}  // namespace

JsonTable parse_table(std::string_view text, std::string record) {
  constexpr int kMaxDepth = 500;
  bool is_too_deep = false;
  const auto limit_depth = [&](int depth, Json::parse_event_t /*event*/, Json& /*parsed*/) {
    is_too_deep = is_too_deep || depth > kMaxDepth;
    return !is_too_deep;
  };
  JsonTable out;
  try {
    out.root = Json::parse(with_quoted_numbers(text), limit_depth);
  } catch (const Json::exception& error) {
    refuse_table(record, cat("it is not valid JSON: ", error.what()));
  }
  if (is_too_deep) refuse_table(record, cat("it nests more than ", kMaxDepth, " levels deep"));
  out.record = std::move(record);
  return out;
}

void Cursor::refuse(const std::string& why) const {
  const std::string path = path_to(table_->root, at_).value_or("");
  refuse_table(table_->record, cat(path.empty() ? "it" : quoted(path.substr(1)), " ", why));
}

std::optional<Cursor> Cursor::find(std::string_view key) const {
  if (!at_->is_object()) refuse("is not an object");
  const auto found = at_->find(key);
  if (found == at_->end() || found->is_null()) return std::nullopt;
  return Cursor(*table_, *found);
}

Cursor Cursor::operator[](std::string_view key) const {
  const auto found = find(key);
  if (!found) refuse(cat("has no field ", quoted(key)));
  return *found;
}

std::vector<Cursor> Cursor::elements() const {
  if (!at_->is_array()) refuse("is not an array");
  std::vector<Cursor> out;
  out.reserve(at_->size());
  for (const Json& element : *at_) out.push_back(Cursor(*table_, element));
  return out;
}

std::vector<std::pair<std::string, Cursor>> Cursor::fields() const {
  if (!at_->is_object()) refuse("is not an object");
  std::vector<std::pair<std::string, Cursor>> out;
  for (const auto& [key, value] : at_->items()) out.emplace_back(key, Cursor(*table_, value));
  return out;
}

std::pair<std::string, Cursor> Cursor::alternative() const {
  std::optional<std::pair<std::string, Cursor>> out;
  for (auto& [key, value] : fields()) {
    if (value.at_->is_null()) continue;
    if (out) refuse("has more than one field");
    out.emplace(key, value);
  }
  if (!out) refuse("has no field");
  return *out;
}

bool Cursor::flag() const {
  if (!at_->is_boolean()) refuse("is neither true nor false");
  return at_->get<bool>();
}

int64_t Cursor::integer() const {
  const bool is_large = at_->is_number_unsigned() &&
                        at_->get<uint64_t>() > uint64_t{std::numeric_limits<int64_t>::max()};
  if (!at_->is_number_integer() || is_large) refuse("is not an integer of 64 bits");
  return at_->get<int64_t>();
}

double Cursor::number() const {
  if (at_->is_number()) return at_->get<double>();
  if (at_->is_string()) {
    if (text() == "Infinity") return INFINITY;
    if (text() == "-Infinity") return -INFINITY;
    if (text() == "NaN") return NAN;
  }
  refuse("is not a number");
}

const std::string& Cursor::text() const {
  if (!at_->is_string()) refuse("is not a string");
  return at_->get_ref<const std::string&>();
}

}  // namespace t2n::pt2

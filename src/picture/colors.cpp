// SPDX-License-Identifier: Apache-2.0
// Reports are searched for rows with a name and a number, wherever they are.
#include "src/picture/colors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "src/diag/error.h"

namespace t2n::picture {
namespace {

using ReportJson = nlohmann::json;

/// The name of a row: that of its tensor, or of its module.
std::string row_name(const ReportJson& row) {
  constexpr std::array<const char*, 3> kKeys = {"tensor", "name", "module"};
  for (const char* key : kKeys)
    if (const auto found = row.find(key); found != row.end() && found->is_string())
      return found->get<std::string>();
  return "";
}

using RowValue = std::optional<double> (*)(const ReportJson& row);

std::optional<double> number(const ReportJson& row, const char* key) {
  const auto found = row.find(key);
  if (found == row.end() || !found->is_number()) return {};
  return found->get<double>();
}

/// Of a localisation's table.
std::optional<double> distance(const ReportJson& row) { return number(row, "distance"); }

/// Of an output, or of the first tensor that differs.
std::optional<double> difference(const ReportJson& row) {
  if (const auto largest = number(row, "max_abs")) return largest;
  const auto worst = row.find("worst");
  if (worst == row.end() || !worst->is_object()) return {};
  const auto expected = number(*worst, "expected");
  const auto actual = number(*worst, "actual");
  if (!expected || !actual) return {};
  return std::abs(*actual - *expected);
}

/// The noise of a layer's results in relation to them, from decibels.
std::optional<double> loss(const ReportJson& row) {
  const auto snr = row.find("results_snr_db");
  if (snr == row.end()) return {};
  if (snr->is_number()) return std::pow(10.0, -snr->get<double>() / 20);
  const auto exact = row.find("results_exact");
  if (exact == row.end() || !exact->is_boolean() || !exact->get<bool>()) return {};
  return 0.0;
}

/// All rows, outermost first. Does not recurse: a text may be nested deeper than a stack.
std::vector<NamedValue> rows_with(const ReportJson& json, RowValue value_of) {
  std::vector<NamedValue> out;
  std::vector<const ReportJson*> todo{&json};
  while (!todo.empty()) {
    const ReportJson& each = *todo.back();
    todo.pop_back();
    if (each.is_object())
      if (const auto value = value_of(each))
        if (const std::string name = row_name(each); !name.empty()) out.push_back({name, *value});
    if (each.is_structured())
      for (const ReportJson& part : each) todo.push_back(&part);
  }
  return out;
}

std::vector<NamedValue> own_values(const ReportJson& json) {
  std::vector<NamedValue> out;
  const auto values = json.is_object() ? json.find("values") : json.end();
  if (!json.is_object() || values == json.end() || !values->is_object()) return out;
  for (const auto& [name, value] : values->items())
    if (value.is_number()) out.push_back({name, value.get<double>()});
  return out;
}

/// The names that a statement assigns: "(a, b) = f(x);".
std::vector<std::string> assigned(const std::string& statement) {
  std::vector<std::string> out{""};
  for (const char c : statement.substr(0, statement.find(" = "))) {
    if (c == ',')
      out.emplace_back();
    else if (c != '(' && c != ')' && c != ' ')
      out.back() += c;
  }
  return out;
}

/// Nodes by the names of their tensors, and of the modules around them.
std::multimap<std::string, size_t, std::less<>> nodes_by_name(const Picture& picture) {
  std::multimap<std::string, size_t, std::less<>> out;
  for (size_t i = 0; i < picture.nodes.size(); ++i) {
    const Node& node = picture.nodes[i];
    std::vector<std::string> names{node.name};
    for (const Result& result : node.results) names.push_back(result.name);
    for (const Line& line : node.nnef)
      for (std::string& name : assigned(line.text)) names.push_back(std::move(name));
    for (size_t end = node.module.size(); end != std::string::npos && end > 0;
         end = node.module.find_last_of("./", end - 1))
      names.push_back(node.module.substr(0, end));
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    for (std::string& name : names) out.emplace(std::move(name), i);
  }
  return out;
}

}  // namespace

ColorTable read_colors(std::string_view text, const std::string& origin) {
  const ReportJson json = ReportJson::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw Error("input-unreadable", cat(quoted(origin), " is not JSON"));
  ColorTable out{"value", own_values(json)};
  if (!out.values.empty()) {
    const auto label = json.find("label");
    if (label != json.end() && label->is_string()) out.label = label->get<std::string>();
    return out;
  }
  out = {"relative difference", rows_with(json, distance)};
  if (out.values.empty()) out = {"max |Δ|", rows_with(json, difference)};
  if (out.values.empty()) out = {"noise / results", rows_with(json, loss)};
  if (out.values.empty())
    throw Error("input-unreadable", cat(quoted(origin), " contains no values of tensors or layers"),
                "reports contain them after a check or a compression",
                "give such a report, or {\"label\": \"my loss\", \"values\": {\"NAME\": 0.5}}");
  return out;
}

std::vector<std::string> color(Picture& picture, const ColorTable& table) {
  picture.colors = Colors{table.label};
  const auto nodes = nodes_by_name(picture);
  std::vector<std::string> unknown;
  for (const auto& [name, value] : table.values) {
    const auto [begin, end] = nodes.equal_range(name);
    if (begin == end) unknown.push_back(name);
    if (!std::isfinite(value)) continue;
    for (auto found = begin; found != end; ++found) {
      Node& node = picture.nodes[found->second];
      node.value = std::max(node.value.value_or(value), value);
    }
  }
  return unknown;
}

}  // namespace t2n::picture

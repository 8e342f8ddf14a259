// SPDX-License-Identifier: Apache-2.0
// Finds products of joined axes that the engine would split.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "src/diag/error.h"
#include "src/lint/probe_sizes.h"
#include "src/lint/tract_parts.h"
#include "src/nnef/walk.h"
#include "src/spec/dialect.h"

namespace t2n::spec {
namespace {

/// A product of a reshaped tensor and another one.
struct Product {
  std::string name;
  std::string source;  ///< what is reshaped
  std::string reshaped;
  std::string other;
};

bool reads_any(const nnef::Value& value, const std::set<std::string>& names) {
  bool found = false;
  nnef::walk(value, [&](const nnef::Value& each) {
    found = found || (each.kind == nnef::Kind::identifier && names.contains(each.text));
  });
  return found;
}

std::string operand(const nnef::Value& call, std::string_view name, size_t position) {
  const nnef::Value* const value = nnef::find_argument(call, name, position);
  return value != nullptr && value->kind == nnef::Kind::identifier ? value->text : std::string();
}

/// Constants are reshaped before the engine looks at the product.
std::vector<Product> products_of_reshaped(const nnef::Document& document) {
  std::set<std::string> computed;
  std::map<std::string, std::string> sources;  // of reshaped tensors
  std::vector<Product> out;
  for (const nnef::Assignment& statement : document.graph.body) {
    const nnef::Value& call = statement.right;
    const bool is_input = call.text == "external" || call.text == "tract_core_external";
    if (!is_input && !reads_any(call, computed)) continue;
    for (const std::string_view name : nnef::assigned_names(statement.left)) computed.emplace(name);
    const std::string name = nnef::first_name(statement.left);
    if (call.text == "reshape") sources[name] = operand(call, "input", 0);
    if (call.text != "matmul") continue;
    const std::string a = operand(call, "A", 0), b = operand(call, "B", 1);
    for (const auto& [reshaped, other] : {std::pair(a, b), std::pair(b, a)})
      if (const auto found = sources.find(reshaped); found != sources.end())
        out.push_back({name, found->second, reshaped, other});
  }
  return out;
}

/// The axis that several axes were joined to, if all others were kept. An axis of extent 1 is
/// removed, not joined.
std::optional<size_t> joined_axis(const ir::Ints& from, const ir::Ints& to) {
  if (to.size() >= from.size()) return {};
  const auto axis = std::mismatch(to.begin(), to.end(), from.begin()).first - to.begin();
  if (axis == std::ssize(to)) return {};
  const auto first = from.begin() + axis, last = first + (std::ssize(from) - std::ssize(to) + 1);
  const bool keeps_others = std::equal(last, from.end(), to.begin() + axis + 1, to.end());
  const bool joins = std::count_if(first, last, [](int64_t extent) { return extent > 1; }) > 1;
  return keeps_others && joins ? std::optional<size_t>(axis) : std::nullopt;
}

/// Whether there is one matrix where the other operand has one for each entry of a joined axis.
bool is_split(const ShapeRunner& runner, const Product& product) {
  const auto from = runner.shape(product.source), to = runner.shape(product.reshaped),
             other = runner.shape(product.other);
  if (!from || !to || !other || other->size() != to->size()) return false;
  const auto axis = joined_axis(*from, *to);
  return axis && *axis + 2 < to->size() && other->at(*axis) == 1;
}

}  // namespace

std::optional<TractFinding> joined_matrices(const nnef::Document& document) {
  const auto target = stated_target(document);
  if (target && !target::has(*target, target::Feature::open_sizes)) return {};
  std::vector<Product> products = products_of_reshaped(document);
  ShapeRunner runner(document);
  ir::Sizes sizes;
  bool any = false;
  for (const ir::Sizes& values : probe_sizes(document.symbols, document.assertions, {})) {
    const bool has_one = std::any_of(values.begin(), values.end(),
                                     [](const auto& each) { return each.second == 1; });
    if (products.empty() || has_one) continue;  // one entry hides which axes are joined
    if (runner.run(values)) return {};
    std::erase_if(products, [&](const Product& each) { return !is_split(runner, each); });
    any = true;
    sizes = values;
  }
  if (!any || products.empty()) return {};
  const std::string& name = products[0].name;
  return TractFinding{
      .name = name,
      .problem = cat(quoted(name), ": 'matmul' of one matrix and many whose axes were joined by ",
                     quoted(products[0].reshaped), ", which the engine would split"),
      .sizes = sizes,
      .symbols = {}};
}

}  // namespace t2n::spec

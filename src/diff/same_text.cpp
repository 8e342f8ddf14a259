// SPDX-License-Identifier: Apache-2.0
#include "src/diff/same_text.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/nnef/walk.h"
#include "src/spec/dialect.h"
#include "src/spec/states.h"

namespace t2n::diff {
namespace {

using nnef::Kind;
using nnef::Value;

/// A relative tolerance: another machine may round folded constants differently.
constexpr double kRoundings = 1e-6;

bool is_number(const Value& value) {
  return value.kind == Kind::integer || value.kind == Kind::scalar;
}

double number_of(const Value& value) {
  return value.kind == Kind::integer ? static_cast<double>(value.integer) : value.number;
}

bool numbers_differ(const Value& a, const Value& b) {
  if (a.kind == Kind::integer && b.kind == Kind::integer) return a.integer != b.integer;
  const double x = number_of(a), y = number_of(b);
  if (x == y || (std::isnan(x) && std::isnan(y))) return false;
  return !(std::abs(x - y) <= kRoundings * std::max(std::abs(x), std::abs(y)));
}

/// The one-to-one mapping of names within one graph or fragment.
class Names {
 public:
  bool knows(const std::string& a, const std::string& b) const {
    const auto found = of_a_.find(a);
    return found != of_a_.end() && found->second == b;
  }
  bool are_same(const std::string& a, const std::string& b) {
    return of_a_.try_emplace(a, b).first->second == b && of_b_.try_emplace(b, a).first->second == a;
  }

 private:
  std::map<std::string, std::string> of_a_;
  std::map<std::string, std::string> of_b_;
};

class TextComparison {
 public:
  explicit TextComparison(TextDifference& out) : out_(out) {}

  bool are_same(const nnef::Graph& a, const nnef::Graph& b) {
    if (!are_same_names(a.parameters, b.parameters)) return false;
    if (!are_same(a.body, b.body)) return false;
    return have_same_results(a.results, b.results) || add_difference(results_of(a), results_of(b));
  }

  bool are_same(const nnef::Fragment& a, const nnef::Fragment& b) {
    if (a.name != b.name || head_of(a) != head_of(b)) return add_difference(head_of(a), head_of(b));
    return are_same(a.body, b.body);
  }

  bool are_same(const std::vector<nnef::QuantEntry>& a, const std::vector<nnef::QuantEntry>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
      statement_ = x.name;
      if (names_.are_same(x.name, y.name) && are_same(x.invocation, y.invocation)) return true;
      return add_difference(cat(x.name, ": ", nnef::print(x.invocation)),
                            cat(y.name, ": ", nnef::print(y.invocation)));
    });
  }

  bool add_difference(std::string before, std::string after) {
    if (!out_.first_statement) out_.first_statement = {std::move(before), std::move(after)};
    return false;
  }

 private:
  static std::string head_of(nnef::Fragment fragment) {
    fragment.body.clear();
    return nnef::print(fragment);
  }

  static std::string results_of(const nnef::Graph& graph) {
    return cat("the results ", joined(graph.results, ", "));
  }

  static std::string text_of(const nnef::Assignment& statement) {
    return cat(nnef::print(statement.left), " = ", nnef::print(statement.right));
  }

  /// In any order: a check matches outputs by name.
  bool have_same_results(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    return std::all_of(a.begin(), a.end(),
                       [&](const std::string& x) {
                         return std::any_of(b.begin(), b.end(), [&](const std::string& y) {
                           return names_.knows(x, y);
                         });
                       }) &&
           a.size() == b.size();
  }

  bool are_same_names(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](const auto& x, const auto& y) { return names_.are_same(x, y); });
  }

  bool are_same(const std::vector<nnef::Assignment>& a, const std::vector<nnef::Assignment>& b) {
    for (size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      if (i >= a.size() || i >= b.size())
        return add_difference(i < a.size() ? text_of(a[i]) : "", i < b.size() ? text_of(b[i]) : "");
      const auto names = nnef::assigned_names(a[i].left);
      statement_ = names.empty() ? "" : std::string(names[0]);
      operation_ = a[i].right.text;
      if (!are_same(a[i].left, b[i].left) || !are_same(a[i].right, b[i].right))
        return add_difference(text_of(a[i]), text_of(b[i]));
    }
    return true;
  }

  bool are_all_same(const nnef::Values& a, const nnef::Values& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](const Value& x, const Value& y) { return are_same(x, y); });
  }

  bool are_same_arguments(const Value& a, const Value& b) {
    return std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(),
                      b.arguments.end(), [&](const auto& x, const auto& y) {
                        if (x.name != y.name) return false;
                        return x.name == "label" ? are_labels(a, x.value, y.value)
                                                 : are_same(x.name, x.value, y.value);
                      });
  }

  /// Numbers that differ in one argument are one difference, unless it is long.
  bool are_same(const std::string& argument, const Value& a, const Value& b) {
    constexpr size_t kLongest = 60;
    const size_t known = out_.numbers.size();
    if (!are_same(a, b)) return false;
    if (argument.empty() || out_.numbers.size() == known) return true;
    std::string before = nnef::print(a), after = nnef::print(b);
    if (std::max(before.size(), after.size()) > kLongest) return true;
    out_.numbers.resize(known);
    out_.numbers.push_back({statement_, operation_, argument, std::move(before), std::move(after)});
    return true;
  }

  bool are_labels(const Value& call, const Value& a, const Value& b) {
    if (call.text != "variable") return are_same(a, b);
    out_.labels.emplace_back(a.text, b.text);
    return true;
  }

  bool are_same(const Value& a, const Value& b) {
    if (is_number(a) && is_number(b)) {
      if (numbers_differ(a, b))
        out_.numbers.push_back({statement_, operation_, "", nnef::print(a), nnef::print(b)});
      return true;
    }
    if (a.kind != b.kind || a.type != b.type) return false;
    if (a.kind == Kind::comprehension || a.kind == Kind::dimension)
      return nnef::print(a) == nnef::print(b);
    const bool have_same_name =
        a.kind == Kind::identifier ? names_.are_same(a.text, b.text) : a.text == b.text;
    return have_same_name && a.logical == b.logical && are_all_same(a.items, b.items) &&
           are_same_arguments(a, b);
  }

  TextDifference& out_;
  Names names_;
  std::string statement_;
  std::string operation_;
};

}  // namespace

namespace {

/// The statements of inputs, with their shapes.
std::vector<std::string> inputs_of(const nnef::Document& document) {
  std::vector<std::string> out;
  for (const nnef::Assignment& each : document.graph.body)
    if (each.right.text.ends_with("external")) out.push_back(nnef::print(each.right));
  return out;
}

/// Without those that depend only on the operations.
std::vector<std::string> extensions_of(const nnef::Document& document) {
  std::vector<std::string> out = nnef::extension_lines(document);
  std::erase_if(out, [](const std::string& line) { return line.starts_with("tract_registry "); });
  return out;
}

/// Without those about states, which do not change what a document computes.
std::vector<std::pair<std::string, std::string>> properties_of(const nnef::Document& document) {
  auto out = spec::properties(document);
  std::erase_if(out, [](const auto& row) { return spec::is_state_property(row.first); });
  return out;
}

void compare_fragments(const nnef::Document& a, const nnef::Document& b, TextDifference& out) {
  for (size_t i = 0; i < std::max(a.fragments.size(), b.fragments.size()); ++i) {
    const auto is_properties = [i](const nnef::Document& document) {
      return i < document.fragments.size() &&
             document.fragments[i].name == spec::kPropertiesFragment;
    };
    if (is_properties(a) && is_properties(b)) continue;  // compared by properties_of
    TextComparison comparison(out);
    if (i < a.fragments.size() && i < b.fragments.size())
      comparison.are_same(a.fragments[i], b.fragments[i]);
    else
      comparison.add_difference(
          i < a.fragments.size() ? cat("the fragment ", a.fragments[i].name) : "",
          i < b.fragments.size() ? cat("the fragment ", b.fragments[i].name) : "");
    if (out.first_statement) return;
  }
}

}  // namespace

std::optional<TextDifference> compare_text(const nnef::Document& a, const nnef::Document& b) {
  if (extensions_of(a) != extensions_of(b) || properties_of(a) != properties_of(b) ||
      a.graph.parameters.size() != b.graph.parameters.size() || inputs_of(a) != inputs_of(b))
    return {};
  TextDifference out;
  // The graph first: its statements determine the fragments.
  TextComparison comparison(out);
  if (comparison.are_same(a.graph, b.graph)) {
    compare_fragments(a, b, out);
    if (!out.first_statement && !comparison.are_same(a.quant, b.quant) && !out.first_statement)
      comparison.add_difference("graph.quant", "graph.quant");
  }
  return out;
}

}  // namespace t2n::diff

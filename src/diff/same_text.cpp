#include "src/diff/same_text.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "nnef/walk.h"
#include "nnef_writer/print.h"
#include "src/spec/dialect.h"

namespace t2n::diff {
namespace {

using nnef::Kind;
using nnef::Value;

/// In a text; what is folded on another machine may be rounded otherwise.
constexpr double kRoundings = 1e-6;

bool is_number(const Value& value) {
  return value.kind == Kind::integer || value.kind == Kind::scalar;
}

double number_of(const Value& value) {
  return value.kind == Kind::integer ? static_cast<double>(value.integer) : value.number;
}

bool are_apart(const Value& a, const Value& b) {
  if (a.kind == Kind::integer && b.kind == Kind::integer) return a.integer != b.integer;
  const double x = number_of(a), y = number_of(b);
  if (x == y || (std::isnan(x) && std::isnan(y))) return false;
  return !(std::abs(x - y) <= kRoundings * std::max(std::abs(x), std::abs(y)));
}

/// Names that stand for each other, within one graph or fragment.
class Names {
 public:
  bool are_same(const std::string& a, const std::string& b) {
    return of_a_.try_emplace(a, b).first->second == b && of_b_.try_emplace(b, a).first->second == a;
  }

 private:
  std::map<std::string, std::string> of_a_;
  std::map<std::string, std::string> of_b_;
};

class TextComparison {
 public:
  explicit TextComparison(SameText& out) : out_(out) {}

  bool are_same(const nnef::Graph& a, const nnef::Graph& b) {
    return are_same_names(a.parameters, b.parameters) && are_same(a.body, b.body) &&
           are_same_names(a.results, b.results);
  }

  bool are_same(const nnef::Fragment& a, const nnef::Fragment& b) {
    return a.name == b.name && head_of(a) == head_of(b) && are_same(a.body, b.body);
  }

  bool are_same(const std::vector<nnef::QuantEntry>& a, const std::vector<nnef::QuantEntry>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
      statement_ = x.name;
      return names_.are_same(x.name, y.name) && are_same(x.invocation, y.invocation);
    });
  }

 private:
  static std::string head_of(nnef::Fragment fragment) {
    fragment.body.clear();
    return nnef::print(fragment);
  }

  bool are_same_names(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](const auto& x, const auto& y) { return names_.are_same(x, y); });
  }

  bool are_same(const std::vector<nnef::Assignment>& a, const std::vector<nnef::Assignment>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](const auto& x, const auto& y) {
      const auto names = nnef::assigned_names(x.left);
      statement_ = names.empty() ? "" : std::string(names[0]);
      operation_ = x.right.text;
      return are_same(x.left, y.left) && are_same(x.right, y.right);
    });
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
                                                 : are_same(x.value, y.value);
                      });
  }

  bool are_labels(const Value& call, const Value& a, const Value& b) {
    if (call.text != "variable") return are_same(a, b);
    out_.labels.emplace_back(a.text, b.text);
    return true;
  }

  bool are_same(const Value& a, const Value& b) {
    if (is_number(a) && is_number(b)) {
      if (are_apart(a, b))
        out_.numbers.push_back({statement_, operation_, nnef::print(a), nnef::print(b)});
      return true;
    }
    if (a.kind != b.kind || a.type != b.type) return false;
    if (a.kind == Kind::comprehension || a.kind == Kind::dimension)
      return nnef::print(a) == nnef::print(b);
    const bool are_named_alike =
        a.kind == Kind::identifier ? names_.are_same(a.text, b.text) : a.text == b.text;
    return are_named_alike && a.logical == b.logical && are_all_same(a.items, b.items) &&
           are_same_arguments(a, b);
  }

  SameText& out_;
  Names names_;
  std::string statement_;
  std::string operation_;
};

}  // namespace

std::optional<SameText> same_text(const nnef::Document& a, const nnef::Document& b) {
  if (a.extensions != b.extensions || spec::properties(a) != spec::properties(b)) return {};
  SameText out;
  const bool have_same_fragments =
      std::equal(a.fragments.begin(), a.fragments.end(), b.fragments.begin(), b.fragments.end(),
                 [&](const auto& x, const auto& y) { return TextComparison(out).are_same(x, y); });
  TextComparison comparison(out);
  if (!have_same_fragments || !comparison.are_same(a.graph, b.graph) ||
      !comparison.are_same(a.quant, b.quant))
    return {};
  return out;
}

}  // namespace t2n::diff

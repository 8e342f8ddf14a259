#include "src/dynamic/facts.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "src/diag/error.h"

namespace t2n::dynamic {
namespace {

using ir::Dim;

/// Sizes are not negative: an expression without a minus is neither.
bool has_no_minus(const Dim& dim) { return dim.str().find('-') == std::string::npos; }

/// The least common multiple of the numbers that `dim` divides by.
int64_t period(const Dim& dim) {
  int64_t out = 1;
  dim.rewrite([&](char kind, const Dim& a, const Dim& b) {
    if (kind == '/' && b.is_constant()) out = std::lcm(out, b.value());
    return a;
  });
  return out;
}

/// With every symbol S as period*S + r the divisions come out: all remainders r are tried.
bool is_never_negative(const Dim& dim) {
  if (has_no_minus(dim)) return true;
  constexpr int64_t kMaxCases = 64;
  const int64_t step = period(dim);
  const std::vector<std::string> symbols = dim.symbols();
  int64_t cases = 1;
  for (size_t i = 0; i < symbols.size() && cases <= kMaxCases; ++i) cases *= step;
  if (step == 1 || cases > kMaxCases) return false;
  for (int64_t number = 0; number < cases; ++number) {
    int64_t rest = number;
    std::map<std::string, Dim, std::less<>> split;
    for (const std::string& symbol : symbols) {
      split[symbol] = step * Dim::symbol(symbol) + rest % step;
      rest /= step;
    }
    if (!has_no_minus(dim.substitute([&](std::string_view s) { return split.find(s)->second; })))
      return false;
  }
  return true;
}

bool is_proven(const Dim& a, Relation relation, const Dim& b) {
  switch (relation) {
    case Relation::ge: return is_never_negative(a - b);
    case Relation::gt: return is_never_negative(a - b - 1);
    case Relation::le: return is_never_negative(b - a);
    case Relation::lt: return is_never_negative(b - a - 1);
    case Relation::eq: return a == b;
    case Relation::ne: return (a - b).is_constant() && a != b;
  }
  T2N_ASSERT(false, "no such relation");
}

/// "S + 3" -> 3: the number added at the end.
int64_t constant_part(const Dim& dim) {
  if (dim.is_constant()) return dim.value();
  const std::string text = dim.str();
  const size_t space = text.rfind(' ');
  if (space == std::string::npos || space < 2) return 0;
  const std::string number = text.substr(space + 1);
  if (number.find_first_not_of("0123456789") != std::string::npos) return 0;
  return text[space - 1] == '-' ? -std::stoll(number) : std::stoll(number);
}

}  // namespace

std::optional<bool> Facts::decide(const Dim& a, Relation relation, const Dim& b) {
  const Relation other = negated(relation);
  if (is_proven(a, relation, b)) return true;
  if (is_proven(a, other, b)) return false;
  const Comparison asked{a, relation, b};
  const auto is_true = [&](const Sizes* sizes) { return holds(asked, *sizes); };
  const bool all = std::all_of(trials_.begin(), trials_.end(), is_true);
  if (!all && std::any_of(trials_.begin(), trials_.end(), is_true)) return std::nullopt;
  assume(a, all ? relation : other, b);
  return all;
}

bool Facts::equal(const Dim& a, const Dim& b) {
  if (a == b) return true;
  if ((a - b).is_constant()) return false;
  const Comparison asked{a, Relation::eq, b};
  if (!std::all_of(trials_.begin(), trials_.end(),
                   [&](const Sizes* s) { return holds(asked, *s); }))
    return false;
  assume(a, Relation::eq, b);
  return true;
}

/// Numbers go to the right: "S - 3 >= 2" reads "S >= 5".
void Facts::assume(const Dim& a, Relation relation, const Dim& b) {
  const int64_t shift = constant_part(a);
  Comparison noted{a - shift, relation, b - shift};
  if (noted.left.is_constant()) {
    const int64_t back = constant_part(noted.right);
    noted = {noted.right - back, mirrored(relation), noted.left - back};
  }
  if (noted.relation == Relation::gt) noted = {noted.left, Relation::ge, noted.right + 1};
  if (noted.relation == Relation::lt) noted = {noted.left, Relation::le, noted.right - 1};
  if (std::find(assumed_.begin(), assumed_.end(), noted) == assumed_.end())
    assumed_.push_back(std::move(noted));
}

Dim Facts::smaller(const Dim& a, const Dim& b) {
  const auto first = decide(a, Relation::le, b);
  return !first ? min(a, b) : *first ? a : b;
}

Dim Facts::larger(const Dim& a, const Dim& b) {
  const auto first = decide(a, Relation::ge, b);
  return !first ? max(a, b) : *first ? a : b;
}

Dim Facts::simplified(const Dim& dim) {
  return dim.rewrite([this](char kind, const Dim& a, const Dim& b) {
    if (kind == '/') return floor_div(a, b);
    if (kind == '%') return a - b * floor_div(a, b);
    return kind == '<' ? smaller(a, b) : larger(a, b);
  });
}

std::vector<Comparison> Facts::take_assumed() { return std::exchange(assumed_, {}); }

}  // namespace t2n::dynamic

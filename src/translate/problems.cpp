// SPDX-License-Identifier: Apache-2.0
#include "src/translate/problems.h"

#include <algorithm>
#include <utility>

#include "src/diag/error.h"

namespace t2n::ops {
namespace {

std::string with_count(int count, std::string_view noun) {
  return cat(count, " ", noun, count == 1 ? "" : "s");
}

}  // namespace

std::string written_name(const ir::Node& node) {
  constexpr std::string_view kEnding = "functional";
  std::string name(ir::op_name(node.op));
  if (name.ends_with("_functional")) name.resize(name.size() - kEnding.size());
  return name;
}

void Problems::add(Diagnostic diagnostic, bool is_missing) {
  const auto [found, is_new] =
      index_.try_emplace(cat(diagnostic.message, "\n", diagnostic.why), problems_.size());
  if (is_new) {
    std::string text =
        diagnostic.untranslated.empty() ? diagnostic.message : diagnostic.untranslated;
    problems_.push_back({std::move(diagnostic), std::move(text), is_missing, 0});
  }
  Problem& known = problems_[found->second];
  ++known.count;
  std::vector<Where>& shown = known.first.where;
  if (!is_new && shown.size() < kShownUses)
    for (Where& each : diagnostic.where) shown.push_back(std::move(each));
}

std::string Problems::headline() const {
  std::string subject;
  for (const bool is_operator : {true, false}) {
    int kinds = 0, uses = 0;
    for (const Problem& problem : problems_)
      if ((problem.first.id == "unsupported-op") == is_operator) {
        ++kinds;
        uses += problem.count;
      }
    if (kinds == 0) continue;
    if (!subject.empty()) subject += " and ";
    subject += cat(with_count(kinds, is_operator ? "operator" : "refused argument"), " (",
                   with_count(uses, "use"), ")");
  }
  return cat(subject, problems_.size() == 1 ? " has" : " have", " no translation for ", target_,
             "; nothing was written");
}

std::vector<Use> Problems::uses() const {
  std::vector<const Problem*> sorted;
  for (const Problem& problem : problems_) sorted.push_back(&problem);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Problem* a, const Problem* b) { return a->count > b->count; });
  std::vector<Use> out;
  for (const Problem* problem : sorted)
    out.push_back({problem->text, problem->count, problem->first.where, problem->first.why,
                   problems_.size() > 1 ? problem->first.help : std::string()});
  return out;
}

std::optional<Diagnostic> Problems::as_one() const {
  if (problems_.empty()) return {};
  const Problem& only = problems_[0];
  if (problems_.size() == 1 && !only.is_missing) {
    Diagnostic diagnostic = only.first;
    const int shown = std::max(1, static_cast<int>(diagnostic.where.size()));
    if (only.count > shown)
      diagnostic.details.push_back(cat("and ", only.count - shown, " more of the same"));
    return diagnostic;
  }
  const bool any_missing = std::any_of(problems_.begin(), problems_.end(),
                                       [](const Problem& p) { return p.is_missing; });
  Diagnostic out{.id = any_missing ? "unsupported-op" : only.first.id,
                 .message = headline(),
                 .where = {},
                 .details = {},
                 .why = {},
                 .help = problems_.size() == 1 ? only.first.help : std::string()};
  set_uses(out, uses());
  return out;
}

void Problems::raise_if_any() const {
  if (auto all = as_one()) throw Error(*std::move(all));
}

}  // namespace t2n::ops

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
  ++problems_[found->second].count;
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

std::vector<std::string> Problems::rows() const {
  std::vector<const Problem*> sorted;
  size_t text_width = 0, count_width = 0;
  for (const Problem& problem : problems_) {
    sorted.push_back(&problem);
    text_width = std::max(text_width, problem.text.size());
    count_width = std::max(count_width, std::to_string(problem.count).size());
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Problem* a, const Problem* b) { return a->count > b->count; });
  std::vector<std::string> out;
  for (const Problem* problem : sorted) {
    const std::string count = std::to_string(problem->count);
    const std::string location =
        problem->first.where.empty() ? "" : render_where(problem->first.where[0]);
    std::string row = cat(std::string(count_width - count.size(), ' '), count, "x ", problem->text);
    if (!location.empty())
      row += cat(std::string(text_width - problem->text.size(), ' '), "   first: ", location);
    out.push_back(std::move(row));
    if (!problem->first.why.empty())
      out.push_back(cat(std::string(count_width + 2, ' '), "why: ", problem->first.why));
    if (!problem->first.help.empty() && problems_.size() > 1)
      out.push_back(cat(std::string(count_width + 2, ' '), "help: ", problem->first.help));
  }
  return out;
}

void Problems::raise_if_any() const {
  if (problems_.empty()) return;
  const Problem& only = problems_[0];
  if (problems_.size() == 1 && !only.is_missing) {
    Diagnostic diagnostic = only.first;
    if (only.count > 1)
      diagnostic.details.push_back(cat("and ", only.count - 1, " more of the same"));
    throw Error(std::move(diagnostic));
  }
  const bool any_missing = std::any_of(problems_.begin(), problems_.end(),
                                       [](const Problem& p) { return p.is_missing; });
  throw Error(Diagnostic{.id = any_missing ? "unsupported-op" : only.first.id,
                         .message = headline(),
                         .where = {},
                         .details = rows(),
                         .why = {},
                         .help = problems_.size() == 1 ? only.first.help : std::string()});
}

}  // namespace t2n::ops

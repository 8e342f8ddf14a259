// SPDX-License-Identifier: Apache-2.0
// Runs the model on after refusals, and translates what was recorded.
#include "src/export/all_refusals.h"

#include <algorithm>
#include <ctime>
#include <set>
#include <string>
#include <string_view>

#include "ops/all.h"
#include "src/export/quantised_model.h"
#include "src/export/stages.h"
#include "src/extend/own_fragments.h"
#include "src/limits/watch.h"
#include "src/model/torch_module.h"
#include "src/model_file/allowed.h"
#include "src/passes/passes.h"
#include "src/translate/registry.h"
#include "src/translate/translate.h"

namespace t2n {
namespace {

/// The refusals of the translation.
std::vector<Diagnostic> untranslated(trace::Survey survey, const ExportOptions& options,
                                     bool only_missing) {
  trace::Traced traced;
  traced.graph = std::move(survey.graph);
  try {
    expand_quantised(traced);
    run_standard_passes(traced.graph, options.target, options.passes, {});
  } catch (const Error& error) {
    if (error.code() != ExitCode::unsupported) return {};
    return {error.diagnostic()};
  }
  const ops::Substitutes substitutes{survey.substitutes, survey.guessed, only_missing};
  if (auto found = ops::find_refusals(traced.graph, options.target, ops::registry(), substitutes))
    return {*std::move(found)};
  return {};
}

bool share_location(const Diagnostic& a, const Diagnostic& b) {
  return std::any_of(a.where.begin(), a.where.end(), [&](const Where& where) {
    const std::string text = render_where(where);
    return !text.empty() && std::any_of(b.where.begin(), b.where.end(), [&](const Where& other) {
      return render_where(other) == text;
    });
  });
}

/// What the survey found again of the error that stopped the export. A size that cannot be
/// expressed is a consequence of an operator without a translation, which has no shape rule either.
bool contains(const Diagnostic& found, const Diagnostic& first) {
  const bool is_size_of_missing = first.id == "dynamic-size" && found.id == "unsupported-op";
  if (found.id != first.id && !is_size_of_missing) return false;
  const bool are_located = !found.where.empty() && !first.where.empty();
  return are_located ? share_location(found, first) : found.message == first.message;
}

void limit_locations(Diagnostic& refusal) {
  if (!refusal.uses.empty() || refusal.where.size() <= kShownUses) return;
  refusal.details.push_back(cat("and ", refusal.where.size() - kShownUses, " more of the same"));
  refusal.where.resize(kShownUses);
}

/// Whether one of the refusals is about an operator.
bool names(const std::vector<Diagnostic>& refusals, const std::string& op) {
  const auto contains_name = [&](const std::string& text) {
    const size_t at = text.find(op);
    const size_t end = at == std::string::npos ? at : at + op.size();
    return end != std::string::npos &&
           (end == text.size() || std::string_view(" .:'_").find(text[end]) != std::string::npos);
  };
  return std::any_of(refusals.begin(), refusals.end(), [&](const Diagnostic& each) {
    return contains_name(each.message) ||
           std::any_of(each.uses.begin(), each.uses.end(),
                       [&](const Use& use) { return contains_name(use.what); });
  });
}

/// Operators of code that did not run. Whether a run reaches them is unknown, so this is a warning.
std::optional<Diagnostic> refused_in_code(const trace::ModelCode& code,
                                          const target::Target& target,
                                          const std::vector<Diagnostic>& known) {
  std::vector<Use> uses;
  for (const trace::CodeOperator& called : code.operators)
    if (support_of(called, target) == CodeSupport::no && !names(known, called.name))
      uses.push_back({called.name,
                      called.count,
                      called.first,
                      called.is_known ? "" : "this LibTorch does not know it",
                      {}});
  if (uses.empty()) return {};
  Diagnostic out{.severity = Severity::warning,
                 .id = "unsupported-op",
                 .message = cat("the code that did not run calls ", uses.size(),
                                uses.size() == 1 ? " operator" : " operators",
                                " without a translation for ", target::target_name(target)),
                 .where = {},
                 .details = {},
                 .why = "it is unknown whether a run reaches these calls",
                 .help = {}};
  set_uses(out, std::move(uses));
  return out;
}

/// Whether --timeout leaves time for runs like those so far: it must not end the process before the
/// first refusal is shown.
bool is_time_left() {
  const std::optional<double> left = limits::seconds_left();
  const double used = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  return !left || *left > 3 * used;
}

bool is_on_data(const Diagnostic& refusal) {
  return refusal.id == "data-dependent-branch" || refusal.id == "data-dependent-value";
}

/// "model.py:8" of each branch and loop on data among the refusals.
std::set<std::string> lines_on_data(const std::vector<Diagnostic>& refusals) {
  std::set<std::string> out;
  for (const Diagnostic& each : refusals) {
    if (each.id != "data-dependent-branch") continue;
    for (const Where& where : each.where)
      if (!where.frames.empty()) out.insert(cat(where.frames[0].file, ":", where.frames[0].line));
  }
  return out;
}

/// Branches on data, and numbers read from data, end the first trace. The refusals of sizes after
/// them are those of a trace that fixes both.
void add_refused_sizes(const LoadedModel& loaded, const ExportOptions& options,
                       std::vector<Diagnostic>& refusals) {
  const bool are_on_data = std::any_of(refusals.begin(), refusals.end(), is_on_data);
  if (!are_on_data || !is_time_left()) return;
  ModelOptions fixed = options;
  fixed.accepted_guards.merge(lines_on_data(refusals));
  try {
    trace_with_fixed_numbers(loaded, fixed);
  } catch (const Error& error) {
    if (error.code() != ExitCode::unsupported) return;
    std::vector<Diagnostic> found = {error.diagnostic()};
    found.insert(found.end(), error.others().begin(), error.others().end());
    for (Diagnostic& each : found)
      if (std::none_of(refusals.begin(), refusals.end(), [&](const Diagnostic& known) {
            return share_location(known, each) || contains(known, each);
          }))
        refusals.push_back(std::move(each));
  }
}

struct Found {
  std::vector<Diagnostic> refusals;
  ir::Graph graph;
};

Found find_all(const LoadedModel& loaded, const ExportOptions& options, RefusedBy by) {
  bool met_unbacked_sizes = false;
  trace::Survey fixed = survey_model(loaded, options, false, &met_unbacked_sizes);
  Found out{fixed.refusals, fixed.graph};
  if (met_unbacked_sizes || !options.dynamic.axes.empty()) {
    out.refusals = survey_model(loaded, options, true, &met_unbacked_sizes).refusals;
    add_refused_sizes(loaded, options, out.refusals);
  }
  const bool is_complete = fixed.is_complete;
  if (by == RefusedBy::translation)
    for (Diagnostic& each : untranslated(std::move(fixed), options, met_unbacked_sizes))
      out.refusals.push_back(std::move(each));
  for (Diagnostic& each : out.refusals) limit_locations(each);
  if (is_complete || by == RefusedBy::trace) return out;
  if (const auto code = code_of(options.model))
    if (auto further = refused_in_code(*code, options.target, out.refusals))
      out.refusals.push_back(*std::move(further));
  return out;
}

/// Adds what was known before, and takes out what is thrown: what was found again of `first`.
Error with_first_last(std::vector<Diagnostic> found, const Error& first) {
  Diagnostic last = first.diagnostic();
  const auto same = std::find_if(found.begin(), found.end(),
                                 [&](const Diagnostic& each) { return contains(each, last); });
  if (same != found.end()) {
    last = std::move(*same);
    found.erase(same);
  }
  for (const Diagnostic& each : first.others())
    if (std::none_of(found.begin(), found.end(),
                     [&](const Diagnostic& other) { return contains(other, each); }) &&
        !contains(last, each))
      found.push_back(each);
  // Refusals that a loop too short to compare leads to: unrolled, it fixes its sizes, and no
  // scan computes its numbers.
  if (last.id == "short-loop")
    std::erase_if(found, [](const Diagnostic& each) {
      return each.id == "dynamic-assumption" &&
             (each.message.starts_with("the number ") ||
              each.message.starts_with("the exported model would require "));
    });
  return {std::move(last), std::move(found)};
}

}  // namespace

Refusals all_refusals(const LoadedModel& loaded, const ExportOptions& options, const Error& first,
                      RefusedBy by) {
  const bool is_refused = first.code() == ExitCode::unsupported && loaded.session != nullptr;
  if (!is_refused || !is_time_left()) return {first, {}};
  try {
    Found found = find_all(loaded, options, by);
    return {with_first_last(std::move(found.refusals), first), std::move(found.graph)};
  } catch (const Error&) {
    return {first, {}};  // looking for more is a service: that it failed is no news
  }
}

TracedModel traced_or_refused(const LoadedModel& loaded, const ExportOptions& options, RefusedBy by,
                              const std::function<TracedModel()>& trace) {
  try {
    return trace();
  } catch (const Error& error) {
    throw Error(all_refusals(loaded, options, error, by).error);
  }
}

Error with_code(const Error& error, const std::optional<trace::ModelCode>& code,
                const target::Target& target) {
  if (!code) return error;
  std::vector<Diagnostic> known = error.others();
  known.push_back(error.diagnostic());
  const auto further = refused_in_code(*code, target, known);
  if (!further) return error;
  std::vector<Diagnostic> others = error.others();
  others.push_back(*further);
  return {error.diagnostic(), std::move(others)};
}

LoadedModel loaded_or_refused(const ModelOptions& options, const target::Target& target) {
  try {
    return load_model(options);
  } catch (const Error& error) {
    if (error.code() != ExitCode::unsupported) throw;
    throw with_code(error, code_of(options.model), target);
  }
}

std::optional<trace::ModelCode> code_of(const std::string& model) {
  try {
    return torch_module().read_code(model);
  } catch (const Error&) {
    return {};
  }
}

CodeSupport support_of(const trace::CodeOperator& called, const target::Target& target) {
  const bool is_own = extend::extensions().find(called.name) != nullptr;
  if (!called.is_known || (!is_own && !model_file::is_allowed(called.name))) return CodeSupport::no;
  size_t all = 0, supported = 0;
  for (const ir::OpId op : ops::registry().ops()) {
    const std::string_view name = ir::op_name(op);
    if (name.substr(0, name.find('.')) != called.name) continue;
    ++all;
    supported += ops::registry().variant(op, target) == nullptr ? 0 : 1;
  }
  if (all == 0) return CodeSupport::unknown;
  return supported == all ? CodeSupport::yes
         : supported == 0 ? CodeSupport::no
                          : CodeSupport::depends;
}

}  // namespace t2n

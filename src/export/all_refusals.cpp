// Runs the model on after refusals, and translates what was recorded.
#include "src/export/all_refusals.h"

#include <algorithm>
#include <string_view>

#include "ops/all.h"
#include "src/export/quantised_model.h"
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
    run_passes(traced.graph, options.target, options.passes, {});
  } catch (const Error& error) {
    if (error.code() != ExitCode::unsupported) return {};
    return {error.diagnostic()};
  }
  const ops::Substitutes substitutes{survey.substitutes, survey.guessed, only_missing};
  if (auto found =
          ops::find_refusals(traced.graph, options.target, ops::registry(), substitutes))
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
/// expressed follows from an operator without a translation, since that has no shape rule either.
bool contains(const Diagnostic& found, const Diagnostic& first) {
  const bool is_size_of_missing = first.id == "dynamic-size" && found.id == "unsupported-op";
  if (found.id != first.id && !is_size_of_missing) return false;
  return found.message == first.message || share_location(found, first);
}

void limit_locations(Diagnostic& refusal) {
  if (!refusal.uses.empty() || refusal.where.size() <= kShownUses) return;
  refusal.details.push_back(cat("and ", refusal.where.size() - kShownUses, " more of the same"));
  refusal.where.resize(kShownUses);
}

std::vector<Diagnostic> all_refusals(const LoadedModel& loaded, const ExportOptions& options) {
  bool met_unbacked_sizes = false;
  trace::Survey fixed = survey_model(loaded, options, false, &met_unbacked_sizes);
  std::vector<Diagnostic> out = fixed.refusals;
  const bool keeps_sizes = met_unbacked_sizes || !options.dynamic.axes.empty();
  if (keeps_sizes) out = survey_model(loaded, options, true, &met_unbacked_sizes).refusals;
  for (Diagnostic& each : untranslated(std::move(fixed), options, met_unbacked_sizes))
    out.push_back(std::move(each));
  for (Diagnostic& each : out) limit_locations(each);
  return out;
}

}  // namespace

Error with_all_refusals(const LoadedModel& loaded, const ExportOptions& options,
                        const Error& first) {
  if (first.code() != ExitCode::unsupported) return first;
  std::vector<Diagnostic> found;
  try {
    found = all_refusals(loaded, options);
  } catch (const Error&) {
    return first;  // the survey is a service: its own failure is no news
  }
  const auto same = std::find_if(found.begin(), found.end(), [&](const Diagnostic& each) {
    return contains(each, first.diagnostic());
  });
  if (same == found.end()) return {first.diagnostic(), std::move(found)};
  Diagnostic last = std::move(*same);
  found.erase(same);
  return {std::move(last), std::move(found)};
}

}  // namespace t2n

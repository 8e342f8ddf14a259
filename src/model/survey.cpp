// SPDX-License-Identifier: Apache-2.0
#include "src/model/survey.h"

#include <algorithm>
#include <utility>

namespace t2n::trace {
namespace {

/// Refusals that the same remedy removes: of one branch, or of all uses of one number.
bool have_one_cause(const Diagnostic& a, const Diagnostic& b) {
  return a.id == b.id && a.help == b.help && a.why == b.why &&
         (!a.why.empty() || a.message == b.message);
}

}  // namespace

void add_refusal(std::vector<Diagnostic>& refusals, Diagnostic refusal) {
  const auto known = std::find_if(refusals.begin(), refusals.end(), [&](const Diagnostic& each) {
    return have_one_cause(each, refusal);
  });
  if (known == refusals.end()) return refusals.push_back(std::move(refusal));
  for (Where& where : refusal.where) {
    const auto is_same = [text = render_where(where)](const Where& each) {
      return render_where(each) == text;
    };
    if (std::none_of(known->where.begin(), known->where.end(), is_same))
      known->where.push_back(std::move(where));
  }
}

}  // namespace t2n::trace

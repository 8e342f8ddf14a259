// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/record/layouts.h"

#include "src/diag/error.h"

namespace t2n::trace {

/// The entry that this one is a view of, or a copy that is a view at other sizes; -1 if there is
/// none.
int Layouts::base_of(int entry) const {
  if (const int parent = aliases_[entry].parent; parent >= 0) return parent;
  const auto copied = base_of_copy_.find(entry);
  return copied == base_of_copy_.end() ? -1 : copied->second;
}

int Layouts::root_base(int entry) const {
  for (int next = base_of(entry); next >= 0; next = base_of(entry)) entry = next;
  return entry;
}

bool Layouts::is_under(int entry, int result) const {
  while (entry >= 0 && entry != result) entry = base_of(entry);
  return entry >= 0;
}

void Layouts::add(int base, int result, std::vector<ir::Comparison> conditions, bool by_values) {
  if (base < 0 || result < 0 || base == result || (conditions.empty() && !by_values)) return;
  if (aliases_[result].parent < 0) base_of_copy_[result] = base;
  links_[root_base(base)].push_back({result, std::move(conditions), by_values});
}

void Layouts::note_change_of_shape(int entry) const {
  if (!identities_.contains(entry)) return;
  throw Error("unsupported-inplace",
              "the shape of a tensor is changed in place, and contiguous() may have returned it "
              "unchanged",
              "whether another tensor changes as well depends on a size",
              "call the method without the underscore, and use its result");
}

void Layouts::note_write(int entry) {
  if (links_.empty()) return;
  const auto found = links_.find(root_base(entry));
  if (found == links_.end()) return;
  for (Link& link : found->second)
    (is_under(entry, link.result) ? link.written_inside : link.written_outside) = true;
}

std::vector<ir::Comparison> Layouts::around(int entry) const {
  std::vector<ir::Comparison> out;
  const auto found = entry < 0 ? links_.end() : links_.find(root_base(entry));
  if (found == links_.end()) return out;
  for (const Link& link : found->second)
    out.insert(out.end(), link.conditions.begin(), link.conditions.end());
  return out;
}

std::vector<ir::Comparison> Layouts::note_read(int entry) {
  std::vector<ir::Comparison> out;
  if (links_.empty()) return out;
  const auto found = links_.find(root_base(entry));
  if (found == links_.end()) return out;
  for (Link& link : found->second) {
    if (!link.written_inside && !link.written_outside) continue;
    const bool is_inside = is_under(entry, link.result);
    if (is_inside ? !link.written_outside : !link.written_inside) continue;
    if (link.by_values)
      throw Error("unsupported-inplace",
                  "a tensor is read after another that may share its memory was written",
                  "whether reshape() or contiguous() copies depends on a data-dependent size",
                  "clone() it before the write");
    out.insert(out.end(), link.conditions.begin(), link.conditions.end());
    link.conditions.clear();
  }
  return out;
}

}  // namespace t2n::trace

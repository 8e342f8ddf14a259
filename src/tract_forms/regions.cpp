// SPDX-License-Identifier: Apache-2.0
#include "src/tract_forms/regions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace t2n::tract_forms {
namespace {

using MaybeOutside = std::optional<Outside>;

/// A constant of one element as a region, if it is an integer.
MaybeOutside outside_constant(const TractDraft& draft, Ref x) {
  const TensorEntry& entry = draft.at(x);
  if (!draft.is_constant(x) || entry.parts.size() != 1 || ir::is_float(entry.dtype)) return {};
  const ir::Tensor stored = draft::without_broadcast_axes(entry.parts[0]);
  if (stored.elements() != 1) return {};
  return Outside{1 - ir::to_f64(stored)[0]};
}

bool is_product(std::string_view op) { return op == "mul" || op == "div" || op == "and"; }

/// The operand that a constant multiplies, with that constant.
std::optional<std::pair<Ref, Outside>> multiplied(const TractDraft& draft, std::string_view op,
                                                  const Refs& operands) {
  if (!is_product(op) || operands.size() != 2) return {};
  for (const size_t i : {size_t{0}, size_t{1}})
    if (const MaybeOutside factor = outside_constant(draft, operands[i]))
      return std::pair(operands[1 - i], *factor);
  return {};
}

/// Regions that differ from those in the draft, while a use is added.
class Update {
 public:
  Update(const TractDraft& draft, double largest) : draft_(draft), largest_(largest) {}

  /// Adds a use of `x`. False if a region becomes too large.
  bool add(Ref x, const Outside& factor) {
    if (factor.number == 0) return true;  // tract ignores a region of 1
    changed_[x.id] = joined(outside(x.id), factor);
    // Operands were made before results: every tensor is visited once, after all of its uses.
    for (auto each = changed_.begin(); each != changed_.end(); ++each) {
      if (each->second && each->second->is_union && std::abs(each->second->number) > largest_)
        return false;
      const auto& regions = draft_.facts({each->first}).regions;
      if (!regions || each->second == regions->outside) continue;
      for (const Ref operand : regions->operands) changed_[operand.id] = union_of_uses(operand);
    }
    return true;
  }

  const std::map<int, MaybeOutside, std::greater<>>& changed() const { return changed_; }

 private:
  MaybeOutside outside(int id) const {
    const auto found = changed_.find(id);
    if (found != changed_.end()) return found->second;
    const auto& regions = draft_.facts({id}).regions;
    return regions ? regions->outside : MaybeOutside();
  }

  static MaybeOutside joined(const MaybeOutside& a, const MaybeOutside& b) {
    return a && b ? outside_union(*a, *b) : a ? a : b;
  }

  MaybeOutside union_of_uses(Ref x) const {
    MaybeOutside out;
    for (const Regions::Use& use : draft_.facts(x).regions->uses) {
      const MaybeOutside each = use.factor ? use.factor : outside(use.result);
      if (each && each->number != 0) out = joined(out, each);
    }
    return out;
  }

  const TractDraft& draft_;
  double largest_;
  std::map<int, MaybeOutside, std::greater<>> changed_;
};

Regions& regions_of(TractDraft& draft, Ref x) {
  auto& regions = draft.facts(x).regions;
  return regions ? *regions : regions.emplace();
}

}  // namespace

Outside outside_union(const Outside& a, const Outside& b) {
  if (a == b && !a.is_union) return a;
  return {a.number * b.number, true};
}

bool hands_regions_on(std::string_view op) {
  return moves_entries(op) || op == "tract_core_einsum" || op == "matmul";
}

bool moves_entries(std::string_view op) {
  constexpr std::string_view kMoves[] = {
      "reshape", "transpose", "squeeze",         "unsqueeze",
      "slice",   "pad",       "tract_core_cast", "tract_core_broadcast"};
  return std::find(std::begin(kMoves), std::end(kMoves), op) != std::end(kMoves);
}

bool has_one_element(const Shape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](const Dim& size) { return size == Dim(1); });
}

Barriers region_barriers(const TractDraft& draft, std::string_view op, const Refs& operands) {
  if (!draft.has(target::Feature::open_sizes)) return {};
  const auto factor = multiplied(draft, op, operands);
  if (!factor) return {};
  const bool can_be_gathered = !has_one_element(draft.at(factor->first).shape);
  const double largest = can_be_gathered ? kLargestRegion : kLargestLoaded;
  if (Update(draft, largest).add(factor->first, factor->second)) return {};
  const size_t operand = operands[0].id == factor->first.id ? 0 : 1;
  return {{operand, Cause::integer_factors}};
}

void note_regions(TractDraft& draft, std::string_view op, const Refs& operands, Ref result) {
  Regions& noted = regions_of(draft, result);
  if (noted.is_noted) return;  // an equal call, which is written once
  noted.is_noted = true;
  if (const auto factor = multiplied(draft, op, operands)) {
    Update update(draft, HUGE_VAL);
    update.add(factor->first, factor->second);
    for (const auto& [id, outside] : update.changed()) regions_of(draft, {id}).outside = outside;
    regions_of(draft, factor->first).uses.push_back({result.id, factor->second});
    return;
  }
  for (const Ref operand : operands) {
    if (draft.is_constant(operand)) continue;
    regions_of(draft, operand).uses.push_back({result.id, {}});
    regions_of(draft, result).operands.push_back(operand);
  }
}

}  // namespace t2n::tract_forms

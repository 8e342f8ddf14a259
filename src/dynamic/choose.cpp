// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/choose.h"

#include <algorithm>

namespace t2n::dynamic {
namespace {

constexpr size_t kCandidates = 24;

bool is_prime(int64_t n) {
  if (n < 2) return false;
  for (int64_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return true;
}

/// A prime times the multiple shares no factor with other sizes by chance.
bool is_distinctive(int64_t size, int64_t multiple) {
  return size % multiple == 0 && is_prime(size / multiple);
}

}  // namespace

Chooser::Chooser(Sizes sample, std::vector<Comparison> relations, std::set<int64_t> extents)
    : sample_(std::move(sample)), relations_(std::move(relations)), extents_(std::move(extents)) {}

Bounds Chooser::bounds(const Symbol& symbol) const {
  const auto found = bounds_.find(symbol);
  return found == bounds_.end() ? Bounds{} : found->second;
}

/// Best first: distinctive sizes near the sample in the requested direction, then in the other one,
/// then any. `may_equal`: sizes that equal other extents are allowed.
std::vector<int64_t> Chooser::candidates(const Symbol& symbol, bool upwards, bool may_equal) const {
  const Bounds bounds = this->bounds(symbol);
  const int64_t sample = sample_.at(symbol);
  const auto fits = [&](int64_t size) {
    Sizes alone = {{symbol, size}};
    return size >= 1 && size < bounds.below && size % bounds.multiple == 0 &&
           (may_equal || !extents_.contains(size)) && !chosen_.contains(size) && size != sample &&
           all_hold(relations_, alone);
  };
  // Images are halved five times or cut into patches: closer sizes could give the same result.
  constexpr int64_t kLarge = 64, kDistance = 33;
  const int64_t distance = sample >= kLarge ? kDistance : 1;
  const int64_t reach = std::max<int64_t>(sample, 32) * 2 + 40 * bounds.multiple;
  std::vector<int64_t> above;
  std::vector<int64_t> below;
  std::vector<int64_t> plain;
  for (int64_t size = sample + distance; size < sample + reach && above.size() < kCandidates;
       ++size)
    if (fits(size)) (is_distinctive(size, bounds.multiple) ? above : plain).push_back(size);
  for (int64_t size = sample - distance; size > 2 && below.size() < kCandidates; --size)
    if (fits(size)) (is_distinctive(size, bounds.multiple) ? below : plain).push_back(size);
  for (int64_t size : {2, 1})
    if (size < sample && fits(size)) plain.push_back(size);
  std::vector<int64_t>& first = upwards ? above : below;
  std::vector<int64_t>& second = upwards ? below : above;
  first.insert(first.end(), second.begin(), second.end());
  first.insert(first.end(), plain.begin(), plain.end());
  first.resize(std::min(first.size(), 2 * kCandidates));
  return first;
}

/// True if "P >= 0" is asserted: empty axes are tried only on request.
bool Chooser::may_be_empty(const Symbol& symbol) const {
  return std::any_of(relations_.begin(), relations_.end(), [&](const Comparison& relation) {
    return relation == Comparison{ir::Dim::symbol(symbol), Relation::ge, 0};
  });
}

bool Chooser::assign(const Candidates& all, size_t at, Sizes& sizes) const {
  if (at == all.size()) return true;
  const auto& [symbol, values] = all[at];
  for (const int64_t value : values) {
    const bool is_free =
        std::none_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(at),
                     [&](const auto& other) { return sizes.at(other.first) == value; });
    if (!is_free) continue;
    sizes[symbol] = value;
    if (all_hold(relations_, sizes) && assign(all, at + 1, sizes)) return true;
  }
  sizes.erase(symbol);
  return false;
}

bool Chooser::allows(const Sizes& sizes) const {
  return all_hold(relations_, sizes) && std::ranges::all_of(sizes, [&](const auto& each) {
           const Bounds limits = bounds(each.first);
           return each.second % limits.multiple == 0 && each.second < limits.below;
         });
}

std::optional<Sizes> Chooser::next(const std::set<Symbol>& vary, bool upwards) {
  for (const bool may_equal : {false, true}) {
    Sizes sizes;
    Candidates all;
    for (const auto& [symbol, size] : sample_) {
      if (vary.contains(symbol))
        all.emplace_back(symbol, candidates(symbol, upwards, may_equal));
      else
        sizes[symbol] = size;
    }
    if (!assign(all, 0, sizes)) continue;
    for (const Symbol& symbol : vary) chosen_.insert(sizes.at(symbol));
    return sizes;
  }
  return {};
}

std::optional<Sizes> Chooser::smallest() const {
  Sizes sizes;
  Candidates all;
  for (const auto& [symbol, sample] : sample_) {
    std::vector<int64_t> values;
    const int64_t step = bounds(symbol).multiple;
    for (int64_t size = may_be_empty(symbol) ? 0 : step;
         size < sample && values.size() < 2 * kCandidates; size += step)
      values.push_back(size);
    values.push_back(sample);
    all.emplace_back(symbol, std::move(values));
  }
  // Symbols may have equal sizes here: 1 is tried for all.
  const auto search = [&](auto&& self, size_t at) -> bool {
    if (at == all.size()) return true;
    for (const int64_t value : all[at].second) {
      sizes[all[at].first] = value;
      if (all_hold(relations_, sizes) && self(self, at + 1)) return true;
    }
    sizes.erase(all[at].first);
    return false;
  };
  if (!search(search, 0)) return {};
  return sizes;
}

}  // namespace t2n::dynamic

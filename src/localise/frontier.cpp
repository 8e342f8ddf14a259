// SPDX-License-Identifier: Apache-2.0
// Two passes over the artefact's data flow: a coarse one, and one at the level of its rounding.
#include "src/localise/frontier.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace t2n::localise {
namespace {

enum class Status { right, wrong, unknown };

/// A difference that any engine's rounding stays below, relative.
constexpr double kCoarse = 3e-4;
/// The same where most tensors are equal bit for bit, and where engines round differently.
constexpr double kFineIfExact = 1e-6;
constexpr double kFine = 3e-5;

class Search {
 public:
  explicit Search(const Compared& compared)
      : compared_(compared), flow_(compared.flow), reference_(compared.reference) {
    for (size_t f = 0; f < reference_.flows.size(); ++f)
      for (size_t i = 0; i < reference_.flows[f]->tensors.size(); ++i)
        if (const auto& digest = reference_.flows[f]->tensors[i].digest)
          by_count_[digest->elements].push_back({f, i});
    find_equal();
    note_results();
  }

  Frontier run() {
    Frontier out;
    double output = 0;
    for (const auto& [tensor, off] : results_) output = std::max(output, off);
    out.noise = std::min(kCoarse, output / 3);
    if (!compared_.differs || output <= 0) return finished(std::move(out));
    out.suspects = suspects_at(out.noise);
    const double fine = fine_level(out.suspects);
    if (fine < out.noise) {
      const std::vector<bool> coarse = wrong_;
      std::vector<Suspect> finer = suspects_at(fine);
      if (!finer.empty()) {
        out.suspects = std::move(finer);
        out.noise = fine;
      } else {
        wrong_ = coarse;
      }
    }
    return finished(std::move(out));
  }

 private:
  Frontier finished(Frontier out) const {
    for (size_t i = 0; i < flow_.tensors.size(); ++i) out.nearest.push_back(nearest_[i]);
    out.wrong = wrong_;
    out.wrong.resize(flow_.tensors.size());
    for (size_t i = 0; i < flow_.tensors.size(); ++i) {
      out.counterparts.emplace_back();
      if (certain_[i])
        out.counterparts[i] = compared_.pairs[i];
      else if (!equal_[i].empty())
        out.counterparts[i] = equal_[i][0].second;
    }
    return out;
  }

  const FlowTensor& at(RefTensor ref) const {
    return reference_.flows[ref.flow]->tensors[ref.tensor];
  }
  const FlowTensor& at(size_t tensor) const { return flow_.tensors[tensor]; }

  /// Whether the pair computes the same from operands that are pairs, too.
  bool is_certain(size_t tensor) const {
    const auto& pair = compared_.pairs[tensor];
    if (!pair) return false;
    const FlowTensor& other = at(*pair);
    if (other.operands.size() != at(tensor).operands.size() ||
        other.operation != at(tensor).operation)
      return false;
    for (size_t i = 0; i < other.operands.size(); ++i)
      if (compared_.pairs[at(tensor).operands[i]] != RefTensor{pair->flow, other.operands[i]})
        return false;
    return true;
  }

  /// Fills in `certain_`. A file of another structure may only look like an export in parts.
  void find_certain() {
    certain_.resize(flow_.tensors.size());
    const std::vector<size_t> computed = flow_.computed();
    size_t count = 0;
    for (const size_t i : computed) count += (certain_[i] = is_certain(i)) ? 1 : 0;
    constexpr double kMost = 0.7;
    if (static_cast<double>(count) < kMost * static_cast<double>(computed.size()))
      certain_.assign(certain_.size(), false);
  }

  /// Fills in `nearest_`, `equal_` and `varies_`.
  void find_equal() {
    find_certain();
    const size_t count = flow_.tensors.size();
    nearest_.resize(count);
    equal_.resize(count);
    varies_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      const FlowTensor& tensor = at(i);
      varies_[i] = tensor.is_input || std::any_of(tensor.operands.begin(), tensor.operands.end(),
                                                  [&](size_t each) { return varies_[each]; });
      if (!tensor.digest) continue;
      const auto& pair = compared_.pairs[i];
      if (pair && at(*pair).digest) {
        nearest_[i] = distance(*tensor.digest, *at(*pair).digest);
        if (*nearest_[i] <= kCoarse) equal_[i].emplace_back(*nearest_[i], *pair);
      }
      if (certain_[i] && nearest_[i]) continue;
      for (const RefTensor& ref : by_count_[tensor.digest->elements]) add_equal(i, ref);
      std::stable_sort(equal_[i].begin(), equal_[i].end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      constexpr size_t kMost = 8;
      if (equal_[i].size() > kMost) equal_[i].resize(kMost);
    }
  }

  void add_equal(size_t tensor, RefTensor ref) {
    const auto off = distance_within(*at(tensor).digest, *at(ref).digest, kCoarse);
    if (!off) return;
    nearest_[tensor] = std::min(nearest_[tensor].value_or(*off), *off);
    equal_[tensor].emplace_back(*off, ref);
  }

  /// Results correspond by their position.
  void note_results() {
    for (size_t i = 0; i < compared_.results.size(); ++i) {
      const size_t tensor = flow_.results.at(compared_.results[i]);
      if (!at(tensor).digest) continue;
      std::optional<double> off;
      for (const Flow* flow : reference_.flows) {
        if (i >= flow->results.size()) continue;
        const auto& digest = flow->tensors[flow->results[i]].digest;
        if (digest)
          off = std::min(off.value_or(std::numeric_limits<double>::infinity()),
                         distance(*at(tensor).digest, *digest));
      }
      if (off) results_[tensor] = std::max(results_[tensor], *off);
    }
  }

  Status status_of(size_t i, double noise) const {
    const FlowTensor& tensor = at(i);
    if (tensor.is_input || tensor.is_weight) return Status::right;
    if (const auto result = results_.find(i); result != results_.end() && result->second > noise)
      return Status::wrong;
    if (!tensor.digest) return Status::unknown;
    const bool is_near = nearest_[i] && *nearest_[i] <= noise;
    if (certain_[i]) return is_near ? Status::right : Status::wrong;
    if (!varies_[i] || (tensor.digest->is_uniform && is_near)) return Status::unknown;
    // Another layout of a right tensor is no difference.
    if (!is_near && is_moved(flow_, i)) return Status::unknown;
    return is_near ? Status::right : Status::wrong;
  }

  /// Whether an operation only reorders elements.
  static bool is_moved(const Flow& flow, size_t i) {
    const FlowTensor& tensor = flow.tensors[i];
    return std::any_of(tensor.operands.begin(), tensor.operands.end(), [&](size_t operand) {
      const auto& digest = flow.tensors[operand].digest;
      return digest && tensor.digest && digest->elements == tensor.digest->elements &&
             digest->multiset == tensor.digest->multiset;
    });
  }

  /// Sets `right_`: unknown tensors are right if their operands are.
  void judge(double noise) {
    const size_t count = flow_.tensors.size();
    wrong_.assign(count, false);
    right_.assign(count, false);
    for (size_t i = 0; i < count; ++i) {
      const Status status = status_of(i, noise);
      right_[i] = status == Status::right || (status == Status::unknown && has_right_operands(i));
    }
  }

  bool has_right_operands(size_t i) const {
    const std::vector<size_t>& operands = at(i).operands;
    return std::all_of(operands.begin(), operands.end(), [&](size_t each) { return right_[each]; });
  }

  std::vector<Suspect> suspects_at(double noise) {
    judge(noise);
    std::vector<bool> reached(flow_.tensors.size(), false);
    for (const auto& [tensor, off] : results_)
      if (off > noise) reached[tensor] = true;
    std::vector<size_t> found;
    for (size_t i = reached.size(); i-- > 0;) {
      wrong_[i] = reached[i] && !right_[i];
      if (!wrong_[i]) continue;
      if (has_right_operands(i)) found.push_back(i);
      for (const size_t operand : at(i).operands) reached[operand] = true;
    }
    std::sort(found.begin(), found.end(), [&](size_t a, size_t b) {
      return std::pair(at(a).depth, a) < std::pair(at(b).depth, b);
    });
    find_missing(noise);
    std::vector<Suspect> out;
    for (const size_t i : found) out.push_back(suspect_of(i, noise));
    return out;
  }

  /// The level of rounding, from the tensors before a suspect.
  double fine_level(const std::vector<Suspect>& suspects) const {
    std::vector<bool> before(flow_.tensors.size(), false);
    for (const Suspect& suspect : suspects) before[suspect.tensor] = true;
    std::vector<double> distances;
    for (size_t i = before.size(); i-- > 0;) {
      if (!before[i]) continue;
      for (const size_t operand : at(i).operands) before[operand] = true;
      if (varies_[i] && right_[i] && nearest_[i] && !at(i).is_input)
        distances.push_back(*nearest_[i]);
    }
    if (distances.empty()) return kFine;
    const auto quarter = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 4);
    std::nth_element(distances.begin(), quarter, distances.end());
    constexpr double kTimes = 100;
    return *quarter == 0 ? kFineIfExact : std::max(kFine, kTimes * *quarter);
  }

  /// Fills in `lacking_` and `missing_`.
  void find_missing(double noise) {
    std::set<RefTensor> present;
    for (size_t i = 0; i < flow_.tensors.size(); ++i)
      for (const auto& [off, ref] : equal_[i])
        if (off <= noise) present.insert(ref);
    missing_.clear();
    lacking_.clear();
    for (size_t f = 0; f < reference_.flows.size(); ++f) {
      const Flow& flow = *reference_.flows[f];
      std::vector<bool> right(flow.tensors.size(), false);
      for (size_t i = 0; i < flow.tensors.size(); ++i) {
        const FlowTensor& tensor = flow.tensors[i];
        const bool is_known = tensor.digest && !tensor.digest->is_uniform && !is_moved(flow, i);
        const bool follows = std::all_of(tensor.operands.begin(), tensor.operands.end(),
                                         [&](size_t operand) { return right[operand]; });
        right[i] = tensor.is_input || tensor.is_weight || present.contains({f, i}) ||
                   (!is_known && follows);
        if (!right[i]) lacking_.insert({f, i});
        if (!right[i] && follows && !tensor.operands.empty()) missing_.push_back({f, i});
      }
    }
  }

  /// The model's tensors that an artefact's tensor is made of.
  std::set<RefTensor> sources_of(size_t tensor, double noise) const {
    std::set<RefTensor> out;
    std::set<size_t> seen;
    std::vector<size_t> open = at(tensor).operands;
    while (!open.empty()) {
      const size_t i = open.back();
      open.pop_back();
      if (!seen.insert(i).second) continue;
      const size_t before = out.size();
      for (const auto& [off, ref] : equal_[i])
        if (off <= noise) out.insert(ref);
      add_inputs(i, out);
      if (out.size() == before)
        open.insert(open.end(), at(i).operands.begin(), at(i).operands.end());
    }
    return out;
  }

  void add_inputs(size_t tensor, std::set<RefTensor>& out) const {
    for (size_t i = 0; i < flow_.inputs.size() && i < compared_.inputs.size(); ++i)
      for (size_t f = 0; f < reference_.flows.size() && flow_.inputs[i] == tensor; ++f)
        if (compared_.inputs[i] < reference_.flows[f]->inputs.size())
          out.insert({f, reference_.flows[f]->inputs[compared_.inputs[i]]});
  }

  /// Whether a reference's tensor is made of one of these, directly or by moving elements.
  bool depends_on(RefTensor ref, const std::set<RefTensor>& those) const {
    std::set<size_t> seen;
    std::vector<size_t> open = at(ref).operands;
    while (!open.empty()) {
      const size_t i = open.back();
      open.pop_back();
      if (!seen.insert(i).second) continue;
      if (those.contains({ref.flow, i})) return true;
      const FlowTensor& tensor = at(RefTensor{ref.flow, i});
      const bool is_known =
          tensor.digest && !tensor.digest->is_uniform && !is_moved(*reference_.flows[ref.flow], i);
      if (!is_known) open.insert(open.end(), tensor.operands.begin(), tensor.operands.end());
    }
    return false;
  }

  Suspect suspect_of(size_t tensor, double noise) const {
    Suspect out{.tensor = tensor};
    if (certain_[tensor]) {
      out.counterpart = out.equivalent = compared_.pairs[tensor];
      return out;
    }
    const std::set<RefTensor> those = sources_of(tensor, noise);
    for (const RefTensor& ref : those)
      if (!out.before || at(ref).depth > at(*out.before).depth) out.before = ref;
    const auto rank = [&](RefTensor ref) {
      const auto& digest = at(ref).digest;
      const bool is_as_large =
          digest && at(tensor).digest && digest->elements == at(tensor).digest->elements;
      return std::tuple(ref.flow, at(ref).depth, is_as_large ? 0 : 1, ref.tensor);
    };
    for (const RefTensor& ref : missing_)
      if (depends_on(ref, those) && (!out.counterpart || rank(ref) < rank(*out.counterpart)))
        out.counterpart = ref;
    if (out.counterpart) out.equivalent = as_large(*out.counterpart, tensor);
    return out;
  }

  /// The first of the model's tensors that the artefact lacks, from `ref` on, with as many elements
  /// as the tensor.
  std::optional<RefTensor> as_large(RefTensor ref, size_t tensor) const {
    const Flow& flow = *reference_.flows[ref.flow];
    std::set<size_t> after = {ref.tensor};
    for (size_t i = ref.tensor; i < flow.tensors.size(); ++i) {
      const FlowTensor& other = flow.tensors[i];
      const bool follows =
          after.contains(i) || std::any_of(other.operands.begin(), other.operands.end(),
                                           [&](size_t each) { return after.contains(each); });
      if (!follows || !lacking_.contains({ref.flow, i})) continue;
      if (other.digest && at(tensor).digest &&
          other.digest->elements == at(tensor).digest->elements)
        return RefTensor{ref.flow, i};
      after.insert(i);
    }
    return {};
  }

  const Compared& compared_;
  const Flow& flow_;
  const Reference& reference_;
  std::map<int64_t, std::vector<RefTensor>> by_count_;
  std::vector<std::optional<double>> nearest_;
  std::vector<std::vector<std::pair<double, RefTensor>>> equal_;
  std::vector<bool> varies_;   ///< depends on an input
  std::vector<bool> certain_;  ///< only the pair corresponds
  std::map<size_t, double> results_;
  std::vector<bool> right_;
  std::vector<bool> wrong_;
  std::set<RefTensor> lacking_;     ///< the references' tensors that the artefact does not compute
  std::vector<RefTensor> missing_;  ///< those whose operands it does compute
};

}  // namespace

Frontier find_frontier(const Compared& compared) { return Search(compared).run(); }

}  // namespace t2n::localise

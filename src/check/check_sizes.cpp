// SPDX-License-Identifier: Apache-2.0
#include "src/check/check_sizes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "src/diag/error.h"

namespace t2n {
namespace {

using dynamic::Sizes;

/// The smallest allowed size of one axis below the sample's.
std::optional<Sizes> smallest_size(const Sizes& sample, const ir::Symbol& symbol,
                                   const SizeHints& hints) {
  constexpr int64_t kTries = 64;
  Sizes at = sample;
  const int64_t most = std::min(sample.at(symbol) - 1, kTries);
  for (int64_t size = 1; size <= most; ++size) {
    at[symbol] = size;
    if (hints.is_allowed(at)) return at;
  }
  return {};
}

/// One more than the largest affordable constant length, or the largest allowed size below it.
std::optional<Sizes> size_beyond_constants(const Sizes& sample, const ir::Symbol& symbol,
                                           const SizeHints& hints) {
  constexpr int64_t kTries = 64;
  Sizes at = sample;
  for (auto length = hints.lengths.rbegin(); length != hints.lengths.rend(); ++length) {
    if (*length < sample.at(symbol)) return {};
    at[symbol] = *length + 1;
    if (hints.cost(at) > hints.budget) continue;
    for (int64_t k = 0; k < kTries && at[symbol] > sample.at(symbol); ++k, --at[symbol])
      if (hints.is_allowed(at)) return at;
  }
  return {};
}

/// Whether the first axis is longer than the second in some run.
bool has_order(const std::vector<Sizes>& run, const ir::Symbol& longer, const ir::Symbol& shorter) {
  return std::any_of(run.begin(), run.end(),
                     [&](const Sizes& sizes) { return sizes.at(longer) > sizes.at(shorter); });
}

/// The last sizes that all differ, in reverse order: the longest axis gets the shortest size.
std::optional<Sizes> reversed(const std::vector<Sizes>& run) {
  for (auto sizes = run.rbegin(); sizes != run.rend(); ++sizes) {
    std::map<int64_t, ir::Symbol> by_size;
    for (const auto& [symbol, size] : *sizes) by_size.emplace(size, symbol);
    if (by_size.size() < 2 || by_size.size() != sizes->size()) continue;
    Sizes out;
    auto largest = by_size.rbegin();
    for (const auto& [size, symbol] : by_size) out[symbol] = (largest++)->first;
    return out;
  }
  return {};
}

/// For each order of two axes that did not occur, sizes with these two exchanged.
std::vector<Sizes> with_missing_orders(const std::vector<Sizes>& run) {
  std::vector<Sizes> out;
  for (const auto& [a, size_a] : run.front())
    for (const auto& [b, size_b] : run.front()) {
      if (a == b || has_order(run, a, b) || has_order(out, a, b)) continue;
      for (const Sizes& sizes : run) {
        if (sizes.at(a) == sizes.at(b)) continue;
        Sizes exchanged = sizes;
        std::swap(exchanged[a], exchanged[b]);
        out.push_back(std::move(exchanged));
        break;
      }
    }
  return out;
}

}  // namespace

std::set<int64_t> constant_lengths(const ir::Graph& graph) {
  std::set<int64_t> out;
  const auto add = [&](const ir::Dim& dim) {
    if (dim.is_constant() && dim.value() > 1) out.insert(dim.value());
  };
  for (const ir::Constant& constant : graph.constants)
    for (const int64_t size : constant.data.shape) add(ir::Dim(size));
  for (const ir::Node& node : graph.nodes) {
    if (node.body) out.merge(constant_lengths(*node.body));
    for (const ir::Argument& argument : node.args) {
      if (const auto* one = std::get_if<ir::Dim>(&argument.value)) add(*one);
      if (const auto* many = std::get_if<std::vector<ir::Dim>>(&argument.value))
        std::for_each(many->begin(), many->end(), add);
    }
  }
  return out;
}

double elements_at(const ir::Graph& graph, const Sizes& sizes) {
  double out = 0;
  for (const ir::Value& value : graph.values) {
    double count = 1;
    for (const ir::Dim& dim : value.shape) try {
        const ir::Dim size = dim.substitute(sizes);
        if (size.is_constant()) count *= static_cast<double>(size.value());
      } catch (const Error&) {  // exceeds 64 bits
        return HUGE_VAL;
      }
    out += count;
  }
  return out;
}

std::vector<Sizes> sizes_to_check(dynamic::Chooser chooser, const RunsAt& runs) {
  constexpr size_t kFurther = 2;
  constexpr int kTries = 6;
  std::vector<Sizes> out;
  const auto add = [&](const Sizes& sizes) {
    const bool is_known = std::find(out.begin(), out.end(), sizes) != out.end();
    if (!is_known && sizes != chooser.sample() && runs(sizes)) out.push_back(sizes);
  };
  for (const Sizes& sizes : chooser.required()) add(sizes);
  const size_t count = kFurther + out.size();
  if (const auto smallest = chooser.smallest()) add(*smallest);
  for (int i = 0; i < kTries && out.size() < count; ++i) {
    const auto sizes = chooser.next(ir::symbols_of(chooser.sample()), i % 2 == 0);
    if (!sizes) break;
    add(*sizes);
  }
  return out;
}

void add_special_sizes(std::vector<Sizes> run, const SizeHints& hints, const RunsAt& runs) {
  const Sizes sample = run.front();
  const auto add = [&](const Sizes& sizes) {
    if (std::find(run.begin(), run.end(), sizes) == run.end() && runs(sizes)) run.push_back(sizes);
  };
  if (!with_missing_orders(run).empty())
    if (const auto other = reversed(run); other && hints.is_allowed(*other)) add(*other);
  // Each costs a set of its own: models have few dynamic axes.
  constexpr size_t kMost = 4;
  size_t count = 0;
  for (const auto& [symbol, size] : sample) {
    if (count++ >= kMost) break;
    if (const auto beyond = size_beyond_constants(sample, symbol, hints)) add(*beyond);
    if (const auto least = smallest_size(sample, symbol, hints)) add(*least);
  }
  size_t orders = 0;
  for (const Sizes& sizes : with_missing_orders(run))
    if (orders++ < kMost && hints.is_allowed(sizes)) add(sizes);
}

}  // namespace t2n

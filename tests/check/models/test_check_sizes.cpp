// SPDX-License-Identifier: Apache-2.0
// The sizes of open axes that a check tries beside those near the sample.
#include <doctest/doctest.h>

#include "src/check/check_sizes.h"

namespace t2n {
namespace {

using dynamic::Sizes;

const ir::Symbol kH("H");
const ir::Symbol kW("W");

/// The sizes that are run after `run`, where the artefact allows at most `most` for each axis.
std::vector<Sizes> special(std::vector<Sizes> run, std::set<int64_t> lengths, int64_t most = 1000,
                           double budget = 1e9) {
  std::vector<Sizes> out;
  SizeHints hints{.lengths = std::move(lengths), .is_allowed = {}, .cost = {}, .budget = budget};
  hints.is_allowed = [=](const Sizes& at) {
    for (const auto& [symbol, size] : at)
      if (size > most) return false;
    return true;
  };
  hints.cost = [](const Sizes& at) {
    double cost = 1;
    for (const auto& [symbol, size] : at) cost *= static_cast<double>(size);
    return cost;
  };
  add_special_sizes(std::move(run), hints, [&](const Sizes& at) {
    out.push_back(at);
    return true;
  });
  return out;
}

TEST_CASE("one entry beyond the longest length that is affordable, or at the bound") {
  const std::vector<Sizes> run = {{{kH, 5}}, {{kH, 1}}};
  CHECK_EQ(special(run, {3, 16, 64}), std::vector<Sizes>{{{kH, 65}}});
  CHECK_EQ(special(run, {3, 16, 64}, 1000, 30), std::vector<Sizes>{{{kH, 17}}});
  CHECK_EQ(special(run, {3, 16, 64}, 64), std::vector<Sizes>{{{kH, 64}}});
  CHECK(special(run, {3, 4}).empty());
}

TEST_CASE("each axis alone at one, and both orders of two axes") {
  const std::vector<Sizes> run = {{{kH, 5}, {kW, 5}}, {{kH, 1}, {kW, 1}}};
  CHECK_EQ(special(run, {}), std::vector<Sizes>{{{kH, 1}, {kW, 5}}, {{kH, 5}, {kW, 1}}});
  const std::vector<Sizes> longer = {{{kH, 5}, {kW, 7}}, {{kH, 1}, {kW, 7}}, {{kH, 11}, {kW, 13}}};
  CHECK_EQ(special(longer, {}), std::vector<Sizes>{{{kH, 13}, {kW, 11}}, {{kH, 5}, {kW, 1}}});
  const std::vector<Sizes> all = {{{kH, 5}, {kW, 7}}, {{kH, 1}, {kW, 7}}, {{kH, 5}, {kW, 1}}};
  CHECK(special(all, {}).empty());
}

}  // namespace
}  // namespace t2n

// SPDX-License-Identifier: Apache-2.0
// The longest common subsequence against the table of all lengths.
#include <doctest/doctest.h>

#include <algorithm>

#include "src/diff/subsequence.h"

namespace t2n::diff {
namespace {

using Items = std::vector<uint64_t>;

size_t longest(const Items& a, const Items& b) {
  std::vector<std::vector<size_t>> length(a.size() + 1, std::vector<size_t>(b.size() + 1, 0));
  for (size_t i = a.size(); i-- > 0;)
    for (size_t j = b.size(); j-- > 0;)
      length[i][j] =
          a[i] == b[j] ? length[i + 1][j + 1] + 1 : std::max(length[i + 1][j], length[i][j + 1]);
  return length[0][0];
}

void check_common(const Items& a, const Items& b) {
  const auto pairs = common_subsequence(a, b, 1000);
  CHECK_EQ(pairs.size(), longest(a, b));
  for (size_t i = 0; i < pairs.size(); ++i) {
    CHECK_EQ(a.at(pairs[i].first), b.at(pairs[i].second));
    if (i == 0) continue;
    CHECK_LT(pairs[i - 1].first, pairs[i].first);
    CHECK_LT(pairs[i - 1].second, pairs[i].second);
  }
}

TEST_CASE("the subsequence is common, ascending and longest") {
  check_common({}, {});
  check_common({1}, {});
  check_common({}, {1, 2});
  check_common({1, 2, 3}, {1, 2, 3});
  check_common({1, 2, 3}, {3, 2, 1});
  check_common({1, 2, 3, 1, 2, 2, 1}, {3, 2, 1, 2, 1, 3});
  uint64_t state = 1;
  const auto drawn = [&](size_t size) {
    Items out;
    for (size_t i = 0; i < size; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      out.push_back((state >> 33) % 4);
    }
    return out;
  };
  for (size_t size = 0; size < 40; ++size) check_common(drawn(size), drawn(40 - size));
}

TEST_CASE("no subsequence if the lists differ in too many items") {
  CHECK(common_subsequence(Items{1, 2, 3, 4}, Items{4, 3, 2, 1}, 2).empty());
  CHECK_EQ(common_subsequence(Items{1, 2, 3, 4}, Items{1, 3, 4}, 1).size(), 3);
}

}  // namespace
}  // namespace t2n::diff

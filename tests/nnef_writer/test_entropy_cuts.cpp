// SPDX-License-Identifier: Apache-2.0
// Where compressed blobs get a new table: where bytes of another kind begin.
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "nnef_writer/entropy_cuts.h"

namespace t2n::test {
namespace {

using Cuts = std::vector<size_t>;

/// `size` bytes more, of `kinds` values from `first` on.
void add(std::vector<std::byte>& data, size_t size, size_t first, size_t kinds) {
  for (size_t i = 0; i < size; ++i)
    data.push_back(static_cast<std::byte>(first + i * i / 7 % kinds));
}

TEST_CASE("a cut stands where bytes of another kind begin, and nowhere else") {
  std::vector<std::byte> data;
  CHECK_EQ(nnef::entropy_cuts(data), Cuts{});
  add(data, 4096, 0, 4);
  CHECK_EQ(nnef::entropy_cuts(data), Cuts{});
  add(data, 4096, 100, 16);
  CHECK_EQ(nnef::entropy_cuts(data), Cuts{4096});
  add(data, 4096, 0, 4);
  CHECK_EQ(nnef::entropy_cuts(data), Cuts{4096, 8192});
}

}  // namespace
}  // namespace t2n::test

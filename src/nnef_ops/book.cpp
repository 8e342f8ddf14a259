// SPDX-License-Identifier: Apache-2.0
#include "src/nnef_ops/book.h"

#include "src/diag/error.h"
#include "src/diag/one_of.h"

namespace t2n::nnef_ops {

void Book::add(std::string_view names, const Operation& row) {
  for_each_word(names, [&](std::string_view name) {
    T2N_ASSERT(rows_.emplace(name, row).second, name, " has two rows");
  });
}

const Operation& Book::at(std::string_view name) const {
  static const Operation none;
  const auto found = rows_.find(name);
  return found == rows_.end() ? none : found->second;
}

const Book& book() {
  static const Book all = [] {
    Book out;
    for (const auto add : {add_arithmetic, add_conv, add_fourier, add_index, add_join, add_logic,
                           add_norm, add_others, add_pool, add_product, add_reduce, add_resample,
                           add_scan, add_slice, add_source, add_structure})
      add(out);
    return out;
  }();
  return all;
}

}  // namespace t2n::nnef_ops

// SPDX-License-Identifier: Apache-2.0
// The book has a row for every operation, and no others.
#include <doctest/doctest.h>

#include <string>

#include "src/nnef_ops/book.h"
#include "src/spec/operations.h"

namespace t2n::nnef_ops {
namespace {

using spec::Dialect;

TEST_CASE("each declared operation has a row, and each of the standard a rule for shapes") {
  for (const Dialect dialect : {Dialect::khronos, Dialect::tract})
    for (const std::string& name : spec::operation_names(dialect)) {
      CAPTURE(name);
      CHECK(book().contains(name));
      const bool has_shapes = book().at(name).standard != nullptr;
      if (dialect == Dialect::khronos) CHECK(has_shapes);
    }
}

TEST_CASE("each row is of a declared operation, or of a fragment of ours") {
  for (const auto& [name, row] : book().rows()) {
    CAPTURE(name);
    CHECK((spec::find_operation(name, Dialect::khronos) != nullptr ||
           spec::find_operation(name, Dialect::tract) != nullptr || name.starts_with("t2n_")));
  }
}

TEST_CASE("rules for shapes are those of declared operations") {
  for (const auto& [name, row] : book().rows()) {
    CAPTURE(name);
    if (row.standard != nullptr) CHECK(spec::find_operation(name, Dialect::khronos) != nullptr);
    if (row.tract != nullptr) CHECK(spec::find_operation(name, Dialect::tract) != nullptr);
  }
}

}  // namespace
}  // namespace t2n::nnef_ops

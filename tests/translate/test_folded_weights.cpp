// SPDX-License-Identifier: Apache-2.0
// How a document for tract stores integers of few bits and casts of large weights.
#include <doctest/doctest.h>

#include "tests/translate/one_op.h"

namespace t2n::ops {
namespace {

using test::body;

ir::Tensor integers(const Ints& shape, int64_t lowest, int64_t highest) {
  std::vector<int64_t> values(static_cast<size_t>(ir::element_count(shape)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = lowest + static_cast<int64_t>(i) % (highest - lowest + 1);
  return ir::tensor_of(DType::i8, shape, values);
}

/// A weight that is cast; both targets share what is said here.
nnef::Document cast_weight(const ir::Tensor& weight, std::string_view target,
                           DType dtype = DType::f32) {
  return one_op([&](Emitter& out, Ref) { return out.cast(out.constant(weight, "w"), dtype); },
                weight.shape, dtype, target::parse_target(target));
}

TEST_CASE("integers of 5 bits are fields of 4 bits and of 1 bit") {
  const nnef::Document document = cast_weight(integers({115, 101}, -16, 15), "tract");
  CHECK_EQ(body(document),
           "w_fields = variable<integer>(label = 'w', shape = [7260])\n"
           "fields_of_4 = variable<integer>(label = 'fields_of_4', shape = [256, 2])\n"
           "w_4 = t2n_fields(w_fields, fields_of_4, begin = 0, end = 5808, count = 11616)\n"
           "fields_of_1 = variable<integer>(label = 'fields_of_1', shape = [256, 8])\n"
           "w_1 = t2n_fields(w_fields, fields_of_1, begin = 5808, end = 7260, count = 11616)\n"
           "w_sum = add(w_4, w_1)\n"
           "w_row = slice(w_sum, axes = [0], begin = [0], end = [11615])\n"
           "w = reshape(w_row, shape = [115, 101])\n"
           "y = tract_core_cast(w, to = 'f32')\n");
  REQUIRE_EQ(document.blobs.size(), 3);
  CHECK_EQ(document.blobs[0].label, "w");
  CHECK(document.blobs[0].dtype == DType::u8);
  CHECK(document.blobs[1].dtype == DType::i8);
}

TEST_CASE("integers that need 8 bits, or are few, stay bytes, and bytes stay bytes") {
  const std::string bytes =
      "w = variable<integer>(label = 'w', shape = [90, 100])\n"
      "y = tract_core_cast(w, to = 'f32')\n";
  CHECK_EQ(body(cast_weight(integers({90, 100}, -127, 127), "tract")), bytes);
  CHECK_EQ(body(cast_weight(integers({80, 100}, -7, 7), "tract")),
           "w = variable<integer>(label = 'w', shape = [80, 100])\n"
           "y = tract_core_cast(w, to = 'f32')\n");
  const nnef::Document wide = cast_weight(integers({90, 100}, -127, 127), "tract", DType::i64);
  CHECK(wide.blobs.at(0).dtype == DType::i8);
}

TEST_CASE("casts beyond 4 MiB have parts where tract folds no larger ones") {
  const ir::Tensor large = integers({1500, 1000}, -127, 127);
  CHECK_EQ(body(cast_weight(large, "tract@0.21.19")),
           "w = variable<integer>(label = 'w', shape = [1500, 1000])\n"
           "y = tract_core_cast(w, to = 'f32')\n");
  CHECK_EQ(body(cast_weight(large, "tract")),
           "w = variable<integer>(label = 'w', shape = [1500, 1000])\n"
           "y_slice = slice(w, axes = [0], begin = [0], end = [1048])\n"
           "y_part = tract_core_cast(y_slice, to = 'f32')\n"
           "y_slice_1 = slice(w, axes = [0], begin = [1048], end = [1500])\n"
           "y_part_1 = tract_core_cast(y_slice_1, to = 'f32')\n"
           "y = concat([y_part, y_part_1], axis = 0)\n");
}

TEST_CASE("large integers of few bits are cast part by part, too") {
  CHECK_EQ(body(cast_weight(integers({1100, 1001}, 0, 15), "tract")),
           "w_fields = variable<integer>(label = 'w', shape = [550552])\n"
           "fields_of_4 = variable<integer>(label = 'fields_of_4', shape = [256, 2])\n"
           "w_4 = t2n_fields(w_fields, fields_of_4, begin = 0, end = 262144, count = 524288)\n"
           "w_4_1 = t2n_fields(w_fields, fields_of_4, begin = 262144, end = 524288, "
           "count = 524288)\n"
           "w_4_2 = t2n_fields(w_fields, fields_of_4, begin = 524288, end = 550552, "
           "count = 52528)\n"
           "y_part = tract_core_cast(w_4, to = 'f32')\n"
           "y_part_1 = tract_core_cast(w_4_1, to = 'f32')\n"
           "y_part_2 = tract_core_cast(w_4_2, to = 'f32')\n"
           "y_joined = concat([y_part, y_part_1, y_part_2], axis = 0)\n"
           "y_row = slice(y_joined, axes = [0], begin = [0], end = [1101100])\n"
           "y = reshape(y_row, shape = [1100, 1001])\n");
}

}  // namespace
}  // namespace t2n::ops

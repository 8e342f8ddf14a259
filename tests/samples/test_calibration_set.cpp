// SPDX-License-Identifier: Apache-2.0
// Which rows of a calibration set are one batch.
#include <doctest/doctest.h>

#include "nnef_writer/npz.h"
#include "src/diag/error.h"
#include "src/samples/calibration_set.h"
#include "tests/ir/support.h"
#include "tests/support/script.h"
#include "tests/support/temporary.h"

namespace t2n::test {
namespace {

/// The axes 0 of what each batch gives to each input, "4,12;": of inputs x and t whose shapes the
/// graph says, from a file with so many rows of both.
std::string batches(const ir::Shape& x, const ir::Shape& t, int64_t rows) {
  ir::Graph graph = ir::parse("graph m(%x: f32[1,2], %t: f32[1,2]) -> (%x as \"x\") {\n}\n");
  graph.values[static_cast<size_t>(graph.inputs[0])].shape = x;
  graph.values[static_cast<size_t>(graph.inputs[1])].shape = t;
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "set.npz").string();
  const std::vector<nnef::NamedTensor> arrays = {{"x", randn({rows, 2}, 1)},
                                                 {"t", randn({rows, 2}, 2)}};
  nnef::write_npz(arrays, path);
  CalibrationSet set(graph, {}, {path});
  std::string out;
  for (auto batch = set.next(); !batch.empty(); batch = set.next())
    out += cat(batch[0].shape[0], ",", batch[1].shape[0], ";");
  return out;
}

TEST_CASE("rows follow one another in batches of the model's size") {
  CHECK_EQ(batches({4, 2}, {4, 2}, 12), "4,4;4,4;4,4;");
  CHECK_EQ(batches({4, 2}, {2, 2}, 4), "4,2;4,2;");
}

TEST_CASE("an input whose size is that of all rows is the same in each batch") {
  CHECK_EQ(batches({4, 2}, {12, 2}, 12), "4,12;4,12;4,12;");
  CHECK_EQ(batches({12, 2}, {4, 2}, 12), "12,4;12,4;12,4;");
}

TEST_CASE("batches do not cut along an open axis") {
  const ir::Dim open = ir::parse_dim("T");
  CHECK_EQ(batches({open, 2}, {open, 2}, 50), "50,50;");
}

/// The first batch of an input in f32 or i32, from an array in any dtype.
ir::Tensor taken(std::string_view input, const ir::Tensor& given) {
  const ir::Graph graph = ir::parse(cat("graph m(%x: ", input, "[2]) -> (%x as \"x\") {\n}\n"));
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "set.npz").string();
  const std::vector<nnef::NamedTensor> arrays = {{"x", given}};
  nnef::write_npz(arrays, path);
  return CalibrationSet(graph, {}, {path}).next().at(0);
}

TEST_CASE("arrays in other dtypes are converted where their numbers allow it") {
  const auto f64 = ir::tensor_of<double>(ir::DType::f64, {2}, {0.1, -3});
  CHECK_EQ(taken("f32", f64).dtype, ir::DType::f32);
  CHECK_EQ(ir::to_f64(taken("f32", f64)), std::vector<double>{static_cast<double>(0.1F), -3});
  const auto i64 = ir::tensor_of<int64_t>(ir::DType::i64, {2}, {7, -3});
  CHECK_EQ(ir::to_f64(taken("f32", i64)), std::vector<double>{7, -3});
  CHECK_EQ(ir::to_i64(taken("i32", i64)), std::vector<int64_t>{7, -3});
  const auto message = [](std::string_view input, const ir::Tensor& given) {
    try {
      taken(input, given);
    } catch (const Error& error) {
      return error.diagnostic().message;
    }
    return std::string();
  };
  CHECK(message("i32", f64).ends_with("'x' is f64, the model takes i32"));
  CHECK(message("u8", i64).ends_with("'x' is i64, the model takes u8"));
  const auto huge = ir::tensor_of<double>(ir::DType::f64, {2}, {1e300, 0});
  CHECK(message("f32", huge).ends_with("'x' holds NaN or infinities in f32"));
}

}  // namespace
}  // namespace t2n::test

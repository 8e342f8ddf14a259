// SPDX-License-Identifier: Apache-2.0
// The reference interpreter as an engine of the check.
#include <doctest/doctest.h>

#include <fstream>

#include "nnef_writer/dat.h"
#include "src/check/runner.h"
#include "src/diag/error.h"
#include "tests/support/example.h"
#include "tests/support/script.h"
#include "tests/support/temporary.h"

namespace t2n::test {
namespace {

using ir::DType;

const std::string kGraph =
    "version 1.0; graph g(x, i) -> (y, j) { x = external(shape = [1, 2]); "
    "i = external<integer>(shape = [1]); w = variable(shape = [2, 2], label = 'sub/w'); "
    "k = variable<integer>(shape = [1], label = 'k'); y = linear(x, w); "
    "j = select(true, i, k); }";

void write_tensor(const std::filesystem::path& path, const ir::Tensor& values) {
  std::ofstream file(path, std::ios::binary);
  nnef::write_dat({.label = "", .dtype = values.dtype, .shape = values.shape, .parts = {values}},
                  [&](std::span<const std::byte> bytes) {
                    file.write(reinterpret_cast<const char*>(bytes.data()),
                               static_cast<std::streamsize>(bytes.size()));
                  });
}

void write(const std::filesystem::path& folder) {
  std::ofstream(folder / "graph.nnef") << kGraph;
  std::filesystem::create_directory(folder / "sub");
  write_tensor(folder / "sub/w.dat", values({2, 2}, {1, 2, 3, 4}, DType::f16));
  write_tensor(folder / "k.dat", values({1}, {7}, DType::i32));
}

TEST_CASE("an artefact is read and run, its inputs fed as what NNEF has for them") {
  const TemporaryFolder folder;
  write(folder.path());
  const auto runner = check::reference_runner(interp_module(), spec::Dialect::khronos);
  CHECK_EQ(runner->name(), "the reference interpreter");
  runner->load(folder.path().string());
  const auto out = runner->run({values({1, 2}, {1, 10}, DType::f64), values({1}, {5}, DType::i32)});
  CHECK_EQ(ir::to_f64(out[0]), std::vector<double>{21, 43});
  CHECK(out[0].dtype == DType::f32);
  CHECK_EQ(ir::to_i64(out[1]), std::vector<int64_t>{5});
  CHECK(out[1].dtype == DType::i64);
}

TEST_CASE("inputs of another kind or number are refused") {
  const TemporaryFolder folder;
  write(folder.path());
  const auto runner = check::reference_runner(interp_module(), spec::Dialect::khronos);
  runner->load(folder.path().string());
  const ir::Tensor x = values({1, 2}, {1, 10});
  CHECK_EQ(error_of([&] {
             runner->run({x, x});
           }),
           "error[engine-failed]: the input 'i' is of i64, not of f32\n");
  CHECK_EQ(error_of([&] { runner->run({x}); }),
           "error[engine-failed]: the model has 2 inputs, got 1\n");
}

}  // namespace
}  // namespace t2n::test

// SPDX-License-Identifier: Apache-2.0
// Models in pulses, in real engines: delays, pieces, fresh states, refusals.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "src/tract/worker.h"
#include "tests/tract/support.h"

namespace t2n::test {
namespace {

using tract::WorkerClient;

/// Sums of three neighbours, with zeros around: each comes when the one behind it is known.
void write_sums(const TempFolder& folder) {
  folder.write("graph.nnef",
               "version 1.0;\nextension tract_registry tract_core;\nextension tract_symbol S;\n"
               "graph g(x) -> (y)\n{\nx = tract_core_external(shape = [1, 1, S], datum_type = "
               "'f32');\n"
               "y = conv(x, [[[1.0, 1.0, 1.0]]], 0.0, border = 'constant', padding = [(1, 1)], "
               "stride = [1], dilation = [1], groups = 1);\n}\n");
}

ir::Tensor counted(int64_t count) {
  std::vector<double> values;
  for (int64_t i = 1; i <= count; ++i) values.push_back(static_cast<double>(i));
  return ir::tensor_of(ir::DType::f32, {1, 1, count}, values);
}

TEST_CASE("pieces of any size give the sums of the whole input, from the first on") {
  for (const int minor : {21, 23}) {
    const auto found = engine(minor);
    if (!found) continue;
    CAPTURE(minor);
    const TempFolder folder;
    write_sums(folder);
    WorkerClient worker(found->library);
    worker.load(folder.path());
    for (const int64_t size : {1, 2, 5}) {
      CAPTURE(size);
      const tract::EngineModelInfo info = worker.pulse({"S", size});
      REQUIRE_EQ(info.outputs.size(), 1);
      CHECK_EQ(info.outputs[0].axis, 2);
      CHECK_EQ(info.outputs[0].delay, 1);
      CHECK_EQ(info.inputs[0].axis, 2);
      // Twice: a second stream begins anew.
      for (int run = 0; run < 2; ++run) {
        const auto outputs = worker.run_in_pulses({counted(11)});
        const std::vector<double> sums = {3, 6, 9, 12, 15, 18, 21, 24, 27, 30};
        const auto whole = static_cast<std::ptrdiff_t>(11 / size * size);
        CHECK_EQ(ir::to_f64(outputs.at(0)),
                 std::vector<double>(sums.begin(), sums.begin() + whole - 1));
      }
    }
    // What runs the whole input stays as it is.
    CHECK_EQ(ir::to_f64(worker.run({counted(3)}).at(0)), std::vector<double>{3, 6, 5});
  }
}

TEST_CASE("the engine refuses what it cannot run in pulses") {
  const auto found = engine(23);
  if (!found) return;
  const TempFolder folder;
  folder.write(
      "graph.nnef",
      "version 1.0;\nextension tract_registry tract_core;\nextension tract_symbol S;\n"
      "graph g(x) -> (y)\n{\nx = tract_core_external(shape = [1, S], datum_type = 'f32');\n"
      "y = sub(x, sum_reduce(x, axes = [1]));\n}\n");
  WorkerClient worker(found->library);
  worker.load(folder.path());
  try {
    worker.pulse({"S", 4});
    FAIL("it was taken");
  } catch (const Error& error) {
    CHECK_EQ(error.diagnostic().id, "engine-rejects");
  }
}

}  // namespace
}  // namespace t2n::test

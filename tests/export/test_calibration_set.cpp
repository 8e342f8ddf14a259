// Which rows of a calibration set are one batch.
#include <doctest/doctest.h>

#include "nnef_writer/npz.h"
#include "src/export/calibration_set.h"
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

}  // namespace
}  // namespace t2n::test

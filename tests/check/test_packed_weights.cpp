// SPDX-License-Identifier: Apache-2.0
// What an engine does with packed weights, by the memory that it takes.
#include <doctest/doctest.h>

#include "nnef_writer/archive.h"
#include "src/check/packed_weights.h"
#include "src/check/runner.h"
#include "src/compress/round/q4_0.h"
#include "src/nnef/parser.h"
#include "tests/tract/support.h"

namespace t2n::test {
namespace {

using check::are_kept_packed;
using check::WeightBytes;

constexpr std::string_view kModel = R"(version 1.0;
extension tract_registry tract_core;

graph net(x) -> (z)
{
  x = tract_core_external(shape = [2, 2048], datum_type = 'f32');
  w = variable<scalar>(label = 'w', shape = [4096, 2048]);
  z = matmul(x, w, transposeB = true);
}
)";

/// A product with a weight of 32 MiB, or of 4.5.
nnef::Document product(bool is_packed) {
  nnef::Document document = nnef::parse_document(kModel, "graph.nnef");
  const ir::Ints shape = {4096, 2048};
  ir::OwnedTensor stored = is_packed ? ir::allocate(ir::DType::u8, compress::packed_shape(shape))
                                     : ir::allocate(ir::DType::f32, shape);
  for (size_t i = 0; i < stored.data.size(); i += 18)
    stored.data[i] = std::byte{static_cast<unsigned char>(i % 60)};
  document.blobs.push_back({.label = "w",
                            .dtype = ir::DType::f32,
                            .shape = shape,
                            .parts = {stored.tensor},
                            .q4_0 = is_packed});
  return document;
}

TEST_CASE("bytes of weights, packed and not") {
  const WeightBytes packed = check::weight_bytes(product(true));
  CHECK(packed.weights == 1);
  CHECK(packed.packed == 4096 * 64 * 18);
  CHECK(packed.in_floats == int64_t{4096} * 2048 * 4);
  CHECK(packed.others == 0);
  CHECK(check::weight_bytes(product(false)).others == packed.in_floats);
}

TEST_CASE("engines keep the weights of products packed, and their memory shows it") {
  for (const int minor : kSeries) {
    const auto found = engine(minor);
    if (!found) continue;
    CAPTURE(minor);
    for (const bool is_packed : {true, false}) {
      const TempFolder folder;
      const nnef::PendingArtefact artefact = nnef::write_artefact(
          product(is_packed), {folder.path() + "/model", nnef::Destination::Form::folder, 0});
      const auto runner = check::tract_runner(*found);
      runner->load(artefact.path().string());
      REQUIRE(runner->loaded_bytes());
      CAPTURE(*runner->loaded_bytes());
      CHECK(are_kept_packed(check::weight_bytes(product(true)), *runner->loaded_bytes()) ==
            is_packed);
      runner->load(artefact.path().string());
      CHECK(!runner->loaded_bytes());  // what was free before is not told from what was not
    }
  }
}

TEST_CASE("without a clear difference in memory there is no answer") {
  const int64_t mib = int64_t{1} << 20;
  const WeightBytes plenty{.weights = 3, .packed = 15 * mib, .in_floats = 108 * mib};
  CHECK(are_kept_packed(plenty, 22 * mib) == true);
  CHECK(are_kept_packed(plenty, 118 * mib) == false);
  CHECK(check::packed_text(plenty, 22 * mib, "tract 0.23.9") ==
        "tract 0.23.9 keeps 3 packed weights packed: 22 MiB in memory, floats take 108 MiB");
  CHECK(check::packed_text(plenty, 118 * mib, "tract 0.23.9") ==
        "tract 0.23.9 unpacks 3 packed weights: 118 MiB in memory, floats take 108 MiB");
  const WeightBytes few{.weights = 1, .packed = 1 * mib, .in_floats = 7 * mib};
  CHECK(!are_kept_packed(few, 2 * mib));
  WeightBytes hidden = plenty;
  hidden.others = 500 * mib;
  CHECK(!are_kept_packed(hidden, 700 * mib));
  CHECK(check::packed_text(few, 2 * mib, "tract 0.23.9").empty());
}

}  // namespace
}  // namespace t2n::test

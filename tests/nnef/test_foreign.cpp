// SPDX-License-Identifier: Apache-2.0
// Models that other exporters wrote.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

#include "nnef_writer/print.h"
#include "src/nnef/artefact.h"
#include "src/nnef/npz.h"
#include "src/nnef/parser.h"

namespace t2n::nnef {
namespace {

std::filesystem::path foreign(const std::string& name) {
  const char* const source = std::getenv("T2NNEF_SOURCE_DIR");
  REQUIRE(source != nullptr);
  return std::filesystem::path(source) / "fixtures/foreign" / name;
}

void check_round_trip(const Document& document) {
  const std::string text = print(document);
  CHECK(print(parse_document(text, "graph.nnef")) == text);
}

/// relu, the mean over the four places of a 2 by 2 filter on a 3 by 3 image, and a linear layer.
std::vector<double> cnn(const Artefact& artefact, const std::vector<double>& x) {
  const auto values = [&](const char* label) {
    return ir::to_f64(find_tensor(artefact, label)->values);
  };
  const std::vector<double> filter = values("c.weight"), offset = values("c.bias");
  const std::vector<double> weight = values("l.weight"), bias = values("l.bias");
  std::vector<double> out = bias;
  for (size_t channel = 0; channel < 32; ++channel) {
    double mean = 0;
    for (const size_t at : {0U, 1U, 3U, 4U}) {
      double sum = offset[channel];
      for (const size_t k : {0U, 1U, 2U, 3U})
        sum += filter[channel * 4 + k] * x[at + k / 2 * 3 + k % 2];
      mean += std::max(sum, 0.0) / 4;
    }
    for (size_t i = 0; i < 2; ++i) out[i] += mean * weight[i * 32 + channel];
  }
  return out;
}

TEST_CASE("a network with a weight in blocks of four bits, by torch_to_nnef") {
  const Artefact artefact = read_artefact(foreign("cnn_q4.nnef.tgz"));
  check_round_trip(artefact.document);
  CHECK(extension_lines(artefact.document) ==
        std::vector<std::string>{"tract_registry tract_core", "tract_symbol B"});
  REQUIRE(artefact.tensors.size() == 4);
  CHECK(artefact.unused.empty());
  const StoredTensor& weight = *find_tensor(artefact, "l.weight");
  CHECK(weight.item == "q4_0");
  CHECK(weight.values.dtype == ir::DType::f32);
  CHECK(weight.values.shape == ir::Ints{2, 32});
  const auto io = read_npz(foreign("cnn_q4.npz"));
  const std::vector<double> expected = ir::to_f64(io[1].value);
  const std::vector<double> actual = cnn(artefact, ir::to_f64(io[0].value));
  for (size_t i = 0; i < 2; ++i) CHECK(std::abs(actual[i] - expected[i]) < 1e-6);
}

TEST_CASE("a scan over symbolic time, by torch_to_nnef") {
  const Artefact artefact = read_artefact(foreign("gru_dynamic.nnef.tgz"));
  check_round_trip(artefact.document);
  CHECK(artefact.document.fragments.size() == 4);
  REQUIRE(artefact.tensors.size() == 12);
  CHECK(artefact.unused.empty());
  CHECK(artefact.tensors[0].item == "f64");
  CHECK(ir::to_f64(artefact.tensors[0].values) == std::vector<double>{1e-5});
}

}  // namespace
}  // namespace t2n::nnef

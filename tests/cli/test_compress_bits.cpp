// SPDX-License-Identifier: Apache-2.0
// Weights of fewer than 8 bits, and large ones, as files store them.
#include <filesystem>
#include <fstream>

#include "tests/cli/program.h"

namespace t2n::test {
namespace {

/// The bytes of the folder out.nnef.
double folder_bytes(const Sandbox& sandbox) {
  double out = 0;
  for (const auto& [name, content] : sandbox.listing())
    if (name.starts_with("out.nnef/")) out += static_cast<double>(content.size());
  return out;
}

void write_bits(const Sandbox& sandbox, int bits) {
  std::ofstream(sandbox.path("s.json"))
      << cat(R"({"": {"weights": {"bits": )", bits, R"(, "granularity": "channel"}}})");
}

TEST_CASE("integers of fewer bits take fewer bytes, and each engine computes what they mean") {
  Sandbox sandbox;
  sandbox.copy_fixture("series_gru/model.pt", "model.pt");
  for (const int minor : {23, 21}) {
    if (!engine(minor)) continue;
    const std::string target = minor == 23 ? "tract" : "tract@0.21.19";
    double before = 0;
    for (const int bits : {2, 3, 5, 8}) {
      CAPTURE(target);
      CAPTURE(bits);
      write_bits(sandbox, bits);
      const Result result = sandbox.run({"export", "model.pt", "-t", target, "-o", "out.nnef",
                                         "--compress", "s.json", "--check", "--strict"});
      CAPTURE(result.err);
      CHECK_EQ(result.code, 0);
      const double bytes = folder_bytes(sandbox);
      CHECK(bytes > before + 1000);
      before = bytes;
      const std::string graph = sandbox.content("out.nnef/graph.nnef");
      CHECK_EQ(contains(graph, "t2n_fields("), bits < 8);
    }
  }
}

TEST_CASE("4 bits take at most 0.6 of the bytes of 8, tables and recurrent weights included") {
  Sandbox sandbox;
  sandbox.copy_fixture("char_lm/model.pt", "model.pt");
  const auto written = [&](int bits, const std::string& more) {
    write_bits(sandbox, bits);
    const Result result = sandbox.run({"export", "model.pt", "-t", "tract", "-o", "out.nnef",
                                       "--compress", "s.json", "--prune-unused-inputs", more});
    CAPTURE(result.err);
    CHECK_EQ(result.code, 0);
    return folder_bytes(sandbox);
  };
  const double bytes = written(8, "--quiet");
  CHECK(written(4, "--check") <= 0.6 * bytes);
}

}  // namespace
}  // namespace t2n::test

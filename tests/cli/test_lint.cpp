// lint: models, graphs as text, artefacts; what is found, what is clean, and --strict.
#include <fstream>

#include "tests/cli/program.h"

namespace t2n::test {
namespace {

void write(const Sandbox& sandbox, const std::string& name, const std::string& text) {
  std::ofstream(sandbox.path(name)) << text;
}

void add_digits(Sandbox& sandbox) {
  sandbox.copy_fixture("digits_cnn/model.pt", "model.pt");
  sandbox.copy_fixture("digits_cnn/calibration.npz", "cal.npz");
}

const std::string kIdle = R"(graph m(%x: f32[2]) -> (%y as "y") {
  %q: u8[2] quant(scales=[0.5], zero_points=[3], axis=0, bits=8, signed=false, narrow_range=false) = aten::quantize_per_tensor(self=%x, scale=0.5, zero_point=3, dtype=u8)
  %y: f32[2] = aten::dequantize.self(self=%q)
}
)";

}  // namespace

TEST_CASE("lint finds what is planted in a graph, groups it, and counts") {
  const Sandbox sandbox;
  write(sandbox, "model.ir", kIdle);
  const Result result = sandbox.run({"lint", "model.ir"});
  CHECK_EQ(result.code, 0);
  CHECK_EQ(result.err, "");
  CHECK(result.out.starts_with("idle-pair:\n"));
  CHECK(contains(result.out,
                 "'x' is quantised and dequantised with nothing between\n"
                 "    help: run propagate-qparams"));
  CHECK(contains(result.out, "saturation: a calibration set\n1 finding\n"));
}

TEST_CASE("lint --strict makes an error of findings, and of nothing else") {
  const Sandbox sandbox;
  write(sandbox, "model.ir", kIdle);
  const Result found = sandbox.run({"lint", "model.ir", "--strict"});
  CHECK_EQ(found.code, 4);
  CHECK(contains(found.err, "error[lint]: 1 finding in 'model.ir'"));
  write(sandbox, "clean.ir",
        "graph m(%x: f32[2]) -> (%y as \"y\") {\n"
        "  %y: f32[2] = aten::neg(self=%x)\n}\n");
  const Result clean = sandbox.run({"lint", "clean.ir", "--strict"});
  CHECK_EQ(clean.code, 0);
  CHECK(contains(clean.out, "0 findings\n"));
}

TEST_CASE("lint has nothing to say of a model that is exported with int8, nor of the artefact") {
  Sandbox sandbox;
  add_digits(sandbox);
  const Arguments int8 = {"--compress", "int8", "--calibrate", "@cal.npz"};
  Arguments lint = {"lint", "model.pt", "--strict"};
  lint.insert(lint.end(), int8.begin(), int8.end());
  const Result model = sandbox.run(lint);
  CHECK_EQ(model.err, "");
  CHECK_EQ(model.code, 0);
  CHECK_EQ(model.out, "0 findings\n");
  Arguments exported = {"export", "model.pt", "-t", "tract", "-o", "out.nnef"};
  exported.insert(exported.end(), int8.begin(), int8.end());
  const Result written = sandbox.run(exported);
  CHECK_EQ(written.code, 0);
  CHECK_FALSE(contains(written.err, "warning"));
  const Result artefact = sandbox.run({"lint", "out.nnef", "--strict"});
  CHECK_EQ(artefact.err, "");
  CHECK_EQ(artefact.out, "0 findings\n");
}

TEST_CASE("export --compress reports what the lint finds as warnings") {
  Sandbox sandbox;
  add_digits(sandbox);
  write(sandbox, "s.json", R"({"": {"prune": {"sparsity": 0.99}}})");
  const Result result =
      sandbox.run({"export", "model.pt", "-t", "tract", "-o", "out.nnef", "--compress", "s.json"});
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.err, "warning[lint]: dead-channel: "));
  const Result strict = sandbox.run({"lint", "model.pt", "--compress", "s.json", "--strict"});
  CHECK_EQ(strict.code, 4);
  CHECK(contains(strict.out, "dead-channel:\n  features"));
}

TEST_CASE("lint finds odd quantisation in an artefact") {
  const Sandbox sandbox;
  std::filesystem::create_directory(sandbox.path("m"));
  write(sandbox, "m/graph.nnef",
        "version 1.0;\n\ngraph g(x) -> (z) {\n"
        "  x = external<scalar>(shape = [4]);\n"
        "  y = linear_quantize(x, 0.0, 1.0, bits = 8);\n"
        "  z = linear_quantize(y, 0.0, 2.0, bits = 8);\n}\n");
  const Result result = sandbox.run({"lint", "m", "--strict"});
  CHECK_EQ(result.code, 4);
  CHECK(contains(result.out, "idle-pair:\n  'z' rounds 'y', which was quantised just before\n"));
  const Result refused = sandbox.run({"lint", "m", "--compress", "int8-weights"});
  CHECK_EQ(refused.code, 2);
  CHECK(contains(refused.err, "which is not traced"));
}

}  // namespace t2n::test

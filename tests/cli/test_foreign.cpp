// SPDX-License-Identifier: Apache-2.0
// Artefacts that nobody exported: written by hand, packed by other tools, or made by torch_to_nnef.
#include <cmath>
#include <cstdlib>

#include "nnef_writer/npz.h"
#include "src/diag/error.h"
#include "src/nnef/npz.h"
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

/// Affine.pt and, as the folder `m`, the same by hand: relu(w x + b) and tanh(w x + b).
struct ByHand : Sandbox {
  ByHand() : Sandbox({"Affine.pt"}) {
    write_graph("image = external(shape = [2, 3]);\n", "(scores, squashed)");
    folder().write("m/layer/w.dat", dat_file({2, 3}, {1, -2, 3, 0.5, 4, -1}));
    folder().write("m/layer/b.dat", dat_file({1, 2}, {0.25, -1}));
  }
  void write_graph(const std::string& external, const std::string& results) const {
    folder().write("m/graph.nnef", "version 1.0;\n\ngraph network(image) -> " + results + "\n{\n" +
                                       external +
                                       "w = variable(label = 'layer/w', shape = [2, 3]);\n"
                                       "b = variable(label = 'layer/b', shape = [1, 2]);\n"
                                       "sums = linear(image, w, b);\nscores = relu(sums);\n"
                                       "squashed = tanh(sums);\n}\n");
  }
  Result check(const std::string& artefact, const Arguments& more = {}) const {
    Arguments arguments = {"check", "Affine.pt", artefact};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
};

const Arguments kTract = {"-i", "x=2,3,f32", "--engine", "tract"};
const Arguments kReference = {"-i", "x=2,3,f32", "--engine", "reference"};

std::string shell_quoted(const std::string& text) { return "'" + text + "'"; }

}  // namespace

TEST_CASE("a model written by hand is checked, as a folder and as others pack it") {
  if (!engine(23)) return;
  const ByHand sandbox;
  const std::string pack = "cd " + shell_quoted(sandbox.folder().path()) +
                           " && tar -cf m.tar -C m . && tar -czf m.tgz -C m graph.nnef layer";
  REQUIRE_EQ(std::system(pack.c_str()), 0);
  const auto agrees = [&](const char* artefact, const Arguments& engine) {
    CAPTURE(artefact);
    const Result result = sandbox.check(artefact, engine);
    CHECK_EQ(result.err, "");
    CHECK_EQ(result.code, 0);
    CHECK(contains(result.out, "\n  scores    2,2    "));
    CHECK(contains(result.out, "\n  squashed  2,2    "));
  };
  for (const char* artefact : {"m", "m.tar", "m.tgz"}) agrees(artefact, kTract);
  agrees("m.tgz", kReference);
}

TEST_CASE("other exporters' files run in the newest engine, ours in their own series") {
  const std::vector<std::string> targets = engine_targets();
  if (!engine(23) || targets.size() < 2) return;
  const auto engine_of = [&](const std::string& exporter) {
    const Sandbox sandbox;
    sandbox.folder().write("m/graph.nnef",
                           "version 1.0;\nextension tract_registry tract_core;\n"
                           "fragment tract_core_properties() -> (properties: (string, "
                           "tensor<scalar>)[])\n{\n    properties = [('" +
                               exporter +
                               "', '0.1'), ('tract_target_version', '0.21.13')];\n}\n"
                               "graph net(x) -> (y)\n{\n    x = external(shape = [2]);\n"
                               "    y = relu(x);\n}\n");
    const Result result = sandbox.run({"run", "m", "--engine", "tract"});
    CHECK_EQ(result.code, 0);
    return result.out.substr(0, result.out.find('\n'));
  };
  CHECK_EQ(engine_of("torch_to_nnef_version"), "run: tract 0.23.9");
  CHECK(contains(engine_of("t2nnef_version"), "run: tract 0.21."));
}

TEST_CASE("one wrong weight of a model written by hand is found in both engines") {
  if (!engine(23)) return;
  const ByHand sandbox;
  sandbox.folder().write("m/layer/w.dat", dat_file({2, 3}, {1, -2, 3, 0.5, 4, -1.01F}));
  for (const Arguments& engine : {kTract, kReference}) {
    const Result result = sandbox.check("m", engine);
    CHECK_EQ(result.code, 5);
    CHECK(contains(result.err, "error[output-mismatch]: "));
  }
}

TEST_CASE("outputs with other names are compared by position, and none may be missing") {
  if (!engine(23)) return;
  const ByHand sandbox;
  const std::string external = "image = external(shape = [2, 3]);\n";
  sandbox.write_graph(external, "(squashed, scores)");
  const Result swapped = sandbox.check("m", kTract);
  CHECK_EQ(swapped.code, 5);
  CHECK(contains(swapped.err, "error[output-mismatch]: "));
  sandbox.write_graph(external, "(scores)");
  const Arguments arguments = {"check", "Affine.pt", "m", "-i", "x=2,3,f32", "--engine", "tract"};
  check_failure(sandbox, arguments, 5,
                "error[signature-mismatch]: the artefact gives 1 output, the model 2\n"
                "   the model:    output_0, output_1\n"
                "   the artefact: scores\n");
}

TEST_CASE("inputs of another shape or type than the model's are no fit") {
  const Arguments arguments = {"check", "Affine.pt", "m", "-i", "x=2,3,f32", "--engine", "tract"};
  const auto refused = [&](const std::string& external, const std::string& declared) {
    const ByHand sandbox;
    sandbox.write_graph(external, "(scores, squashed)");
    check_failure(
        sandbox, arguments, 5,
        "error[signature-mismatch]: the artefact's input 'image' does not match the model's\n"
        "   the model:    x f32[2,3]\n"
        "   the artefact: image " +
            declared +
            "\n"
            "  help: use --input to pass samples of the artefact's shapes and dtypes\n");
  };
  refused("image = external(shape = [5, 3]);\n", "f32[5,3]");
  refused("image = external<integer>(shape = [2, 3]);\n", "i64[2,3]");
}

TEST_CASE("an open size that is right at the sample's and wrong at others is found") {
  if (!engine(23)) return;
  const auto check = [](const std::string& size, const std::string& mean) {
    const Sandbox sandbox({"Centred.pt"});
    sandbox.folder().write("m/graph.nnef",
                           "version 1.0;\nextension tract_registry tract_core;\n"
                           "extension tract_symbol N;\ngraph network(rows) -> (centred)\n{\n"
                           "rows = external(shape = [" +
                               size + ", 3]);\n" + mean + "centred = sub(rows, mean);\n}\n");
    return sandbox.run({"check", "Centred.pt", "m", "-i", "x=4,3,f32", "--engine", "tract"});
  };
  const std::string right = "mean = mean_reduce(rows, axes = [0]);\n";
  const std::string of_four = "mean = mul(sum_reduce(rows, axes = [0]), 0.25);\n";
  CHECK_EQ(check("N", right).code, 0);
  CHECK_EQ(check("4", of_four).code, 0);
  const Result result = check("N", of_four);
  CHECK_EQ(result.code, 5);
  CHECK(contains(result.out, " · also at N="));
  CHECK(contains(result.err, "error[output-mismatch]: 'centred'["));
}

TEST_CASE("a model written by hand runs") {
  if (!engine(23)) return;
  const ByHand sandbox;
  const nnef::NamedTensor image = {"image", f32({2, 3}, {1, 0, 0, 0, 1, 1})};
  nnef::write_npz(std::vector<nnef::NamedTensor>{image}, sandbox.path("in.npz"));
  for (const char* engine : {"tract", "reference"}) {
    CAPTURE(engine);
    const Result result =
        sandbox.run({"run", "m", "-i", "in.npz", "-o", "out.npz", "--engine", engine});
    CHECK_EQ(result.err, "");
    REQUIRE_EQ(result.code, 0);
    const auto outputs = nnef::read_npz(std::filesystem::path(sandbox.path("out.npz")));
    REQUIRE_EQ(outputs.size(), 2);
    CHECK_EQ(outputs[0].name, "scores");
    CHECK(ir::same_values(outputs[0].value, f32({2, 2}, {1.25, 0, 1.25, 2})));
    CHECK_EQ(outputs[1].name, "squashed");
  }
}

TEST_CASE("models that torch_to_nnef wrote give what torch gave") {
  if (!engine(23)) return;
  for (const std::string name : {"cnn_q4", "gru_dynamic"})
    for (const char* engine : {"tract", "reference"}) {
      CAPTURE(name);
      CAPTURE(engine);
      Sandbox sandbox;
      sandbox.copy_fixture("foreign/" + name + ".nnef.tgz", "m.tgz");
      sandbox.copy_fixture("foreign/" + name + ".npz", "io.npz");
      const Result result =
          sandbox.run({"run", "m.tgz", "-i", "x=@io.npz", "-o", "out.npz", "--engine", engine});
      CHECK_EQ(result.err, "");
      REQUIRE_EQ(result.code, 0);
      const auto actual = nnef::read_npz(std::filesystem::path(sandbox.path("out.npz")));
      const auto given = nnef::read_npz(std::filesystem::path(sandbox.path("io.npz")));
      REQUIRE_EQ(actual.size(), given.size() - 1);
      for (size_t i = 0; i < actual.size(); ++i) {
        const std::vector<double> expected = ir::to_f64(given[i + 1].value);
        const std::vector<double> values = ir::to_f64(actual[i].value);
        REQUIRE_EQ(values.size(), expected.size());
        for (size_t k = 0; k < values.size(); ++k) CHECK(std::abs(values[k] - expected[k]) < 1e-5);
      }
    }
}

TEST_CASE("artefacts in artefacts: as a folder, a tar and a gzipped tar") {
  if (!engine(23)) return;
  const Sandbox sandbox;
  const std::string inner =
      "version 1.0;\ngraph inner(a, b) -> (c, d) {\na = external(shape = [2]);\n"
      "b = external(shape = [2]);\nw = variable(label = 'w', shape = [2]);\n"
      "c = a + w;\nd = b * 2.0;\n}\n";
  for (const std::string folder : {"m/one", "two", "three"}) {
    sandbox.folder().write(folder + "/graph.nnef", inner);
    sandbox.folder().write(folder + "/w.dat", dat_file({2}, {10, folder == "two" ? 20.0F : 30.0F}));
  }
  const std::string pack = "cd " + shell_quoted(sandbox.folder().path()) +
                           " && tar -cf m/two.nnef.tar -C two . && "
                           "tar -czf m/three.nnef.tgz -C three .";
  REQUIRE_EQ(std::system(pack.c_str()), 0);
  const auto write_outer = [&](const std::string& body) {
    sandbox.folder().write("m/graph.nnef",
                           "version 1.0;\nextension tract_registry tract_core;\n"
                           "graph outer(x, y) -> (p, q) {\nx = external(shape = [2]);\n"
                           "y = external(shape = [2]);\n" +
                               body + "}\n");
  };
  write_outer(
      "(e, f) = tract_core_submodel([x, y], label = 'one');\n"
      "(g, h) = tract_core_submodel([e, f], label = 'two');\n"
      "(p, q) = tract_core_submodel([g, h], label = 'three');\n");
  const nnef::NamedTensor x{"x", ir::tensor_of<float>(ir::DType::f32, {2}, {1, 2})};
  const nnef::NamedTensor y{"y", ir::tensor_of<float>(ir::DType::f32, {2}, {3, 4})};
  nnef::write_npz(std::vector<nnef::NamedTensor>{x, y}, sandbox.path("in.npz"));
  for (const std::string engine : {"tract", "reference"}) {
    CAPTURE(engine);
    const Result result =
        sandbox.run({"run", "m", "-i", "in.npz", "-o", "out.npz", "--engine", engine});
    CHECK_EQ(result.err, "");
    CHECK_EQ(result.code, 0);
    const auto outputs = nnef::read_npz(std::filesystem::path(sandbox.path("out.npz")));
    REQUIRE_EQ(outputs.size(), 2);
    CHECK_EQ(ir::to_f64(outputs[0].value), std::vector<double>{31, 82});
    CHECK_EQ(ir::to_f64(outputs[1].value), std::vector<double>{24, 32});
  }
  CHECK_FALSE(contains(sandbox.run({"inspect", "m"}).out, "nothing refers to"));
  REQUIRE_EQ(std::system(("cp -r " + shell_quoted(sandbox.path("m")) + " " +
                          shell_quoted(sandbox.path("n")))
                             .c_str()),
             0);
  CHECK_EQ(sandbox.run({"diff", "m", "n"}).code, 0);
  sandbox.folder().write("n/one/w.dat", dat_file({2}, {10, 31}));
  const Result other = sandbox.run({"diff", "m", "n"});
  CHECK_EQ(other.code, 9);
  CHECK(contains(other.out, "'one/w'"));
  write_outer("(p, q) = tract_core_submodel([x, y], label = 'four');\n");
  check_failure(sandbox, {"run", "m", "--engine", "reference"}, 3,
                "error[nnef-invalid]: the submodel 'four' is missing\n"
                "  why:  it is the folder 'four/', or 'four.nnef.tgz' or 'four.nnef.tar'\n");
}

}  // namespace t2n::test

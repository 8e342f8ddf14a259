// SPDX-License-Identifier: Apache-2.0
// run: inputs by name, position and shape, engines, outputs as .npz; and what cannot be run.
#include <filesystem>

#include "nnef_writer/npz.h"
#include "src/nnef/npz.h"
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

/// y = x - a, z = i + i, of which the inputs are declared in another order than the graph names.
void write_mixed_model(const Sandbox& sandbox, const std::string& shape = "[2, 3]") {
  sandbox.folder().write("m/graph.nnef",
                         "version 1.0;\nextension tract_registry tract_core;\n"
                         "extension tract_symbol S;\n"
                         "graph net(x, a, i) -> (y, z) {\n"
                         "i = tract_core_external(shape = [2], datum_type = 'i64');\n"
                         "a = external(shape = " +
                             shape +
                             ");\n"
                             "x = external(shape = " +
                             shape +
                             ");\n"
                             "y = sub(x, a);\nz = add(i, i);\n}\n");
}

ir::Tensor i64(const std::vector<int64_t>& values) {
  return ir::tensor_of(ir::DType::i64, {static_cast<int64_t>(values.size())}, values);
}

void write_inputs(const Sandbox& sandbox) {
  const ir::Tensor twos = f32({2, 3}, {2, 2, 2, 2, 2, 2});
  nnef::write_npz(
      std::vector<nnef::NamedTensor>{{"x", iota_2x3()}, {"a", twos}, {"i", i64({5, 7})}},
      sandbox.path("in.npz"));
  nnef::write_npz(
      std::vector<nnef::NamedTensor>{
          {"arr_0", iota_2x3()}, {"input_1", twos}, {"input_2", i64({5, 7})}, {"output_0", twos}},
      sandbox.path("positions.npz"));
}

void check_outputs(const Sandbox& sandbox, const std::string& file) {
  const auto outputs = nnef::read_npz(fs::path(sandbox.path(file)));
  REQUIRE_EQ(outputs.size(), 2);
  CHECK_EQ(outputs[0].name, "y");
  CHECK(ir::same_values(outputs[0].value, f32({2, 3}, {-2, -1, 0, 1, 2, 3})));
  CHECK_EQ(outputs[1].name, "z");
  CHECK(ir::same_values(outputs[1].value, i64({10, 14})));
}

}  // namespace

TEST_CASE("an array whose name begins like a result's is an input all the same") {
  const Sandbox sandbox;
  sandbox.folder().write("m/graph.nnef",
                         "version 1.0;\nextension tract_registry tract_core;\n"
                         "graph net(x, output_mask) -> (y) {\nx = external(shape = [2, 3]);\n"
                         "output_mask = external(shape = [2, 3]);\ny = sub(x, output_mask);\n}\n");
  const ir::Tensor twos = f32({2, 3}, {2, 2, 2, 2, 2, 2});
  nnef::write_npz(
      std::vector<nnef::NamedTensor>{{"x", twos}, {"output_mask", twos}, {"output_0", twos}},
      sandbox.path("in.npz"));
  const Result result =
      sandbox.run({"run", "m", "-i", "in.npz", "-o", "out.npz", "--engine", "reference"});
  CHECK_EQ(result.err, "");
  CHECK(ir::same_values(nnef::read_npz(fs::path(sandbox.path("out.npz"))).at(0).value,
                        f32({2, 3}, {0, 0, 0, 0, 0, 0})));
}

TEST_CASE("inputs by name and by position give outputs by name") {
  if (!engine(23)) return;
  const Sandbox sandbox;
  write_mixed_model(sandbox);
  write_inputs(sandbox);
  for (const std::string input : {"in.npz", "@in.npz", "positions.npz"}) {
    CAPTURE(input);
    const Result result = sandbox.run({"run", "m", "--input", input, "-o", "out.npz"});
    CHECK_EQ(result.err, "");
    CHECK_EQ(result.code, 0);
    CHECK(result.out.starts_with("run: tract 0.23."));
    CHECK_EQ(result.out.substr(result.out.find('\n') + 1),
             "  output  type      min  max  mean\n"
             "  y       f32[2,3]  -2   3    0.5\n"
             "  z       i64[2]    10   14   12\n"
             "wrote out.npz  618 bytes\n");
    check_outputs(sandbox, "out.npz");
  }
  CHECK_EQ(sandbox.run({"run", "m", "-i", "in.npz", "-o", "again.npz"}).code, 0);
  CHECK(sandbox.content("out.npz") == sandbox.content("again.npz"));
}

TEST_CASE("arrays of a file that are named as outputs are left out") {
  const Sandbox sandbox;
  write_mixed_model(sandbox);
  const ir::Tensor twos = f32({2, 3}, {2, 2, 2, 2, 2, 2});
  const std::vector<nnef::NamedTensor> arrays = {
      {"x", iota_2x3()}, {"a", twos}, {"i", i64({5, 7})}, {"y", twos}, {"output_1", twos}};
  nnef::write_npz(arrays, sandbox.path("io.npz"));
  CHECK_EQ(sandbox.run({"run", "m", "-i", "@io.npz", "--engine", "reference"}).code, 0);
  const Result named = sandbox.run({"run", "m", "-i", "y=2,3", "--engine", "reference"});
  CHECK_EQ(named.code, 2);
  CHECK(contains(named.err, "error[input-unknown]"));
}

TEST_CASE("floats of another precision are cast if the user says so") {
  const Sandbox sandbox;
  write_mixed_model(sandbox);
  const Arguments given = {"run", "m",         "-i",       "x=2,3,f16",
                           "-i",  "a=2,3,f64", "--engine", "reference"};
  CHECK_EQ(sandbox.run(given).code, 3);
  Arguments cast = given;
  cast.emplace_back("--allow-float-casts");
  const Result result = sandbox.run(cast);
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.out, "y       f32[2,3]"));
  cast.insert(cast.end(), {"-i", "i=2,f32"});
  CHECK(contains(sandbox.run(cast).err, "error[input-shape]"));
}

TEST_CASE("the reference interpreter takes inputs in the same order") {
  const Sandbox sandbox;
  write_mixed_model(sandbox);
  write_inputs(sandbox);
  const Arguments run = {"run", "m", "-i", "in.npz", "-o", "out.npz"};
  Arguments asked = run;
  asked.insert(asked.end(), {"--engine", "reference"});
  CHECK(sandbox.run(asked, no_engine()).out.starts_with("run: the reference interpreter\n"));
  check_outputs(sandbox, "out.npz");
  const Result fallen_back = sandbox.run(run, no_engine());
  CHECK_EQ(fallen_back.code, 0);
  CHECK(fallen_back.err.starts_with("warning[engine-reference]: no tract engine found "));
  check_outputs(sandbox, "out.npz");
}

TEST_CASE("strict NNEF takes inputs in the order of the graph, of any width") {
  const Sandbox sandbox;
  sandbox.folder().write("m/graph.nnef",
                         "version 1.0;\ngraph net(x, a) -> (y) {\na = external(shape = [2]);\n"
                         "x = external(shape = [2]);\ny = sub(x, a);\n}\n");
  nnef::write_npz(std::vector<nnef::NamedTensor>{{"x", ir::tensor_of(ir::DType::f64, {2},
                                                                     std::vector<double>{1, 2})},
                                                 {"a", f32({2}, {5, 5})}},
                  sandbox.path("in.npz"));
  const Result result = sandbox.run({"run", "m", "-i", "in.npz"});
  CHECK_EQ(result.err, "");
  CHECK_EQ(result.out,
           "run: the reference interpreter\n"
           "  output  type    min  max  mean\n"
           "  y       f32[2]  -4   -3   -3.5\n");
  check_failure(sandbox, {"run", "m", "-i", "x=2,i64"}, 3,
                "error[input-shape]: the sample of the input 'x' is i64[2]\n"
                "  why:  the artefact takes f32[2]\n"
                "  help: `t2nnef inspect` shows what an artefact takes\n");
}

TEST_CASE("inputs that are left out are drawn, the same every time") {
  if (!engine(23)) return;
  const Sandbox sandbox;
  write_mixed_model(sandbox);
  const Result drawn = sandbox.run({"run", "m"});
  CHECK_EQ(drawn.code, 0);
  CHECK_EQ(drawn.out, sandbox.run({"run", "m", "-i", "x=2,3,f32", "-i", "i=2,i64:0..1"}).out);
  CHECK_EQ(sandbox.listing().size(), 2);
}

TEST_CASE("sizes that the artefact leaves open") {
  if (!engine(23)) return;
  const Sandbox sandbox;
  write_mixed_model(sandbox, "[S, 3]");
  const Result result = sandbox.run({"run", "m", "-i", "x=4,3", "-i", "a=4,3"});
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.out, "\n  y       f32[4,3]  "));
  check_failure(sandbox, {"run", "m", "-i", "x=4,3"}, 2,
                "error[input-missing]: the input 'a f32[S,3]' has no sample\n"
                "  why:  the artefact has the dynamic size 'S'\n"
                "  help: pass a shape, for example --input a=1,3,f32 (`t2nnef inspect` "
                "prints sizes that fit), or values: --input a=@file.npy\n");
}

TEST_CASE("engines of other versions") {
  const auto old = engine(21);
  if (!old || !engine(23)) return;
  const Sandbox sandbox;
  write_mixed_model(sandbox);
  CHECK(sandbox.run({"run", "m", "--engine", "tract"}).out.starts_with("run: tract 0.23."));
  CHECK(sandbox.run({"run", "m", "--engine", "tract@0.21.19"}).out.starts_with("run: tract 0.21."));
  CHECK(sandbox.run({"run", "m", "--engine", old->library}).out.starts_with("run: tract 0.21."));
  CHECK(sandbox.run({"run", "m", "--engine", "lib:" + old->library})
            .out.starts_with("run: tract 0.21."));
}

TEST_CASE("inputs that do not fit") {
  const Sandbox sandbox;
  write_mixed_model(sandbox);
  check_failure(sandbox, {"run", "m", "-i", "x=2,4"}, 3,
                "error[input-shape]: the sample of the input 'x' is f32[2,4]\n"
                "  why:  the artefact takes f32[2,3]\n"
                "  help: `t2nnef inspect` shows what an artefact takes\n");
  check_failure(sandbox, {"run", "m", "-i", "input_2=2,i32"}, 3,
                "error[input-shape]: the sample of the input 'i' is i32[2]\n"
                "  why:  the artefact takes i64[2]\n"
                "  help: `t2nnef inspect` shows what an artefact takes\n");
  check_failure(sandbox, {"run", "m", "-i", "x=int:3"}, 3,
                "error[input-shape]: the sample of the input 'x' is not a tensor\n"
                "  why:  the artefact takes f32[2,3]\n");
  check_failure(sandbox, {"run", "m", "-i", "w=2,3"}, 2,
                "error[input-unknown]: the artefact has no input 'w'\n"
                "  why:  its inputs are: x, a, i\n");
  nnef::write_npz(std::vector<nnef::NamedTensor>{{"x", iota_2x3()}, {"w", iota_2x3()}},
                  sandbox.path("more.npz"));
  check_failure(
      sandbox, {"run", "m", "-i", "more.npz"}, 2,
      "error[input-unknown]: 'more.npz' contains an array 'w' that is not an input of the "
      "artefact\n"
      "  why:  its inputs are: x, a, i\n"
      "  help: select the inputs: -i x=@more.npz\n");
  check_failure(sandbox, {"run", "m", "-i", "x=2,3", "-i", "input_0=2,3"}, 2,
                "error[usage]: the input 'x' is given twice\n");
  check_failure(sandbox, {"run", "m", "-i", "nope.npz"}, 3,
                "error[input-unreadable]: cannot read the inputs 'nope.npz'\n"
                "  why:  No such file or directory\n");
}

TEST_CASE("sizes that break an assertion, or disagree, reach no engine") {
  const Sandbox sandbox;
  sandbox.folder().write("m/graph.nnef",
                         "version 1.0;\nextension tract_registry tract_core;\n"
                         "extension tract_symbol S;\nextension tract_assert S <= 4;\n"
                         "graph net(x, a) -> (y) {\na = external(shape = [2*S + 1]);\n"
                         "x = external(shape = [S, 3]);\ny = reshape(x, shape = [3, S]);\n}\n");
  const auto fails = [&](const std::string& x, const std::string& a, const std::string& text) {
    for (const char* engine : {"auto", "reference", "./nope.so"})
      check_failure(
          sandbox, {"run", "m", "-i", x, "-i", a, "--engine", engine, "-o", "out.npz"}, 3,
          text + "  help: give inputs of other sizes; `t2nnef inspect` shows the expected ones\n");
  };
  fails("x=3,3", "a=8",
        "error[input-sizes]: the sizes of 'x' and 'a' are incompatible\n"
        "   'x', axis 0: S = 3\n"
        "   'a', axis 0: 2*S + 1 = 8\n"
        "  why:  the last of them would have to be 7\n");
  fails("x=5,3", "a=11",
        "error[input-sizes]: the sizes of 'x' violate the assertion S <= 4\n"
        "   'x', axis 0: S = 5\n"
        "  why:  tract assumes that assertions hold: otherwise results are wrong\n");
  CHECK_EQ(sandbox.run({"run", "m", "-i", "x=3,3", "-i", "a=7", "--engine", "reference"}).code, 0);
}

TEST_CASE("unusable destinations and artefacts") {
  Sandbox sandbox;
  write_mixed_model(sandbox);
  check_failure(sandbox, {"run"}, 2,
                "error[usage]: the artefact is missing\n"
                "  help: for example: t2nnef run model.nnef.tgz -i in.npz -o out.npz\n");
  check_failure(sandbox, {"run", "m", "-o", "out.npy"}, 2,
                "error[usage]: the outputs cannot be written to 'out.npy'\n"
                "  why:  they are written as .npz\n"
                "  help: write -o out.npy.npz\n");
  check_failure(sandbox, {"run", "m", "-o", "nowhere/out.npz"}, 8,
                "error[cannot-write]: cannot write 'nowhere/out.npz'\n"
                "  why:  No such file or directory\n"
                "  help: choose another path\n");
  check_failure(sandbox, {"run", "nope"}, 3,
                "error[model-not-found]: cannot open the artefact 'nope'\n"
                "  why:  No such file or directory\n");
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  check_failure(sandbox, {"run", "digits.pt"}, 3,
                "error[model-format]: 'digits.pt' is a TorchScript model, not an NNEF artefact\n"
                "  help: export it first: t2nnef export digits.pt --target tract\n");
  sandbox.folder().write("text", "no archive");
  CHECK_EQ(sandbox.run({"run", "text"}).code, 3);
}

TEST_CASE("unknown engines") {
  const Sandbox sandbox;
  write_mixed_model(sandbox);
  check_failure(sandbox, {"run", "m", "--engine", "trakt"}, 2,
                "error[usage]: there is no engine 'trakt'\n"
                "  why:  engines are auto, reference, tract, tract@VERSION, and the path of "
                "tract's library\n"
                "  help: did you mean 'tract'?\n");
  check_failure(sandbox, {"run", "m", "--engine", "tract@new"}, 2,
                "error[usage]: --engine 'tract@new' contains no valid version\n"
                "  help: write for example --engine tract@0.21.19\n");
  check_failure(sandbox, {"run", "m", "--engine", "./nope.so"}, 7,
                "error[engine-not-found]: there is no tract library './nope.so'\n"
                "  why:  No such file or directory\n"
                "  help: pass the path of tract's library, or of its folder, with --engine\n");
  const Result none = sandbox.run({"run", "m", "--engine", "tract", "-o", "o.npz"}, no_engine());
  CHECK_EQ(none.code, 7);
  CHECK(none.err.starts_with("error[engine-not-found]: "));
  CHECK_EQ(sandbox.listing().size(), 2);
}

TEST_CASE("an artefact that the engine rejects leaves nothing") {
  if (!engine(23)) return;
  const Sandbox sandbox;
  sandbox.folder().write("m/graph.nnef",
                         "version 1.0;\nextension tract_registry tract_core;\n"
                         "graph net(x) -> (y) {\nx = external(shape = [2]);\n"
                         "y = frobnicate(x);\n}\n");
  const auto before = sandbox.listing();
  const Result result = sandbox.run({"run", "m", "--engine", "tract", "-o", "out.npz"});
  CHECK_EQ(result.code, 6);
  CHECK(result.err.starts_with("error[nnef-violation]: 'y': there is no operation 'frobnicate'\n"));
  CHECK(contains(result.err, "\nerror[engine-rejects]: "));
  CHECK(sandbox.listing() == before);
}

}  // namespace t2n::test

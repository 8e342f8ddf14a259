// SPDX-License-Identifier: Apache-2.0
// inspect on artefacts: exports, models written by hand, and what is none.
#include <filesystem>

#include "tests/cli/program.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

void export_digits(const Sandbox& sandbox, const std::string& output) {
  REQUIRE_EQ(sandbox.run({"export", "digits.pt", "-t", "tract@0.21.19", "-o", output}).code, 0);
}

/// Everything that an artefact may hold.
void write_rich(const Sandbox& sandbox) {
  sandbox.folder().write(
      "rich/graph.nnef",
      "version 1.0;\nextension tract_registry tract_core;\nextension tract_symbol S;\n"
      "fragment twice(x: tensor<scalar>) -> (y: tensor<scalar>) { y = x + x; }\n"
      "graph net(ids, mask) -> (y, z) {\n"
      "ids = tract_core_external(shape = [1, S], datum_type = 'i64');\n"
      "mask = external<logical>(shape = [1, 4]);\n"
      "w = variable<scalar>(label = 'w', shape = [2, 3]);\n"
      "y = relu(twice(w));\nz = relu(w);\n}\n");
  sandbox.folder().write("rich/w.dat", dat_file({2, 3}, {1, 2, 3, 4, 5, 6}));
  sandbox.folder().write("rich/graph.quant",
                         "\"y\": linear_quantize(min = 0.0, max = 6.0, bits = 8);\n");
  sandbox.folder().write("rich/notes.txt", "mine");
}

}  // namespace

TEST_CASE("an export, in every form, whatever it is called") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  export_digits(sandbox, "d.nnef.tgz");
  export_digits(sandbox, "d.tar");
  export_digits(sandbox, "folder");
  fs::rename(sandbox.path("d.tar"), sandbox.path("d.model"));
  const std::string text =
      "\nproperties:\n"
      "  t2nnef_version        0.1.0\n"
      "  tract_target_version  0.21.19\n"
      "extensions:\n"
      "  tract_registry tract_core\n"
      "inputs:\n"
      "  x f32[4,1,8,8]\n"
      "outputs:\n"
      "  output_0 f32[4,10]\n"
      "operations: 10 uses of 7\n"
      "  2x  batch_normalization\n"
      "  2x  conv\n"
      "  2x  relu\n"
      "  1x  box\n"
      "  1x  linear\n"
      "  1x  max_pool\n"
      "  1x  reshape\n"
      "parameters: 6.2 k (24.9 kB)\n"
      "  12x  f32  6.2 k  24.9 kB\n"
      "to run it:\n";
  for (const std::string name : {"d.nnef.tgz", "d.model", "folder"}) {
    CAPTURE(name);
    const Result result = sandbox.run({"inspect", name});
    CHECK_EQ(result.code, 0);
    CHECK_EQ(result.err, "");
    CHECK(result.out.starts_with(name + ": NNEF for tract, graph DigitsCnn, "));
    CHECK(contains(result.out, text));
    CHECK(result.out.ends_with("\n  t2nnef run " + name + " -i x=4,1,8,8,f32 -o out.npz\n"));
  }
}

TEST_CASE("an artefact with everything it may contain") {
  const Sandbox sandbox;
  write_rich(sandbox);
  const Result result = sandbox.run({"inspect", "rich"});
  CHECK_EQ(result.code, 0);
  CHECK_EQ(result.out.substr(result.out.find("extensions:")),
           "extensions:\n"
           "  tract_registry tract_core\n"
           "  tract_symbol S\n"
           "inputs:\n"
           "  ids i64[1,S]\n"
           "  mask bool[1,4]\n"
           "outputs:\n"
           "  y f32[2,3]\n"
           "  z f32[2,3]\n"
           "operations: 3 uses of 2\n"
           "  2x  relu\n"
           "  1x  twice\n"
           "fragments:\n"
           "  twice\n"
           "parameters: 6 (24 bytes)\n"
           "  1x  f32  6  24 bytes\n"
           "quantised: 1 tensor\n"
           "  y  8 bits, per tensor\n"
           "unreferenced files:\n"
           "  notes.txt\n"
           "to run it:\n"
           "  t2nnef run rich -i ids=1,1,i64 -i mask=1,4,bool -o out.npz\n");
}

TEST_CASE("an artefact as JSON") {
  const Sandbox sandbox;
  write_rich(sandbox);
  const Result result = sandbox.run({"inspect", "rich", "--json"});
  CHECK_EQ(result.code, 0);
  CHECK_EQ(result.err, "");
  CHECK(contains(result.out, "  \"artifact\": {\n    \"path\": \"rich\",\n"));
  CHECK(contains(result.out, "    \"dialect\": \"tract\",\n    \"graph\": \"net\",\n"));
  CHECK(contains(result.out,
                 "    {\n      \"name\": \"ids\",\n      \"dtype\": \"i64\",\n"
                 "      \"shape\": [\n        1,\n        \"S\"\n      ]\n    },\n"));
  CHECK(contains(
      result.out,
      "    \"operations\": [\n      {\n        \"name\": \"relu\",\n        \"uses\": 2\n"
      "      },\n      {\n        \"name\": \"twice\",\n        \"uses\": 1\n      }\n    ],\n"
      "    \"fragments\": [\n      \"twice\"\n    ],\n"
      "    \"weights\": [\n      {\n        \"item\": \"f32\",\n"
      "        \"tensors\": 1,\n        \"values\": 6,\n        \"bytes\": 24\n      }\n"
      "    ],\n    \"quantised\": 1,\n"
      "    \"quantised_tensors\": [\n      {\n        \"name\": \"y\",\n"
      "        \"function\": \"linear_quantize\",\n        \"bits\": 8,\n"
      "        \"scales\": 1\n      }\n    ],\n"
      "    \"bytes_saved\": 0,\n    \"fake_quantisations\": 0,\n"
      "    \"unused_files\": [\n      \"notes.txt\"\n    ],\n"));
}

TEST_CASE("scales of channels are counted") {
  const Sandbox sandbox;
  write_rich(sandbox);
  sandbox.folder().write(
      "rich/graph.quant",
      "\"y\": linear_quantize(min = [0.0, -1.0], max = [6.0, 7.0], bits = 8);\n");
  const Result result = sandbox.run({"inspect", "rich", "--json"});
  CHECK_EQ(result.err, "");
  CHECK(contains(result.out, "        \"bits\": 8,\n        \"scales\": 2\n"));
}

TEST_CASE("the text of an artefact") {
  const Sandbox sandbox;
  write_rich(sandbox);
  const Result result = sandbox.run({"inspect", "rich", "--graph"});
  CHECK_EQ(result.code, 0);
  CHECK(result.out.starts_with("version 1.0;\n\nextension tract_registry tract_core;\n"));
  CHECK(contains(result.out, "\n    y = relu(twice(w));\n"));
}

TEST_CASE("many files are counted") {
  const Sandbox sandbox;
  write_rich(sandbox);
  for (int i = 0; i < 25; ++i) sandbox.folder().write(cat("rich/notes/", 10 + i), "mine");
  CHECK(contains(sandbox.run({"inspect", "rich"}).out,
                 "  notes/28\n  … and 6 more; --json lists all\nto run it:\n"));
}

TEST_CASE("strict NNEF names no engine") {
  const Sandbox sandbox;
  sandbox.folder().write("strict/graph.nnef",
                         "version 1.0;\ngraph net(x) -> (y) {\nx = external(shape = [2]);\n"
                         "y = relu(x);\n}\n");
  const std::string good = sandbox.run({"inspect", "strict"}).out;
  CHECK(good.starts_with("strict: NNEF for any reader of the standard, graph net, "));
  CHECK_FALSE(contains(good, "violations of the standard"));
  sandbox.folder().write("strict/graph.nnef",
                         "version 1.0;\ngraph net(x) -> (y) {\nx = external(shape = [2]);\n"
                         "y = frobnicate(x);\n}\n");
  CHECK(contains(sandbox.run({"inspect", "strict"}).out,
                 "\nviolations of the standard:\n  'y': there is no operation 'frobnicate'\n"));
}

TEST_CASE("--lint: a strict file's violations, with places and an exit code") {
  const Sandbox sandbox;
  const std::string head = "version 1.0;\ngraph net(x) -> (y) {\n  x = external(shape = [2, 3]);\n";
  sandbox.folder().write("strict/graph.nnef", head + "  y = relu(x);\n}\n");
  const Result good = sandbox.run({"inspect", "strict", "--lint"});
  CHECK_EQ(good.code, 0);
  CHECK_EQ(good.out, "strict: no violations\n");
  CHECK_EQ(good.err, "");
  sandbox.folder().write("strict/graph.nnef",
                         head +
                             "  z = frobnicate(x);\n  w = [1.0];\n  y = softmax(x, axes = [5]);\n"
                             "}\n");
  const Result bad = sandbox.run({"inspect", "strict", "--lint"});
  CHECK_EQ(bad.code, 4);
  CHECK_EQ(bad.out, "strict: 3 violations\n");
  CHECK_EQ(bad.err,
           "error[nnef-violation]: 'z': there is no operation 'frobnicate'\n"
           "  --> graph.nnef:4:3\n   |  z = frobnicate(x);\n   |  ^\n"
           "error[nnef-violation]: 'w': its right side is not a call of an operation\n"
           "  --> graph.nnef:5:3\n   |  w = [1.0];\n   |  ^\n"
           "error[nnef-violation]: 'y': 'softmax': 'axes' names axis 5 of a tensor with 2 axes\n"
           "  --> graph.nnef:6:3\n   |  y = softmax(x, axes = [5]);\n   |  ^\n");
}

TEST_CASE("--lint: a file for tract") {
  const Sandbox sandbox;
  const std::string head =
      "version 1.0;\nextension tract_registry tract_core;\nextension tract_symbol S;\n"
      "graph net(x) -> (y) {\n  x = tract_core_external(shape = [2, S], datum_type = 'f32');\n";
  const auto lint = [&](const std::string& body) {
    sandbox.folder().write("model/graph.nnef", head + body + "}\n");
    return sandbox.run({"inspect", "model", "--lint"});
  };
  CHECK_EQ(lint("  y = relu(x);\n").code, 0);
  // A name may be given to another tensor: tract takes it.
  CHECK_EQ(lint("  y = relu(x);\n  y = exp(y);\n").code, 0);
  const Result names =
      lint("  a = relu(b);\n  c = tract_core_cast(a, too = 'f16');\n  d = tract_core_fft_(a);\n");
  CHECK_EQ(names.code, 4);
  CHECK_EQ(names.out, "model: 4 violations\n");
  CHECK_EQ(names.err,
           "error[nnef-violation]: 'a': 'b' is used before anything is assigned to it\n"
           "  --> graph.nnef:6:3\n   |  a = relu(b);\n   |  ^\n"
           "error[nnef-violation]: 'c': 'tract_core_cast' has no parameter 'too'\n"
           "  --> graph.nnef:7:3\n   |  c = tract_core_cast(a, too = 'f16');\n   |  ^\n"
           "  help: did you mean 'to'?\n"
           "error[nnef-violation]: 'd': there is no operation 'tract_core_fft_'\n"
           "  --> graph.nnef:8:3\n   |  d = tract_core_fft_(a);\n   |  ^\n"
           "  help: did you mean 'tract_core_fft'?\n"
           "error[nnef-violation]: no statement assigns the result 'y' of the graph\n");
  const Result shapes = lint("  z = concat([x, x], axis = 1);\n  y = add(x, z);\n");
  CHECK_EQ(shapes.code, 4);
  CHECK_EQ(shapes.out, "model: 1 violation\n");
  CHECK(contains(shapes.err, "error[nnef-violation]: 'y': 'add': "));
  CHECK(contains(shapes.err, "\n  --> graph.nnef:7:3\n   |  y = add(x, z);\n   |  ^\n"));
}

TEST_CASE("--lint looks into submodels, and gives JSON") {
  const Sandbox sandbox;
  const std::string head = "version 1.0;\nextension tract_registry tract_core;\n";
  sandbox.folder().write("model/graph.nnef",
                         head +
                             "graph net(x) -> (y) {\n  x = external(shape = [2]);\n"
                             "  y = tract_core_submodel([x], label = 'part');\n}\n");
  const auto lint = [&](const std::string& body) {
    sandbox.folder().write(
        "model/part/graph.nnef",
        head + "graph part(x) -> (y) {\n  x = external(shape = [2]);\n" + body + "}\n");
    return sandbox.run({"inspect", "model", "--lint", "--json"});
  };
  const Result good = lint("  y = relu(x);\n");
  CHECK_EQ(good.code, 0);
  CHECK(contains(good.out, "  \"diagnostics\": [],\n"));
  const Result bad = lint("  y = frobnicate(x);\n");
  CHECK_EQ(bad.code, 4);
  CHECK(contains(bad.out,
                 "\"message\": \"submodel 'part': 'y': there is no operation 'frobnicate'\""));
  CHECK(contains(bad.out, "\"line\": 5,\n              \"column\": 3\n"));
}

TEST_CASE("--lint is about artefacts, and prints nothing else") {
  Sandbox sandbox({"data_branch.pt"});
  write_rich(sandbox);
  check_failure(sandbox, {"inspect", "data_branch.pt", "--lint"}, 2,
                "error[usage]: 'data_branch.pt' is a model; --lint is for NNEF artefacts\n"
                "  help: export it, or run t2nnef lint data_branch.pt\n");
  CHECK_EQ(sandbox.run({"inspect", "rich", "--lint", "--graph"}).code, 2);
}

TEST_CASE("what is no artefact, or is used like a model") {
  Sandbox sandbox({"data_branch.pt"});
  write_rich(sandbox);
  check_failure(
      sandbox, {"inspect", "rich", "-i", "x=1"}, 2,
      "error[usage]: 'rich' is an NNEF artefact, which is not traced\n"
      "  help: give it without --input, --dynamic, --assert, --specialize, --accept-guard, "
      "--max-iterations, --state "
      "and --method\n");
  fs::create_directory(sandbox.path("empty"));
  const Result empty = sandbox.run({"inspect", "empty"});
  CHECK_EQ(empty.code, 3);
  CHECK(empty.err.starts_with("error[nnef-"));
  CHECK_EQ(sandbox.run({"inspect", "nope.pt"}).code, 3);
  const std::string neither =
      " is neither a TorchScript or .pt2 file nor an NNEF artefact\n"
      "  why:  a model is what torch.jit.save or torch.export.save wrote; an artefact is a folder "
      "or a tar\n  help: give the folder that contains ";
  check_failure(sandbox, {"inspect", "rich/graph.nnef"}, 3,
                "error[model-format]: 'rich/graph.nnef'" + neither + "the file\n");
  check_failure(sandbox, {"inspect", "rich/w.dat"}, 3,
                "error[model-format]: 'rich/w.dat'" + neither +
                    "graph.nnef, a .nnef.tgz or .nnef.tar of it, or a .pt file of "
                    "torch.jit.save\n");
  sandbox.folder().write("rich/graph.nnef",
                         "version 1.0;\ngraph net(x) -> (y) {\ny = relu(x);\n}\n");
  check_failure(sandbox, {"inspect", "rich"}, 3,
                "error[nnef-invalid]: the graph does not declare its input 'x'\n"
                "  help: write for example x = external(shape = [1, 3]);\n");
  sandbox.folder().write(
      "rich/graph.nnef",
      "version 1.0;\ngraph net(x) -> (y) {\nx = external(shape = [-2]);\ny = relu(x);\n}\n");
  for (const std::string command : {"inspect", "run"})
    check_failure(sandbox, {command, "rich"}, 3,
                  "error[nnef-invalid]: the input 'x f32[-2]' has the size -2\n"
                  "  help: write sizes that are positive\n");
  sandbox.folder().write("rich/graph.nnef",
                         "version 1.0;\ngraph net(x) -> (y) {\n"
                         "x = external(shape = [1000000, 1000000]);\ny = relu(x);\n}\n");
  check_failure(sandbox, {"run", "rich"}, 3,
                "error[input-shape]: cannot generate random values of f32[1000000,1000000]\n"
                "  why:  a tensor of this shape does not fit into memory\n"
                "  help: check the sizes\n");
}

}  // namespace t2n::test

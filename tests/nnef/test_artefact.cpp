// SPDX-License-Identifier: Apache-2.0
// Models read back from disk, and what is wrong with those that cannot be.
#include <doctest/doctest.h>

#include "nnef_writer/archive.h"
#include "nnef_writer/print.h"
#include "nnef_writer/quant.h"
#include "src/diag/error.h"
#include "src/nnef/artefact.h"
#include "tests/nnef_writer/support.h"

namespace t2n::nnef {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

Assignment variable(const std::string& name, const std::string& label) {
  return {
      identifier(name),
      invocation("variable", {{"shape", array({integer(2)})}, {"label", string(label)}}, "scalar"),
      ""};
}

Document example() {
  Document out;
  out.graph.parameters = {"x"};
  out.graph.results = {"y"};
  out.graph.body = {
      {identifier("x"), invocation("external", {{"shape", array({integer(2)})}}, "scalar"), ""},
      variable("b", "layers.0/b.weight"),
      variable("a", "a"),
      {identifier("y"), invocation("add", {{"", identifier("a")}, {"", identifier("b")}}), ""}};
  float value = 0;
  for (const char* label : {"layers.0/b.weight", "a"}) {
    const ir::Tensor tensor = ir::tensor_of<float>(ir::DType::f32, {2}, {value, value + 1});
    out.blobs.push_back({.label = label, .shape = {2}, .parts = {tensor}});
    value += 2;
  }
  out.quant = {{"y", invocation("linear_quantize", {{"bits", integer(8)}})}};
  return out;
}

void write(const Document& document, const fs::path& path) {
  write_artefact(document, parse_destination(path)).commit();
}

std::string refusal(const fs::path& path) {
  try {
    read_artefact(path);
  } catch (const Error& error) {
    std::string text = error.what();
    const std::string folder = path.parent_path().string() + "/";
    for (size_t at; (at = text.find(folder)) != std::string::npos;) text.erase(at, folder.size());
    return text;
  }
  return "read";
}

TEST_CASE("artefacts of the writer are read, in every form") {
  const Scratch scratch;
  const Document document = example();
  for (const char* name : {"folder", "m.nnef.tar", "m.nnef.tgz"}) {
    CAPTURE(name);
    write(document, scratch / name);
    const Artefact artefact = read_artefact(scratch / name);
    CHECK(print(artefact.document) == print(document));
    CHECK(print_quant(artefact.document.quant) == print_quant(document.quant));
    REQUIRE(artefact.tensors.size() == 2);
    CHECK(artefact.tensors[0].label == "layers.0/b.weight");
    CHECK(artefact.tensors[0].item == "f32");
    CHECK(artefact.tensors[0].bits == 32);
    CHECK(ir::to_f64(artefact.tensors[0].values) == std::vector<double>{0, 1});
    CHECK(ir::to_f64(find_tensor(artefact, "a")->values) == std::vector<double>{2, 3});
    CHECK(find_tensor(artefact, "b") == nullptr);
    CHECK(artefact.unused.empty());
    CHECK(artefact.file_bytes > 0);
  }
}

TEST_CASE("the content determines the form, not the suffix") {
  const Scratch scratch;
  write(example(), scratch / "m.tgz");
  fs::rename(scratch / "m.tgz", scratch / "model.bin");
  CHECK(read_artefact(scratch / "model.bin").tensors.size() == 2);
}

TEST_CASE("archives of the system's tar are read") {
  const Scratch scratch;
  write(example(), scratch / "m");
  output_of("cd '" + (scratch / "m").string() +
            "' && tar -cf ../dot.tar . && tar -czf ../plain.tgz *");
  for (const char* name : {"dot.tar", "plain.tgz"}) {
    CAPTURE(name);
    CHECK(read_artefact(scratch / name).tensors.size() == 2);
  }
}

TEST_CASE("a missing file is named, with the nearest that is there") {
  const Scratch scratch;
  write(example(), scratch / "m");
  fs::rename(scratch / "m/a.dat", scratch / "m/A.dat");
  CHECK(refusal(scratch / "m") ==
        "error[nnef-invalid]: the variable 'a' has no file 'a.dat'\n"
        "  --> graph.nnef:7:47\n"
        "   |  a = variable<scalar>(shape = [2], label = 'a');\n"
        "   |                                            ^^^\n"
        "  why:  it holds 2 other .dat files\n"
        "  help: did you mean 'A.dat'?\n");
}

TEST_CASE("a file of another shape is refused, and so is a damaged one") {
  const Scratch scratch;
  Document document = example();
  document.blobs[1].shape = {1, 2};
  document.blobs[1].parts[0].shape = {1, 2};
  document.blobs[1].parts[0].strides = {2, 1};
  write(document, scratch / "m");
  CHECK(refusal(scratch / "m") ==
        "error[nnef-invalid]: the variable 'a' has the shape [2]\n"
        "  --> graph.nnef:7:47\n"
        "   |  a = variable<scalar>(shape = [2], label = 'a');\n"
        "   |                                            ^^^\n"
        "  why:  its file holds [1,2]\n");
  fs::resize_file(scratch / "m/a.dat", 130);
  CHECK(refusal(scratch / "m") ==
        "error[nnef-syntax]: 'a.dat' is not a tensor that t2nnef can read\n"
        "  why:  it has 130 bytes where its header promises 136\n");
}

TEST_CASE("labels in tract's form") {
  const Scratch scratch;
  fs::create_directories(scratch / "m/sub.1");
  Document document = example();
  write(document, scratch / "other");
  fs::copy_file(scratch / "other/a.dat", scratch / "m/sub.1/w.x.dat");
  for (const char* label : {"sub.1/w.x", "/sub.1/w.x", "./sub.1/w.x"}) {
    CAPTURE(label);
    write_text(scratch / "m/graph.nnef",
               cat("version 1.0;\nextension tract_assert S % 2 == 'odd;\n"
                   "graph g(x) -> (y) { y = add(variable(label = '",
                   label, "', shape = [2]), variable([2], '", label, "')); }"));
    const Artefact artefact = read_artefact(scratch / "m");
    REQUIRE(artefact.tensors.size() == 1);
    CHECK(artefact.tensors[0].label == label);
  }
  write_text(scratch / "m/graph.nnef",
             "version 1.0;\nextension tract_assert S % 2 == 'odd;\n"
             "graph g(x) -> (y) { y = f('w', variable(label = 'w', shape = [2])); }");
  write_text(scratch / "m/all.safetensors", "");
  CHECK(refusal(scratch / "m") ==
        "error[nnef-invalid]: the variable 'w' has no file 'w.dat'\n"
        "  --> graph.nnef:3:49\n"
        "   |  graph g(x) -> (y) { y = f('w', variable(label = 'w', shape = [2])); }\n"
        "   |                                                  ^^^\n"
        "  why:  it holds 1 other .dat file\n"
        "  help: t2nnef reads .dat files only, not 'all.safetensors'\n");
  write_text(scratch / "m/graph.nnef",
             "version 1.0; graph g(x) -> (y) { y = variable(shape = [2]); }");
  CHECK(refusal(scratch / "m") ==
        "error[nnef-invalid]: a variable in graph.nnef has no label\n"
        "  why:  its values are in the file that its label names\n"
        "  help: write label = 'name'\n");
  for (const char* call : {"tract_core_submodel(x)", "tract_core_submodel(x, label = 2)"}) {
    write_text(scratch / "m/graph.nnef",
               std::string("version 1.0; graph g(x) -> (y) { y = ") + call + "; }");
    CHECK(refusal(scratch / "m") ==
          "error[nnef-invalid]: a submodel in graph.nnef has no label\n"
          "  why:  the label names its files\n"
          "  help: write label = 'name'\n");
  }
}

TEST_CASE("variables in fragments have files too") {
  const Scratch scratch;
  write(example(), scratch / "m");
  write_text(scratch / "m/graph.nnef",
             "version 1.0; fragment f(n: integer) -> (y: tensor<scalar>) {"
             " y = variable(shape = [n], label = 'a'); } graph g(x) -> (y) { y = f(2); }");
  CHECK(read_artefact(scratch / "m").tensors.size() == 1);
}

TEST_CASE("files that nothing refers to are listed") {
  const Scratch scratch;
  write(example(), scratch / "m");
  write_text(scratch / "m/notes.txt", "");
  fs::copy_file(scratch / "m/a.dat", scratch / "m/layers.0/c.dat");
  CHECK(read_artefact(scratch / "m").unused == Names{"layers.0/c.dat", "notes.txt"});
}

TEST_CASE("the graph must be at the root") {
  const Scratch scratch;
  fs::create_directory(scratch / "out");
  write(example(), scratch / "out/m");
  CHECK(refusal(scratch / "out") ==
        "error[nnef-invalid]: 'out' has no graph.nnef at its root\n"
        "  why:  it holds 'm/graph.nnef'\n"
        "  help: give the folder itself, or pack its content\n");
}

}  // namespace
}  // namespace t2n::nnef

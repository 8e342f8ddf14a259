// SPDX-License-Identifier: Apache-2.0
// Several methods in one export: all artefacts, or none.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/cli/program.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

const Arguments kInputs = {"-i", "x=2,5,4", "-i", "decode:memory=2,7,4"};

Arguments methods_of(const Arguments& more, const Arguments& inputs = kInputs) {
  Arguments out = {"export",   "translator.pt", "-t",       "tract",
                   "--method", "encode",        "--method", "decode"};
  out.insert(out.end(), inputs.begin(), inputs.end());
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

ino_t file_of(const Sandbox& sandbox, const std::string& name) {
  struct stat info {};
  REQUIRE_EQ(stat(sandbox.path(name).c_str(), &info), 0);
  return info.st_ino;
}

}  // namespace

TEST_CASE("methods that share a folder share their weights, and each runs by itself") {
  const Sandbox sandbox({"translator.pt"});
  const Result result = sandbox.run(methods_of({"-o", "out/", "--check", "--report", "r.json"}));
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.err,
                 "translator.pt: scripted, format 3\n"
                 "  encode: x f32[2,5,4] · 3 operations · 35 parameters\n"
                 "  decode: x f32[2,5,4], memory f32[2,7,4] · "));
  CHECK(result.out.starts_with("encode:\ncheck: "));
  CHECK(contains(result.out, "\ndecode:\ncheck: "));
  CHECK(contains(result.out, "\nwrote out/encode  "));
  CHECK(contains(result.out, "\nwrote out/decode  "));
  CHECK(result.out.ends_with(" of them shared with the artefacts above · needs tract_core\n"));
  for (const std::string name : {"shared.weight.dat", "shared.bias.dat"})
    CHECK_EQ(file_of(sandbox, "out/encode/" + name), file_of(sandbox, "out/decode/" + name));
  const std::string report = sandbox.content("r.json");
  CHECK(contains(report, "\"methods\": [\n    {\n      \"method\": \"encode\",\n"));
  CHECK(contains(report, "\"method\": \"decode\",\n"));
  CHECK(contains(report, "\"path\": \"out/decode\",\n"));
  CHECK(contains(report, "\"shared_bytes\": "));
  // One without the other.
  fs::remove_all(sandbox.path("out/encode"));
  CHECK_EQ(sandbox
               .run({"check", "translator.pt", "out/decode", "--method", "decode", "-i", "x=2,5,4",
                     "-i", "memory=2,7,4"})
               .code,
           0);
}

TEST_CASE("methods in archives of their own") {
  const Sandbox sandbox({"translator.pt"});
  CHECK_EQ(sandbox.run(methods_of({"--check"})).code, 0);
  CHECK(fs::exists(sandbox.path("translator.encode.nnef.tgz")));
  CHECK(fs::exists(sandbox.path("translator.decode.nnef.tgz")));
  CHECK_EQ(sandbox.run(methods_of({"-o", "a-{method}.tar"})).code, 0);
  CHECK(fs::exists(sandbox.path("a-encode.tar")));
  CHECK(fs::exists(sandbox.path("a-decode.tar")));
  CHECK_EQ(sandbox.run(methods_of({"-o", "b-{method}"})).code, 0);
  CHECK_EQ(file_of(sandbox, "b-encode/shared.weight.dat"),
           file_of(sandbox, "b-decode/shared.weight.dat"));
}

TEST_CASE("options for one method") {
  const Sandbox sandbox({"translator.pt"});
  const Result result = sandbox.run(
      methods_of({"--dynamic", "encode:x:1=T", "--assert", "encode:T>=3", "--output-name",
                  "encode:memory", "--input-name", "decode:memory=m", "-o", "out"}));
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.err, "  encode: x f32[2,T,4] · gives memory f32[2,T,4] · requires T >= 3"));
  CHECK(contains(sandbox.content("out/encode/graph.nnef"), "(x) -> (memory)\n"));
  CHECK(contains(sandbox.content("out/decode/graph.nnef"), "(x, m) -> (output_0)\n"));
  check_failure(sandbox, methods_of({"-i", "decod:x=1"}), 2,
                "error[usage]: --input 'decod:x=1' is for 'decod', which is not in --method\n  "
                "help: did you mean 'decode'?\n");
  check_failure(sandbox, methods_of({"--assert", "score:S>=1"}), 2,
                "error[usage]: --assert 'score:S>=1' is for 'score', which is not in --method\n  "
                "help: the methods are: encode, decode\n");
}

TEST_CASE("each method that fails is named, and nothing is written") {
  const Sandbox sandbox({"translator.pt"});
  CHECK_EQ(sandbox.run(methods_of({"-o", "out"})).code, 0);
  check_failure(sandbox, methods_of({"-o", "out"}, {}), 2,
                "error[input-missing]: encode: the input 'x' (Tensor) has no sample\n"
                "  why:  the file does not contain its shape\n"
                "  help: give its shape, such as --input x=1,16,f32, or its values: "
                "--input x=@file.npy; options for this method only begin with "
                "'encode:'\n"
                "error[input-missing]: decode: 2 inputs have no samples\n"
                "   'x' (Tensor)\n"
                "   'memory' (Tensor)\n"
                "  why:  the file contains neither their shapes nor their values\n"
                "  help: give shapes and values, such as --input x=1,16,f32 --input "
                "memory=1,16,f32; `t2nnef inspect` shows the arguments; options for this method "
                "only begin with 'decode:'\n");
  const auto before = sandbox.listing();
  for (const std::string output : {"out", "{method}.tgz", "{method}"}) {
    // The second method is the one that fails.
    const Result result =
        sandbox.run({"export", "translator.pt", "-t", "tract", "--method", "encode", "--method",
                     "sample", "-i", "x=2,5,4", "-o", output == "out" ? "new" : output});
    CHECK_EQ(result.code, 4);
    CHECK(contains(result.err, "]: sample: "));
    CHECK(sandbox.listing() == before);
  }
}

TEST_CASE("archives that are replaced are replaced together") {
  const Sandbox sandbox({"translator.pt"});
  CHECK_EQ(sandbox.run(methods_of({"-o", "{method}.tar"})).code, 0);
  const std::string before = sandbox.content("encode.tar");
  fs::remove(sandbox.path("decode.tar"));
  fs::create_directory(sandbox.path("decode.tar"));
  check_failure(sandbox, methods_of({"-o", "{method}.tar", "--output-name", "y"}), 8,
                "error[output-exists]: 'decode.tar' is a folder, an archive cannot replace it\n"
                "  help: name a file, or remove the folder yourself\n");
  CHECK_EQ(sandbox.content("encode.tar"), before);
  fs::remove(sandbox.path("decode.tar"));
  CHECK_EQ(sandbox.run(methods_of({"-o", "{method}.tar", "--output-name", "y"})).code, 0);
  CHECK_NE(sandbox.content("encode.tar"), before);
}

TEST_CASE("a folder of methods replaces the same methods only") {
  const Sandbox sandbox({"translator.pt"});
  CHECK_EQ(sandbox.run(methods_of({"-o", "out"})).code, 0);
  CHECK_EQ(sandbox.run(methods_of({"-o", "out"})).code, 0);
  fs::rename(sandbox.path("out/decode"), sandbox.path("out/other"));
  check_failure(
      sandbox, methods_of({"-o", "out"}), 8,
      "error[output-exists]: the folder 'out' holds 'other', which this command does not write\n"
      "  why:  a folder is replaced only if it contains nothing but a model\n"
      "  help: name another folder, or remove this one yourself\n");
  // Nor does one method replace a folder of several.
  check_failure(sandbox,
                {"export", "translator.pt", "-t", "tract", "--method", "encode", "-i", "x=2,5,4",
                 "-o", "out"},
                8,
                "error[output-exists]: the folder 'out' holds no graph.nnef\n"
                "  why:  a folder is replaced only if it contains nothing but a model\n"
                "  help: name another folder, or remove this one yourself\n");
}

TEST_CASE("methods that cannot be exported together") {
  const Sandbox sandbox({"translator.pt", "methods.pt"});
  check_failure(sandbox, methods_of({"--method", "encode"}), 2,
                "error[usage]: --method encode is given twice\n");
  check_failure(
      sandbox, methods_of({"--method", "Encode"}), 2,
      "error[usage]: the methods 'encode' and 'Encode' would write files with the same name\n"
      "  why:  where file names ignore case, one would replace the other\n"
      "  help: export them one after the other\n");
  check_failure(sandbox, methods_of({"--method", "score"}), 3,
                "error[model-format]: the model has no method 'score'\n"
                "  why:  its methods are: decode, encode, sample\n"
                "  help: choose one, for example: --method decode\n");
  for (const std::string output : {"all.tgz", "all.tar", "-"})
    check_failure(sandbox, methods_of({"-o", output}), 2,
                  "error[usage]: -o '" + output +
                      "' is one archive, and 2 methods are exported\n"
                      "  why:  an artefact has one graph\n"
                      "  help: name a folder for all of them, -o 'translator', or one archive per "
                      "method: -o 'translator.{method}.nnef.tgz'\n");
  check_failure(sandbox, methods_of({"--preset", "causal-llm"}), 2,
                "error[usage]: --preset works with one method only\n"
                "  help: export each method separately\n");
  for (const std::string command : {"inspect", "ops"})
    check_failure(sandbox, {command, "translator.pt", "--method", "encode", "--method", "decode"},
                  2,
                  "error[usage]: --method is given 2 times\n"
                  "  why:  only `export` takes several methods\n"
                  "  help: give one\n");
}

TEST_CASE("the command line's methods replace those of an options file") {
  const Sandbox sandbox({"translator.pt"});
  std::ofstream(sandbox.path("o.toml"))
      << "method = [\"encode\", \"decode\"]\ntarget = \"tract\"\n";
  Arguments arguments = {"export", "translator.pt", "--config", "o.toml"};
  arguments.insert(arguments.end(), kInputs.begin(), kInputs.end());
  arguments.insert(arguments.end(), {"-o", "out"});
  CHECK_EQ(sandbox.run(arguments).code, 0);
  CHECK(fs::exists(sandbox.path("out/decode/graph.nnef")));
  const Result one = sandbox.run({"export", "translator.pt", "--config", "o.toml", "--method",
                                  "encode", "-i", "x=2,5,4", "-o", "one"});
  CHECK_EQ(one.code, 0);
  CHECK(contains(one.err, "--method is 'encode', not 'decode' as in 'o.toml'"));
  CHECK(fs::exists(sandbox.path("one/graph.nnef")));
}

}  // namespace t2n::test

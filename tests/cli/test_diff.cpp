// SPDX-License-Identifier: Apache-2.0
// What `diff` tells apart and what it does not, on models written by hand and on exports.
#include <filesystem>
#include <set>

#include "tests/cli/program.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

const std::string kBody =
    "x = tract_core_external(shape = [2, 3], datum_type = 'f32');\n"
    "w = variable<scalar>(label = 'w', shape = [2, 3]);\n"
    "b = variable<scalar>(label = 'b', shape = [1, 2]);\n"
    "l = linear(x, w, b);\n"
    "r = relu(l);\n"
    "s = sigmoid(r);\n"
    "y = softmax(s, axes = [1]);\n";

std::string properties(const std::string& rows) {
  return "fragment tract_core_properties() -> (properties: (string, tensor<scalar>)[]) {\n"
         "properties = [" +
         rows + "]; }\n";
}

/// A model in the folder `name`.
void write_artefact(const Sandbox& sandbox, const std::string& name,
                    const std::string& body = kBody, const std::string& head = "",
                    const std::vector<float>& bias = {1, 2}) {
  sandbox.folder().write(name + "/graph.nnef",
                         "version 1.0;\nextension tract_registry tract_core;\n" + head +
                             "graph net(x) -> (y) {\n" + body + "}\n");
  sandbox.folder().write(name + "/w.dat", dat_file({2, 3}, {1, 2, 3, 4, 5, 6}));
  sandbox.folder().write(name + "/b.dat", dat_file({1, 2}, bias));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

void check_diff(const Sandbox& sandbox, const std::string& text, const Arguments& more = {}) {
  Arguments arguments = {"diff", "a", "b"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Result result = sandbox.run(arguments);
  CHECK_EQ(result.out, text);
  CHECK_EQ(result.err, "");
  CHECK_EQ(result.code, text.find(" are equal: ") == std::string::npos ? 9 : 0);
}

/// The body of b is a's with one change.
void check_change(const std::string& from, const std::string& to, const std::string& text) {
  CAPTURE(to);
  const Sandbox sandbox;
  write_artefact(sandbox, "a");
  write_artefact(sandbox, "b", replaced(kBody, from, to));
  check_diff(sandbox, text);
}

const std::string kEqual = "a and b are equal: 4 operations and 2 weights in both\n";

}  // namespace

TEST_CASE("artefacts with the same meaning are equal") {
  check_change("r = relu(l)", "r = relu(x = l)", kEqual);
  check_change("s = sigmoid(r);", "s = sigmoid(r);  # a comment", kEqual);
  check_change("y = softmax(s, axes = [1])", "y = softmax(axes = [1], x = s)", kEqual);
  check_change("linear(x, w, b)", "linear(x, bias = b, filter = w)", kEqual);
  check_change("r = relu(l);\ns = sigmoid(r);", "other = relu(l);\ns = sigmoid(other);", kEqual);
  check_change("l = linear(x, w, b);\nr = relu(l);", "r = relu(linear(x, w, b));", kEqual);
  check_change(
      "w = variable<scalar>(label = 'w', shape = [2, 3]);\n"
      "b = variable<scalar>(label = 'b', shape = [1, 2]);\n",
      "b = variable<scalar>(label = 'b', shape = [1, 2]);\n"
      "w = variable<scalar>(label = 'w', shape = [2, 3]);\n",
      kEqual);
}

TEST_CASE("defaults are filled in") {
  const Sandbox sandbox;
  const std::string conv =
      "x = tract_core_external(shape = [1, 1, 4, 4], datum_type = 'f32');\n"
      "w = variable<scalar>(label = 'k', shape = [1, 1, 2, 2]);\n"
      "y = conv(x, w";
  for (const auto& [name, rest] :
       {std::pair{"a", ");\n"}, {"b", ", bias = 0.0, border = 'constant', stride = []);\n"}}) {
    write_artefact(sandbox, name, conv + rest);
    sandbox.folder().write(std::string(name) + "/k.dat", dat_file({1, 1, 2, 2}, {1, 2, 3, 4}));
  }
  check_diff(sandbox, "a and b are equal: 1 operation and 1 weight in both\n");
}

TEST_CASE("operations") {
  check_change("axes = [1]", "axes = [0]",
               "operations:\n  ~ softmax 'y': axes [1] -> [0]\n"
               "1 difference; 4 operations and 2 weights in both\n");
  check_change("r = relu(l)", "r = elu(l)",
               "operations:\n  - relu 'r'\n  + elu 'r'\n"
               "2 differences; 3 operations and 2 weights in both\n");
  check_change("s = sigmoid(r)", "s = sigmoid(l)",
               "operations:\n  ~ sigmoid 's': x r -> l\n"
               "1 difference; 4 operations and 2 weights in both\n");
  check_change("s = sigmoid(r)", "t = tanh(r);\ns = sigmoid(t)",
               "operations:\n  + tanh 't'\n1 difference; 4 operations and 2 weights in both\n");
  check_change("r = relu(l);\ns = sigmoid(r)", "s = sigmoid(l)",
               "operations:\n  - relu 'r'\n1 difference; 3 operations and 2 weights in both\n");
  check_change("linear(x, w, b)", "linear(x, w, 0.5)",
               "operations:\n  ~ linear 'l': bias b -> 0.5\n"
               "1 difference; 4 operations and 2 weights in both\n");
}

TEST_CASE("a few operations removed from a long chain") {
  const Sandbox sandbox;
  constexpr const char* kOperations[] = {"relu", "sigmoid", "tanh", "exp"};
  const auto chain = [&](const std::set<int>& left_out) {
    std::string out = "x = tract_core_external(shape = [2], datum_type = 'f32');\n";
    std::string last = "x";
    for (int i = 0; i < 6000; ++i) {
      if (left_out.contains(i)) continue;
      out += cat("v", i, " = ", kOperations[(i * 7919 % 131) % 4], "(", last, ");\n");
      last = cat("v", i);
    }
    return out + "y = relu(" + last + ");\n";
  };
  write_artefact(sandbox, "a", chain({}));
  write_artefact(sandbox, "b", chain({100, 3000, 5900}));
  const Result result = sandbox.run({"diff", "a", "b"});
  CHECK_EQ(result.code, 9);
  CHECK(result.out.ends_with("\n3 differences; 5998 operations and 0 weights in both\n"));
}

TEST_CASE("operands that are exchanged") {
  const Sandbox sandbox;
  const std::string head =
      "x = tract_core_external(shape = [2], datum_type = 'f32');\n"
      "p = relu(x);\nq = exp(x);\n";
  write_artefact(sandbox, "a", head + "y = sub(p, q);\n");
  write_artefact(sandbox, "b", head + "y = sub(q, p);\n");
  check_diff(sandbox,
             "operations:\n  ~ sub 'y': x p -> q\n  ~ sub 'y': y q -> p\n"
             "2 differences; 3 operations and 0 weights in both\n");
}

TEST_CASE("inputs and outputs") {
  check_change("shape = [2, 3], datum_type = 'f32'", "shape = [4, 3], datum_type = 'f32'",
               "inputs:\n  ~ 'x': shape [2, 3] -> [4, 3]\n"
               "1 difference; 4 operations and 2 weights in both\n");
  const Sandbox sandbox;
  write_artefact(sandbox, "a");
  sandbox.folder().write("b/graph.nnef",
                         "version 1.0;\nextension tract_registry tract_core;\n"
                         "graph net(image, more) -> (z) {\n"
                         "image = external<scalar>(shape = [2, 3]);\n"
                         "more = external<scalar>(shape = [1]);\n"
                         "z = relu(image);\n}\n");
  sandbox.folder().write("a/graph.nnef",
                         "version 1.0;\nextension tract_registry tract_core;\n"
                         "graph net(x) -> (y, x) {\n"
                         "x = external<scalar>(shape = [2, 3]);\n"
                         "y = relu(x);\n}\n");
  check_diff(sandbox,
             "inputs:\n  ~ 'x': name x -> image\n  + 'more'\n"
             "outputs:\n  ~ 'y': name y -> z\n  - 'x'\n"
             "4 differences; 1 operation and 0 weights in both\n");
}

TEST_CASE("weights") {
  const Sandbox sandbox;
  write_artefact(sandbox, "a");
  write_artefact(sandbox, "b", kBody, "", {1, 2.5F});
  check_diff(sandbox,
             "weights:\n  ~ 'b': values differ, max|Δ| 0.5\n"
             "1 difference; 4 operations and 2 weights in both\n");
  write_artefact(sandbox, "b", kBody, "", {1, std::numeric_limits<float>::infinity()});
  check_diff(sandbox,
             "weights:\n  ~ 'b': values differ, max|Δ| inf\n"
             "1 difference; 4 operations and 2 weights in both\n");
  write_artefact(sandbox, "b", replaced(kBody, "shape = [1, 2]", "shape = [2]"));
  sandbox.folder().write("b/b.dat", dat_file({2}, {1, 2}));
  check_diff(sandbox,
             "weights:\n  ~ 'b': type f32[1,2] -> f32[2]\n"
             "1 difference; 4 operations and 2 weights in both\n");
}

TEST_CASE("names count on request") {
  const Sandbox sandbox;
  write_artefact(sandbox, "a");
  write_artefact(sandbox, "b",
                 replaced(replaced(kBody, "r = relu(l)", "hidden = relu(l)"), "(r)", "(hidden)"));
  fs::rename(sandbox.path("b/w.dat"), sandbox.path("b/weight.dat"));
  write_artefact(sandbox, "c", replaced(kBody, "label = 'w'", "label = 'weight'"));
  fs::copy(sandbox.path("c/graph.nnef"), sandbox.path("b/graph.nnef"),
           fs::copy_options::overwrite_existing);
  check_diff(sandbox, kEqual);
  check_diff(sandbox,
             "names:\n  ~ variable<scalar> 'w': label w -> weight\n"
             "1 difference; 4 operations and 2 weights in both\n",
             {"--names"});
}

TEST_CASE("metadata and fragments") {
  const Sandbox sandbox;
  const std::string twice =
      "fragment twice(x: tensor<scalar>) -> (y: tensor<scalar>) { y = x + x; }\n";
  write_artefact(sandbox, "a", kBody,
                 "extension tract_symbol S;\n" + properties("('by', 'one'), ('count', 1)") + twice);
  write_artefact(sandbox, "b", kBody,
                 "extension tract_assert S>=1;\nextension tract_symbol S;\n" +
                     properties("('by', 'two')") + replaced(twice, "x + x", "2.0 * x"));
  check_diff(sandbox,
             "extensions:\n  + tract_assert S>=1\n"
             "properties:\n  ~ 'by': one -> two\n  - 'count'  1\n"
             "fragments:\n  ~ 'twice': differs\n"
             "4 differences; 4 operations and 2 weights in both\n");
}

TEST_CASE("quantisation goes with the tensors, whatever they are called") {
  const Sandbox sandbox;
  write_artefact(sandbox, "a");
  write_artefact(sandbox, "b",
                 replaced(replaced(kBody, "r = relu(l)", "other = relu(l)"), "(r)", "(other)"));
  const auto quant = [](const std::string& name, const std::string& bits) {
    return "\"" + name + "\": linear_quantize(min = 0.0, max = 6.0, bits = " + bits + ");\n";
  };
  sandbox.folder().write("a/graph.quant", quant("r", "8"));
  sandbox.folder().write("b/graph.quant", quant("other", "8"));
  check_diff(sandbox, kEqual);
  sandbox.folder().write("b/graph.quant", quant("other", "4"));
  check_diff(sandbox,
             "quantisation:\n  ~ 'other': linear_quantize(bits = 8, max = 6.0, min = 0.0) -> "
             "linear_quantize(bits = 4, max = 6.0, min = 0.0)\n"
             "1 difference; 4 operations and 2 weights in both\n");
}

TEST_CASE("the result of a check as JSON") {
  const Sandbox sandbox;
  write_artefact(sandbox, "a");
  write_artefact(sandbox, "b", replaced(kBody, "axes = [1]", "axes = [0]"), "", {1, 3});
  const Result result = sandbox.run({"diff", "a", "b", "--json"});
  CHECK_EQ(result.code, 9);
  CHECK(contains(result.out,
                 "  \"a\": \"a\",\n  \"b\": \"b\",\n  \"equal\": false,\n"
                 "  \"common\": {\n    \"operations\": 4,\n    \"weights\": 2\n  },\n"
                 "  \"differences\": [\n    {\n      \"part\": \"operations\",\n"
                 "      \"kind\": \"changed\",\n      \"name\": \"y\",\n"
                 "      \"operation\": \"softmax\",\n      \"aspect\": \"axes\",\n"
                 "      \"a\": \"[1]\",\n      \"b\": \"[0]\"\n    },\n"
                 "    {\n      \"part\": \"weights\",\n      \"kind\": \"changed\",\n"
                 "      \"name\": \"b\",\n      \"aspect\": \"values\",\n"
                 "      \"max_abs\": 1.0\n    }\n  ],\n"));
}

TEST_CASE("exports of one model for two versions, in every form") {
  Sandbox sandbox;
  sandbox.copy_fixture("transformer_encoder/model.pt", "m.pt");
  const auto made = [&](const std::string& target, const std::string& output) {
    REQUIRE_EQ(sandbox.run({"export", "m.pt", "-t", target, "-o", output}).code, 0);
  };
  made("tract@0.23.9", "new.nnef.tgz");
  made("tract@0.23.9", "new.nnef.tar");
  made("tract@0.23.9", "new");
  made("tract@0.21.19", "old");
  CHECK_EQ(sandbox.run({"diff", "new.nnef.tgz", "new.nnef.tar"}).code, 0);
  CHECK_EQ(sandbox.run({"diff", "new", "new.nnef.tar", "--names"}).code, 0);
  const Result result = sandbox.run({"diff", "old", "new"});
  CHECK_EQ(result.code, 9);
  CHECK(contains(result.out, "\n1 difference; "));
  CHECK(contains(result.out, "\n  ~ 'tract_target_version': 0.21.19 -> 0.23.9\n"));
  CHECK_FALSE(contains(result.out, "weights:\n"));
}

TEST_CASE("artefacts that cannot be compared") {
  const Sandbox sandbox;
  sandbox.folder().write("text", "no archive");
  write_artefact(sandbox, "a");
  check_failure(sandbox, {"diff", "a"}, 2,
                "error[usage]: two artefacts are needed\n"
                "  help: for example: t2nnef diff before.nnef.tgz after.nnef.tgz\n");
  check_failure(sandbox, {"diff", "a", "a", "a"}, 2,
                "error[usage]: 'a' is an unexpected argument\n"
                "  help: `t2nnef diff --help` shows what it takes\n");
  check_failure(sandbox, {"diff", "a", "nope"}, 3,
                "error[model-not-found]: cannot open the artefact 'nope'\n"
                "  why:  No such file or directory\n");
  check_failure(sandbox, {"diff", "text", "a"}, 3,
                "error[nnef-syntax]: 'text' cannot be read as an NNEF model\n"
                "  why:  it is neither a folder nor a tar nor a gzipped tar\n"
                "  help: give the folder that contains graph.nnef, or a .nnef.tgz or .nnef.tar of "
                "it\n");
}

}  // namespace t2n::test

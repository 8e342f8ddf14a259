// SPDX-License-Identifier: Apache-2.0
// The strict lint: documents that break one rule each, and documents that break none.
#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "src/diag/error.h"
#include "src/lint/strict.h"
#include "src/nnef/parser.h"

namespace t2n::spec {
namespace {

using nnef::Document;

/// What the lint says, a line each.
std::string messages_text(const std::vector<Violation>& violations) {
  std::string out;
  for (const Violation& each : violations) out += (out.empty() ? "" : "\n") + each.message;
  return out;
}
std::string lint(const Document& document) { return messages_text(lint_strict(document)); }
std::string lint(const Document& document, std::span<const Stored> stored) {
  return messages_text(lint_strict(document, stored));
}

Document graph(const std::string& body, const std::string& signature = "g(x) -> (y)") {
  return nnef::parse_document(cat("version 1.0; graph ", signature, " {", body, "}"), "graph.nnef");
}

/// The problems of a graph with an input x of shape [2,3,4], a line each.
std::string problems(const std::string& statements, std::span<const Stored> stored = {}) {
  return lint(graph("x = external(shape = [2, 3, 4]);" + statements), stored);
}

constexpr auto kCopy = "y = copy(x);";

TEST_CASE("a document of everything strict has no problem") {
  const Document document = graph(
      "x = external(shape = [1, 3, 8, 8]);\n"
      "n = external<integer>(shape = [2]);\n"
      "filter = variable(shape = [4, 3, 3, 3], label = 'layer1.0/conv-1.filter');\n"
      "again = variable(shape = [4, 3, 3, 3], label = 'layer1.0/conv-1.filter');\n"
      "table = variable<integer>(shape = [5], label = 'table');\n"
      "mask = variable<logical>(shape = [1, 4], label = 'mask');\n"
      "relu = relu(x);\n"
      "c = conv(relu, filter, 1e-3, padding = [(1, 1), (1, 1)], stride = [1, 1], dilation = [], "
      "groups = 1);\n"
      "s = select(mask, c, constant);\n"
      "[a, b] = split(s, axis = 1, ratios = [1, 3]);\n"
      "(mean, variance) = moments(b, axes = [2, 3]);\n"
      "k = gather(table, n);\n"
      "updated = update(filter, again);\n"
      "end = slice(a, axes = [2], begin = [-1], end = [-9], stride = [-1]);\n",
      "network(x, n) -> (mean, variance, k, end)");
  Document fixed = document;
  fixed.graph.body.insert(fixed.graph.body.begin(),
                          graph("constant = constant(shape = [1], value = [0.5]);").graph.body[0]);
  const std::vector<Stored> stored = {
      {"layer1.0/conv-1.filter", {4, 3, 3, 3}, ir::DType::f16, false, 0, {}},
      {"table", {5}, ir::DType::u8, false, 0, {}},
      {"mask", {1, 4}, ir::DType::boolean, false, 0, {}}};
  CHECK(lint(fixed, stored) == "");
  CHECK(lint(document, stored) ==
        "'s': 'select' reads 'constant', which no statement before assigns");
}

TEST_CASE("blobs are the stored tensors") {
  Document document = graph(
      "x = external(shape = [2]); w = variable(shape = [2], label = 'w');"
      "y = add(x, w);");
  CHECK(lint(document) == "'w': there is no stored tensor 'w'");
  document.blobs.push_back({.label = "w", .shape = {2}, .parts = {}});
  CHECK(lint(document) == "");
  document.blobs[0].shape = {3};
  CHECK(lint(document) == "'w': its shape is [2], and that of the stored tensor [3]");
}

TEST_CASE("a flat document has no extensions, fragments or nested expressions") {
  Document document = graph("x = external(shape = [2]); y = copy(x);");
  document.extensions = {"KHR_enable_operator_expressions"};
  document.fragments =
      nnef::parse_fragments("fragment f(x: tensor<scalar>) -> (y: tensor<scalar>);", "f");
  CHECK(lint(document) ==
        "extension 'KHR_enable_operator_expressions': a flat document has none"
        "\n"
        "fragment 'f': a flat document has none");
  CHECK(problems("y = relu(sqr(x));") ==
        "'y': 'relu' is given a call of 'sqr': in a flat document each call is a statement");
  CHECK(problems("y = x;") == "'y': its right side is not a call of an operation");
  const auto no_expression =
      "'y': 'relu' is given an expression that a flat document does not have";
  CHECK(problems("y = relu(x + 1.0);") == no_expression);
  CHECK(problems("y = relu(-x);") == no_expression);
  CHECK(problems("y = relu(x[0]);") == no_expression);
  CHECK(problems("y = relu(x if true else x);") == no_expression);
  CHECK(problems("y = concat([for i in [1] yield x], axis = 0);") ==
        "'y': 'concat' is given an expression that a flat document does not have");
  Document raw = graph("x = external(shape = [2]); y = copy(x);");
  raw.graph.body[0].right.arguments[0].value.items[0] = nnef::dimension(ir::parse_dim("2*S"));
  CHECK(lint(raw) == "'x': 'external' is given an expression that a flat document does not have");
}

TEST_CASE("names are identifiers, and no words of the language") {
  const auto named = [](const std::string& name) {
    Document document = graph("x = external(shape = [2]); y = copy(x);");
    document.graph.results = {name};
    document.graph.body[1].left.text = name;
    return lint(document);
  };
  CHECK(named("_Y1") == "");
  CHECK(named("a.b") == "'a.b' is not an identifier: letters, digits and _, not a digit first");
  CHECK(named("1y") == "'1y' is not an identifier: letters, digits and _, not a digit first");
  CHECK(named("h\xC3\xA9") ==
        "'h\xC3\xA9' is not an identifier: letters, digits and _, not a digit first");
  CHECK(named("scalar") == "'scalar' is a reserved word");
  CHECK(named("true") == "'true' is a reserved word");
  CHECK(named("yield") == "'yield' is a reserved word");
  const auto network = [](const std::string& name) {
    return lint(graph("x = external(shape = [2]); y = copy(x);", name + "(x) -> (y)"));
  };
  CHECK(network("relu_net") == "");
  CHECK(network("relu") == "the graph: 'relu' is the name of an operation");
  CHECK(network("string") == "the graph: 'string' is a reserved word");
  Document comment = graph("x = external(shape = [2]); y = copy(x);");
  comment.graph.body[1].comment = "d\xC3\xA9j\xC3\xA0 vu";
  CHECK(lint(comment) == "'y': its comment contains characters other than printable ASCII");
}

TEST_CASE("each tensor is assigned once, before it is used") {
  CHECK(problems("y = add(x, z); z = copy(x);") ==
        "'y': 'add' reads 'z', which no statement before assigns");
  CHECK(problems("y = copy(y);") == "'y': 'copy' reads 'y', which no statement before assigns");
  CHECK(problems("y = copy(x); y = neg(x);") == "'y' is assigned twice");
  CHECK(problems("[y, y] = copy_n(x, times = 2);") == "'y' is assigned twice");
  CHECK(problems("x = copy(x); y = copy(x);") ==
        "'x' is assigned twice"
        "\n"
        "'x': an input of the graph can only be assigned by 'external'");
}

TEST_CASE("inputs are externals and outputs are not inputs") {
  const std::string x = "x = external(shape = [2]);";
  CHECK(lint(graph(x, "g(x) -> (y)")) == "the output 'y' is never assigned");
  CHECK(lint(graph(x + kCopy, "g(x, z) -> (y)")) == "the input 'z' is never assigned");
  CHECK(lint(graph(x + kCopy, "g(x, x) -> (y)")) == "'x' is twice an input of the graph");
  CHECK(lint(graph(x + kCopy, "g(x) -> (y, y)")) ==
        "'y' is twice an output of the graph: write 'copy'");
  CHECK(lint(graph(x + kCopy, "g(x) -> (x)")) ==
        "'x' is both an input and an output of the graph: write 'copy'");
  CHECK(lint(graph("y = constant(shape = [1], value = [1.0]);", "g() -> (y)")) ==
        "the graph has no input");
  CHECK(lint(graph(x, "g(x) -> ()")) == "the graph has no output");
  CHECK(lint(graph(x + "z = external(shape = [1]);" + kCopy)) ==
        "'z': 'external' assigns a tensor that is not an input of the graph");
  CHECK(lint(graph("x = constant(shape = [1], value = [1.0]);" + std::string(kCopy))) ==
        "'x': an input of the graph can only be assigned by 'external'");
}

TEST_CASE("calls fit their declarations") {
  CHECK(problems("y = sigmid(x);") ==
        "'y': there is no operation 'sigmid'; did you mean 'sigmoid'?");
  CHECK(problems("y = softabs(x, epsilon = 0.1);") == "'y': there is no operation 'softabs'");
  CHECK(problems("y = tract_core_erf(x);") == "'y': there is no operation 'tract_core_erf'");
  CHECK(problems("y = leaky_relu(x);") == "'y': 'leaky_relu': the argument 'alpha' is missing");
  CHECK(problems("y = leaky_relu(x, 0.1);") ==
        "'y': 'leaky_relu': the attribute 'alpha' is given without its name");
  CHECK(problems("y = add(x, y = x);") ==
        "'y': 'add': the tensor 'y' is given by name, and tensors are positional");
  CHECK(problems("y = add(x, 1);") ==
        "'y': 'add': the argument 'y' must be tensor<scalar>, not the integer 1");
  CHECK(problems("l = lt(x, x); y = add(l, x);") ==
        "'y': 'add': the argument 'x' must be tensor<scalar>, and 'l' is tensor<logical>");
  CHECK(problems("y = split(x, axis = 1, ratios = [1, 2]);") ==
        "'y': 'split' results in an array of tensors: write [a, b] = …, with a name for each");
  CHECK(problems("[y, z] = split(x, axis = 1, ratios = [1, 1, 1]);") ==
        "'y' and 1 more: 'split' results in 3 tensors, and 2 are assigned");
  CHECK(problems("[y, z] = unstack(x, axis = 1);") ==
        "'y' and 1 more: 'unstack' results in 3 tensors, and 2 are assigned");
  CHECK(problems("y = moments(x, axes = [1]);") ==
        "'y': 'moments' results in 2 tensors: write (a, b) = …, with a name for each");
  CHECK(problems("y = matmul(x, x);") == "'y': 'matmul': rows of 4 do not match columns of 3");
}

TEST_CASE("one problem causes no further findings") {
  CHECK(problems("a = relu(x, x); b = copy(a); y = concat([b, x], axis = 9);") ==
        "'a': 'relu' takes 1 argument, and 2 are given");
}

TEST_CASE("literals are what every reader reads alike") {
  CHECK(problems("y = add(x, 1.5e-30);") == "");
  const auto infinite = "'y': 'add': infinities and NaN have no literal: store them in a variable";
  CHECK(problems("y = add(x, inf);") == infinite);
  CHECK(problems("y = add(x, -inf);") == infinite);
  CHECK(problems("y = add(x, 1e39);") == "'y': 'add': a scalar exceeds the range of f32");
  CHECK(problems("y = add(x, 3.4028234663852886e38);") == "");
  CHECK(problems("y = add(x, 3.4028235e38);") == "");
  CHECK(problems("y = add(x, 3.4028236e38);") == "'y': 'add': a scalar exceeds the range of f32");
  CHECK(problems("y = slice(x, axes = [0], begin = [0], end = [9223372036854775807]);") ==
        "'y': 'slice': the integer 9223372036854775807 does not fit 32 bits");
  CHECK(problems("y = slice(x, axes = [0], begin = [0], end = [2147483647]);") == "");
  CHECK(problems("y = pad(x, padding = [(0, 0), (0, 0), (0, 0)], border = 'it\\'s');") ==
        "'y': 'pad': a string contains quotes or characters other than printable ASCII");
  CHECK(problems("y = slice(x, axes = [1], begin = [1], end = [0]);") ==
        "'y': 'slice': an end of 0 for the remaining entries is deprecated: write the extent");
  CHECK(problems("y = slice(x, axes = [1], begin = [2], end = [0], stride = [-1]);") == "");
}

TEST_CASE("only variables are updated, each once") {
  const std::vector<Stored> stored = {{"v", {2, 3, 4}, ir::DType::f32, false, 0, {}}};
  const std::string variable = "v = variable(shape = [2, 3, 4], label = 'v');";
  CHECK(problems(variable + "y = update(v, x);", stored) == "");
  CHECK(problems(variable + "u = update(v, x); y = update(v, x);", stored) ==
        "'y': 'update': 'v' is updated twice");
  CHECK(problems(variable + "u = update(v, x); y = update(u, x);", stored) ==
        "'y': 'update': its first operand is not a variable");
}

std::string labelled(const std::string& label) {
  const std::vector<Stored> stored = {{label, {1}, ir::DType::f32, false, 0, {}}};
  return problems("y = variable(shape = [1], label = '" + label + "');", stored);
}

TEST_CASE("labels become files") {
  for (const char* label : {"w", "layer1.0.conv1.weight", "a/b-c/D_1", "a\\\\b", "a..b"}) {
    CAPTURE(label);
    const std::vector<Stored> stored = {
        {label == std::string("a\\\\b") ? "a\\b" : label, {1}, ir::DType::f32, false, 0, {}}};
    CHECK(problems(cat("y = variable(shape = [1], label = '", label, "');"), stored) == "");
  }
  CHECK(labelled("") == "'y': its label is empty");
  CHECK(labelled("a b") == "'y': its label 'a b' may contain only letters, digits and _ - . / \\");
  CHECK(labelled("../w") == "'y': a part of its label '../w' begins with a dot");
  CHECK(labelled(".w") == "'y': a part of its label '.w' begins with a dot");
  CHECK(labelled("a/..") == "'y': a part of its label 'a/..' begins with a dot");
  CHECK(labelled("/w") == "'y': a part of its label '/w' is empty");
  CHECK(labelled("a/") == "'y': a part of its label 'a/' is empty");
}

TEST_CASE("labels are unique whatever their case, unless they share a tensor") {
  const std::vector<Stored> stored = {{"w", {1}, ir::DType::f32, false, 0, {}},
                                      {"W", {1}, ir::DType::f32, false, 0, {}}};
  const auto two = [&](const char* first, const char* second) {
    return problems(cat("a = variable(", first, ");  y = variable(", second, ");"), stored);
  };
  CHECK(two("shape = [1], label = 'w'", "shape = [1], label = 'w'") == "");
  CHECK(two("shape = [1], label = 'w'", "shape = [1], label = 'W'") ==
        "'y': its label 'W' and 'w' of 'a' differ in case only");
  CHECK(two("shape = [1], label = 'w'", "shape = [1, 1], label = 'w'") ==
        "'y': its shape differs from that of 'a', which has the same label");
  const std::vector<Stored> twice = {stored[0], stored[0]};
  CHECK(problems("y = variable(shape = [1], label = 'w');", twice) ==
        "two tensors are stored as 'w'");
}

TEST_CASE("stored tensors are what their variables say") {
  const auto typed = [](const char* type, ir::DType dtype, bool quantised = false) {
    const std::vector<Stored> stored = {{"w", {1}, dtype, quantised, 0, {}}};
    return problems(cat("y = variable<", type, ">(shape = [1], label = 'w');"), stored);
  };
  for (const ir::DType dtype : {ir::DType::f16, ir::DType::f32, ir::DType::f64})
    CHECK(typed("scalar", dtype) == "");
  for (const ir::DType dtype : {ir::DType::i32, ir::DType::i64, ir::DType::u8})
    CHECK(typed("integer", dtype) == "");
  CHECK(typed("logical", ir::DType::boolean) == "");
  CHECK(typed("scalar", ir::DType::i32) == "'y': it is scalar, and the stored tensor holds i32");
  CHECK(typed("scalar", ir::DType::bf16) == "'y': it is scalar, and the stored tensor holds bf16");
  CHECK(typed("integer", ir::DType::f32) == "'y': it is integer, and the stored tensor holds f32");
  CHECK(typed("logical", ir::DType::u8) == "'y': it is logical, and the stored tensor holds u8");
  CHECK(typed("integer", ir::DType::i8, true) ==
        "'y': it is integer, and the stored tensor holds i8 codes"
        "\n"
        "'y': the stored tensor is quantised, and graph.quant has no entry for it");
}

/// A graph with an input x [2,3,4], a quantised variable w [3] of i8, a float one f, integers n.
std::string quantised(const std::string& entries) {
  Document document = graph(
      "x = external(shape = [2, 3, 4]); w = variable(shape = [3], label = 'w');"
      "f = variable(shape = [3], label = 'f'); n = cast<integer>(x); y = copy(x);");
  const std::string codes =
      "\"w\": zero_point_linear_quantize(zero_point = 0, scale = 0.5, bits = 8, signed = true, "
      "symmetric = false);";
  const bool has_codes = entries.find("\"w\"") != std::string::npos;
  document.quant = nnef::parse_quant((has_codes ? "" : codes) + entries, "graph.quant");
  const std::vector<Stored> stored = {{"w", {3}, ir::DType::i8, true, 0, {}},
                                      {"f", {3}, ir::DType::f32, false, 0, {}}};
  return lint(document, stored);
}

TEST_CASE("quantisation with all arguments of known tensors") {
  CHECK(quantised("\"x\": linear_quantize(min = -1.0, max = 1.0, bits = 8);") == "");
  CHECK(quantised("\"y\": logarithmic_quantize(max = 1.0, bits = 4);") == "");
  CHECK(quantised("\"x\": min_max_linear_quantize(min = [[0.0, 1.0, 2.0]], max = [4.0, 5.0], "
                  "bits = 8, signed = false, symmetric = true);") == "");
  CHECK(quantised("\"w\": zero_point_linear_quantize(zero_point = [1, 2, 3], scale = 0.5, "
                  "bits = 8, signed = true, symmetric = false);") == "");
}

TEST_CASE("quantisation with impossible arguments") {
  const auto said = [](const std::string& entries, const std::string& problem) {
    CAPTURE(entries);
    CHECK(quantised(entries) == "graph.quant: " + problem);
  };
  const std::string range = "min = 0.0, max = 1.0, bits = 8";
  said("\"z\": linear_quantize(" + range + ");", "'z': no statement assigns the tensor");
  said("\"x\": linear_quantize(" + range + "); \"x\": linear_quantize(" + range + ");",
       "'x': the tensor has two entries");
  said("\"n\": linear_quantize(" + range + ");", "'n': only tensors of scalars are quantised");
  said("\"x\": linear_quantise(" + range + ");",
       "'x': 'linear_quantise' does not quantise; did you mean 'linear_quantize'?");
  said("\"x\": relu();", "'x': 'relu' does not quantise");
  said("\"x\": linear_quantize(min = 0.0, bits = 8);",
       "'x': 'linear_quantize': the argument 'max' is missing");
  said("\"x\": linear_quantize(x = 1.0, " + range + ");",
       "'x': 'linear_quantize' has no parameter 'x'");
  said("\"x\": linear_quantize<scalar>(" + range + ");", "'x': 'linear_quantize' is not generic");
  said("\"x\": linear_quantize(min = -1, max = 1.0, bits = 8);",
       "'x': 'min' must be tensor<scalar>");
  said("\"x\": linear_quantize(min = 0.0, max = inf, bits = 8);",
       "'x': infinities and NaN have no literal: store them in a variable");
  said("\"x\": linear_quantize(min = 0.0, max = y, bits = 8);",
       "'x': 'max' must be tensor<scalar>");
  said("\"x\": linear_quantize(min = 0.0, max = [[1.0], [1.0, 2.0]], bits = 8);",
       "'x': 'max' is an array of arrays that differ in size");
  said("\"x\": linear_quantize(min = 0.0, max = [1.0, 2.0, 3.0], bits = 8);",
       "'x': 'max' has the shape [3], which does not broadcast to [2,3,4]");
  said("\"x\": linear_quantize(min = 0.0, max = [], bits = 8);", "'x': 'max' is an empty array");
  said("\"x\": linear_quantize(min = 0.0, max = 1.0, bits = [8]);",
       "'x': 'bits' must be one integer, not an array");
  said("\"x\": linear_quantize(min = 0.0, max = 1.0, bits = 0);",
       "'x': 'bits' is 0, and can be 1 to 64");
  said("\"f\": linear_quantize(" + range + ");",
       "'f': the stored tensor is not quantised: readers would dequantise its values");
  said("\"w\": linear_quantize(min = 0.0, max = 1.0, bits = 16);",
       "'w': 'bits' is 16, and the stored codes have 8");
  said("\"w\": min_max_linear_quantize(" + range + ", signed = false, symmetric = false);",
       "'w': 'signed' is false, and the stored codes are i8");
}

TEST_CASE("arguments of quantisation stand with a name") {
  Document document = graph("x = external(shape = [2]); y = copy(x);");
  document.quant = {{"x", nnef::parse_value("logarithmic_quantize(1.0, bits = 8)")}};
  CHECK(lint(document) == "graph.quant: 'x': 'logarithmic_quantize': arguments need names");
}

TEST_CASE("formats of an engine are not NNEF's") {
  const std::vector<Stored> stored = {{"w", {32, 32}, ir::DType::f32, false, 4, "q4_0"}};
  CHECK(problems("y = variable(shape = [32, 32], label = 'w');", stored) ==
        "'y': the stored tensor is q4_0, which is specific to an engine");
}

TEST_CASE("codes need an entry in graph.quant") {
  const Document document = graph(
      "x = external(shape = [2]); w = variable(shape = [2], label = 'w');"
      "y = add(x, w);");
  const std::vector<Stored> stored = {{"w", {2}, ir::DType::i8, true, 0, {}}};
  CHECK(lint(document, stored) ==
        "'w': the stored tensor is quantised, and graph.quant has no entry for it");
}

TEST_CASE("fifty thousand statements take a moment") {
  std::string body = "x = external(shape = [2, 3]); t0 = copy(x);";
  constexpr int kCount = 50000;
  for (int i = 1; i < kCount; ++i) body += cat("t", i, " = add(t", i - 1, ", x);");
  const Document document = graph(body + cat("y = copy(t", kCount - 1, ");"));
  const auto begin = std::chrono::steady_clock::now();
  CHECK(lint(document) == "");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

}  // namespace
}  // namespace t2n::spec

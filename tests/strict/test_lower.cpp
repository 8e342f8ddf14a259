// SPDX-License-Identifier: Apache-2.0
// Documents in tract's words, said in standard ones: text in, text out.
#include <doctest/doctest.h>

#include <sstream>
#include <utility>

#include "nnef_writer/print.h"
#include "nnef_writer/quant.h"
#include "src/diag/error.h"
#include "src/lint/strict.h"
#include "src/nnef/parser.h"
#include "src/nnef/walk.h"
#include "src/strict/lower.h"

namespace t2n::strict {
namespace {

using draft::Notes;
using ir::DType;

/// "i64[2,3]"
Notes::Tensor tensor_of(const std::string& text) {
  Notes::Tensor out;
  const size_t bracket = text.find('[');
  out.dtype = ir::parse_dtype(text.substr(0, bracket)).value();
  std::istringstream sizes(text.substr(bracket + 1, text.size() - bracket - 2));
  for (std::string size; std::getline(sizes, size, ',');) out.shape.emplace_back(std::stoll(size));
  return out;
}

/// The elements are 0, 1, 2…
nnef::Blob blob_of(const std::string& label, const Notes::Tensor& note) {
  const ir::Ints shape = ir::static_shape(note.shape);
  std::vector<int64_t> elements;
  for (int64_t i = 0; i < ir::element_count(shape); ++i) elements.push_back(i);
  return {.label = label,
          .dtype = note.dtype,
          .shape = shape,
          .parts = {ir::tensor_of(note.dtype, shape, elements)}};
}

struct Given {
  nnef::Document document;
  Notes notes;
};

/// A comment behind each statement says what it assigns; all are of one operator.
Given read(const std::string& statements, const std::string& results,
           const std::string& fragments) {
  Given out;
  out.document = nnef::parse_document(
      cat("version 1.0;\n", fragments, "graph net(x) -> (", results, ")\n{\n", statements, "}\n"),
      "a test");
  out.notes.locations.push_back({"aten::op", "op"});
  for (nnef::Assignment& statement : out.document.graph.body) {
    std::istringstream types(std::exchange(statement.comment, ""));
    for (const std::string_view view : nnef::assigned_names(statement.left)) {
      std::string text;
      types >> text;
      const std::string name(view);
      Notes::Tensor& note = out.notes.tensors[name] = tensor_of(text);
      note.name = name;
      note.location = 0;
      note.is_claimed = true;
      if (statement.right.text != "variable") continue;
      const std::string& label = statement.right.arguments.at(0).value.text;
      out.document.blobs.push_back(blob_of(label, note));
      out.notes.constants[label] = {label, 1, false};
    }
  }
  out.notes.results = out.document.graph.results;
  return out;
}

Lowered lowered_of(const std::string& statements, const std::string& results,
                   const std::string& fragments = "") {
  const Given given = read(statements, results, fragments);
  return lower(given.document, given.notes, target::parse_target("khronos"));
}

std::string violations_of(const nnef::Document& document) {
  std::string out;
  for (const spec::Violation& each : spec::lint_strict(document)) out += each.message + "\n";
  return out;
}

/// The statements behind the inputs.
std::string said(const std::string& statements, const std::string& results = "y",
                 const std::string& fragments = "") {
  const Lowered lowered = lowered_of(statements, results, fragments);
  for (const Refusal& refusal : lowered.refusals) return refusal.diagnostic.message;
  CHECK_EQ(violations_of(lowered.document), "");
  std::string out;
  for (const nnef::Assignment& statement : lowered.document.graph.body)
    if (statement.right.text != "external")
      out += cat(nnef::print(statement.left), " = ", nnef::print(statement.right), "\n");
  return out;
}

const std::string kFloats =
    "x = tract_core_external(shape = [2, 3], datum_type = 'f32');  # f32[2,3]\n";
const std::string kIntegers =
    "x = tract_core_external(shape = [4], datum_type = 'i64');  # i64[4]\n";

}  // namespace

TEST_CASE("operations of the standard are unchanged, and inputs have a type") {
  const Lowered lowered = lowered_of(kFloats + "y = relu(x);  # f32[2,3]\n", "y");
  CHECK_EQ(nnef::print(lowered.document),
           "version 1.0;\n\n"
           "graph net(x) -> (y)\n"
           "{\n"
           "    x = external<scalar>(shape = [2, 3]);\n"
           "    y = relu(x);\n"
           "}\n");
}

TEST_CASE("casts between floats vanish, and literals have no dtype") {
  CHECK_EQ(said(kFloats + "a = tract_core_cast(x, to = 'f64');  # f64[2,3]\n"
                          "y = mul(a, tract_core_cast(0.5, to = 'f64'));  # f64[2,3]\n"),
           "y = mul(x, 0.5)\n");
}

TEST_CASE("reals that are 8-bit integers are stored as such, with an entry in graph.quant") {
  const Lowered lowered = lowered_of(
      "x = tract_core_external(shape = [3, 8], datum_type = 'f32');  # f32[3,8]\n"
      "w = variable(label = 'w', shape = [3, 8]);  # i8[3,8]\n"
      "a = tract_core_cast(w, to = 'f32');  # f32[3,8]\n"
      "y = mul(x, a);  # f32[3,8]\n",
      "y");
  CHECK_EQ(violations_of(lowered.document), "");
  REQUIRE_EQ(lowered.document.blobs.size(), 1);
  CHECK_EQ(lowered.document.blobs[0].dtype, DType::i8);
  CHECK(lowered.document.blobs[0].quantised);
  CHECK_EQ(nnef::print(lowered.document),
           "version 1.0;\n\n"
           "graph net(x) -> (y)\n"
           "{\n"
           "    x = external<scalar>(shape = [3, 8]);\n"
           "    w = variable<scalar>(label = 'w', shape = [3, 8]);\n"
           "    y = mul(x, w);\n"
           "}\n");
  CHECK_EQ(nnef::print_quant(lowered.document.quant),
           "\"w\": zero_point_linear_quantize(zero_point = 0, scale = 1.0, bits = 8, "
           "signed = true, symmetric = false);\n");
}

TEST_CASE("one scale and zero point of stored integers are those of graph.quant") {
  const auto lowered = [](const std::string& statements) {
    return lowered_of(
        "x = tract_core_external(shape = [3, 8], datum_type = 'f32');  # f32[3,8]\n"
        "w = variable(label = 'w', shape = [3, 8]);  # i8[3,8]\n"
        "a = tract_core_cast(w, to = 'f32');  # f32[3,8]\n" +
            statements,
        "y");
  };
  const Lowered both = lowered(
      "b = sub(a, 3.0);  # f32[3,8]\n"
      "c = mul(b, 0.25);  # f32[3,8]\n"
      "d = mul(x, c);  # f32[3,8]\n"
      "y = add(d, c);  # f32[3,8]\n");
  CHECK_EQ(violations_of(both.document), "");
  CHECK_EQ(nnef::print(both.document),
           "version 1.0;\n\n"
           "graph net(x) -> (y)\n"
           "{\n"
           "    x = external<scalar>(shape = [3, 8]);\n"
           "    w = variable<scalar>(label = 'w', shape = [3, 8]);\n"
           "    d = mul(x, w);\n"
           "    y = add(d, w);\n"
           "}\n");
  CHECK_EQ(nnef::print_quant(both.document.quant),
           "\"w\": zero_point_linear_quantize(zero_point = 3, scale = 0.25, bits = 8, "
           "signed = true, symmetric = false);\n");
  // What is read otherwise, too, what is a result, and what is no scale stays.
  for (const std::string kept : {"c = mul(a, 0.25);  # f32[3,8]\ny = add(c, a);  # f32[3,8]\n",
                                 "y = mul(a, 0.25);  # f32[3,8]\n",
                                 "c = mul(a, -0.25);  # f32[3,8]\ny = add(c, x);  # f32[3,8]\n",
                                 "c = sub(a, 0.5);  # f32[3,8]\ny = add(c, x);  # f32[3,8]\n"}) {
    CAPTURE(kept);
    CHECK_NE(nnef::print_quant(lowered(kept).document.quant).find("zero_point = 0, scale = 1.0"),
             std::string::npos);
  }
}

TEST_CASE("integers are computed as scalars, and go out as integers") {
  CHECK_EQ(said(kIntegers + "a = add(x, tract_core_cast(2, to = 'i64'));  # i64[4]\n"
                            "y = reshape(a, shape = [2, 2]);  # i64[2,2]\n"),
           "op_cast = cast<scalar>(x)\n"
           "a = add(op_cast, 2.0)\n"
           "y_1 = reshape(a, shape = [2, 2])\n"
           "y = cast<integer>(y_1)\n");
}

TEST_CASE("an index counts from the front") {
  CHECK_EQ(said(kFloats + "i = variable<integer>(label = 'i', shape = [2]);  # i64[2]\n"
                          "y = tract_core_gather(x, i, axis = 1);  # f32[2,2]\n"),
           "i = variable<integer>(label = 'i', shape = [2])\n"
           "y = gather(x, i, axis = 1)\n");
}

TEST_CASE("constants are written where the standard needs them, in its shapes") {
  const std::string weights = "w = variable<scalar>(label = 'w', shape = [3]);  # f32[3]\n";
  CHECK_EQ(said(kFloats + weights +
                "r = tract_core_broadcast(w, shape = [2, 3]);  # f32[2,3]\n"
                "y = matmul(x, r, transposeB = true);  # f32[2,2]\n"),
           "w = variable<scalar>(label = 'w', shape = [1, 3])\n"
           "op_tile = tile(w, repeats = [2, 1])\n"
           "y = matmul(x, op_tile, transposeB = true)\n");
  CHECK_EQ(said(kFloats + "r = tract_core_broadcast(0.5, shape = [2, 3]);  # f32[2,3]\n"
                          "y = matmul(x, r, transposeB = true);  # f32[2,2]\n"),
           "op_constant = constant<scalar>(shape = [2, 3], value = [0.5])\n"
           "y = matmul(x, op_constant, transposeB = true)\n");
  CHECK_EQ(said(kFloats + weights +
                "r = tract_core_cast(w, to = 'f16');  # f16[3]\n"
                "s = reshape(r, shape = [3, 1]);  # f16[3,1]\n"
                "y = matmul(x, s);  # f32[2,1]\n"),
           "w = variable<scalar>(label = 'w', shape = [3, 1])\n"
           "y = matmul(x, w)\n");
}

TEST_CASE("a batch normalisation has parameters for all channels") {
  CHECK_EQ(said(kFloats + "m = variable<scalar>(label = 'm', shape = [1, 3]);  # f32[1,3]\n"
                          "i = reshape(x, shape = [1, 3, 2]);  # f32[1,3,2]\n"
                          "y = batch_normalization(i, m, m, 0.0, 1.0, 0.5);  # f32[1,3,2]\n"),
           "i = reshape(x, shape = [1, 3, 2])\n"
           "m = variable<scalar>(label = 'm', shape = [1, 3])\n"
           "op_constant = constant<scalar>(shape = [1, 3], value = [0.0])\n"
           "op_constant_1 = constant<scalar>(shape = [1, 3], value = [1.0])\n"
           "y = batch_normalization(i, m, m, op_constant, op_constant_1, epsilon = 0.5)\n");
}

TEST_CASE("operations that converters lack are replaced") {
  CHECK_EQ(said(kFloats + "m = variable<scalar>(label = 'm', shape = [1, 3]);  # f32[1,3]\n"
                          "y = batch_normalization(x, m, m, 0.0, 1.0, 0.5);  # f32[2,3]\n"),
           "m = variable<scalar>(label = 'm', shape = [1, 3])\n"
           "op_add = add(m, 0.5)\n"
           "op_sqrt = sqrt(op_add)\n"
           "op_div = div(1.0, op_sqrt)\n"
           "op_sub = sub(x, m)\n"
           "op_mul = mul(op_sub, op_div)\n"
           "y = add(op_mul, 0.0)\n");
  CHECK_EQ(said(kFloats + "y = rsqrt(x);  # f32[2,3]\n"),
           "op_sqrt = sqrt(x)\ny = div(1.0, op_sqrt)\n");
  CHECK_EQ(said(kFloats + "y = recip(x);  # f32[2,3]\n"), "y = div(1.0, x)\n");
  CHECK_EQ(said(kFloats + "y = ne(x, 0.5);  # bool[2,3]\n"),
           "op_eq = eq(x, 0.5)\ny = not(op_eq)\n");
  CHECK_EQ(said(kFloats + "y = stack([x, x], axis = 1);  # f32[2,2,3]\n"),
           "op_unsqueeze = unsqueeze(x, axes = [1])\n"
           "y = concat([op_unsqueeze, op_unsqueeze], axis = 1)\n");
  CHECK_EQ(said(kFloats + "a = unsqueeze(x, axes = [0]);  # f32[1,2,3]\n"
                          "y = matmul(a, a, transposeB = true);  # f32[1,2,2]\n"),
           "a = unsqueeze(x, axes = [0])\n"
           "op_transpose = transpose(a, axes = [0, 2, 1])\n"
           "y = matmul(a, op_transpose)\n");
}

TEST_CASE("a fragment becomes its statements") {
  CHECK_EQ(said(kFloats + "y = t2n_frac(x);  # f32[2,3]\n", "y",
                "fragment t2n_frac(x: tensor<scalar>) -> (y: tensor<scalar>)\n"
                "{\n    y = x - floor(abs(x));\n}\n"),
           "op_abs = abs(x)\n"
           "op_floor = floor(op_abs)\n"
           "y = sub(x, op_floor)\n");
}

TEST_CASE("results have identifiers of their own") {
  CHECK_EQ(said(kFloats + "a = relu(x);  # f32[2,3]\n"
                          "y = copy(x);  # f32[2,3]\n"
                          "z = copy(a);  # f32[2,3]\n",
                "a, y, z"),
           "a = relu(x)\n"
           "y = copy(x)\n"
           "z = copy(a)\n");
}

TEST_CASE("booleans are copied by an operation on booleans") {
  CHECK_EQ(said("x = tract_core_external(shape = [2], datum_type = 'bool');  # bool[2]\n"
                "y = copy(x);  # bool[2]\n"),
           "y = and(x, x)\n");
}

TEST_CASE("calls without a rule are refused, once for each operator of the model") {
  const std::string statements = kFloats +
                                 "a = tract_core_stft(x, axis = 1);  # f32[2,3]\n"
                                 "y = tract_core_stft(a, axis = 1);  # f32[2,3]\n";
  const Lowered lowered = lowered_of(statements, "y");
  REQUIRE_EQ(lowered.refusals.size(), 1);
  CHECK_EQ(lowered.refusals[0].location, 0);
  const Diagnostic& diagnostic = lowered.refusals[0].diagnostic;
  CHECK_EQ(diagnostic.message, "aten::op has no translation for khronos@1.0.5");
  CHECK_EQ(diagnostic.why, "standard NNEF cannot express tract_core_stft");
}

TEST_CASE("a tensor without a statement is ignored: its operator failed before") {
  Given given = read(kFloats + "y = relu(a);  # f32[2,3]\n", "y", "");
  given.notes.tensors["a"] = tensor_of("f32[2,3]");
  given.notes.tensors["a"].name = "a";
  const Lowered lowered = lower(given.document, given.notes, target::parse_target("khronos"));
  CHECK(lowered.refusals.empty());
}

TEST_CASE("a graph without inputs is refused, at no place") {
  const Lowered lowered =
      lowered_of("y = tract_core_broadcast(0.5, shape = [2]);  # f32[2]\n", "y");
  REQUIRE_EQ(lowered.refusals.size(), 1);
  CHECK_EQ(lowered.refusals[0].location, -1);
  CHECK_EQ(lowered.refusals[0].diagnostic.message,
           "a graph without inputs has no translation for khronos@1.0.5");
}

}  // namespace t2n::strict

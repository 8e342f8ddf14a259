// SPDX-License-Identifier: Apache-2.0
// lint: models, graphs as text, artefacts; what is found, what is clean, and --strict.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "nnef_writer/dat.h"
#include "src/diag/error.h"
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

void write_file(const Sandbox& sandbox, const std::string& name, const std::string& text) {
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

TEST_CASE("lint finds planted faults in a graph, groups and counts them") {
  const Sandbox sandbox;
  write_file(sandbox, "model.ir", kIdle);
  const Result result = sandbox.run({"lint", "model.ir"});
  CHECK_EQ(result.code, 0);
  CHECK_EQ(result.err, "");
  CHECK(result.out.starts_with("idle-pair:\n"));
  CHECK(contains(result.out,
                 "'x' is quantised and dequantised with nothing between\n"
                 "    help: run propagate-qparams"));
  CHECK(contains(result.out, "not checked: saturation needs a calibration set\n1 finding\n"));
}

TEST_CASE("lint --strict makes an error of findings, and of nothing else") {
  const Sandbox sandbox;
  write_file(sandbox, "model.ir", kIdle);
  const Result found = sandbox.run({"lint", "model.ir", "--strict"});
  CHECK_EQ(found.code, 4);
  CHECK(contains(found.err, "error[lint]: 1 finding in 'model.ir'"));
  write_file(sandbox, "clean.ir",
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
  CHECK(artefact.out.ends_with("and a calibration set\n0 findings\n"));
}

TEST_CASE("export --compress reports what the lint finds as warnings") {
  Sandbox sandbox;
  add_digits(sandbox);
  write_file(sandbox, "s.json", R"({"": {"prune": {"sparsity": 0.99}}})");
  const Result result =
      sandbox.run({"export", "model.pt", "-t", "tract", "-o", "out.nnef", "--compress", "s.json"});
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.err, "warning[lint]: dead-channel: "));
  const Result strict = sandbox.run({"lint", "model.pt", "--compress", "s.json", "--strict"});
  CHECK_EQ(strict.code, 4);
  CHECK(contains(strict.out, "dead-channel:\n  features"));
}

namespace {

struct Stored {
  std::string label;
  ir::Tensor values;
};

/// What lint says of an artefact with these statements and variables, from input `x` to `y`.
Result linted(const std::string& statements, const std::vector<Stored>& variables = {},
              const std::string& quant = "") {
  const Sandbox sandbox;
  std::filesystem::create_directory(sandbox.path("m"));
  std::string body = "  x = external<scalar>(shape = [1,2,4,4]);\n";
  for (const Stored& each : variables) {
    const bool is_integer = ir::is_integer(each.values.dtype);
    body += cat("  ", each.label.substr(each.label.rfind('.') + 1), " = variable<",
                is_integer ? "integer" : "scalar", ">(label = '", each.label,
                "', shape = ", ir::shape_str(ir::to_shape(each.values.shape)), ");\n");
    std::ofstream file(sandbox.path("m/" + each.label + ".dat"), std::ios::binary);
    nnef::write_dat({.label = each.label,
                     .dtype = each.values.dtype,
                     .shape = each.values.shape,
                     .parts = {each.values}},
                    [&](std::span<const std::byte> bytes) {
                      file.write(reinterpret_cast<const char*>(bytes.data()),
                                 static_cast<std::streamsize>(bytes.size()));
                    });
  }
  write_file(sandbox, "m/graph.nnef",
             cat("version 1.0;\nextension tract_registry tract_core;\ngraph g(x) -> (y) {\n", body,
                 statements, "}\n"));
  if (!quant.empty()) write_file(sandbox, "m/graph.quant", quant);
  return sandbox.run({"lint", "m", "--strict"});
}

/// Statements that round `from` to the grid of a scale.
std::string rounded(const std::string& name, const std::string& from, const std::string& scale) {
  return cat("  ", name, "_a = mul(", from, ", 8.0);\n  ", name, "_b = tract_core_round_even(",
             name, "_a);\n  ", name, "_c = max(", name, "_b, 0.0);\n  ", name, "_d = min(", name,
             "_c, 255.0);\n  ", name, " = mul(", name, "_d, ", scale, ");\n");
}

ir::Tensor filled(ir::DType dtype, const ir::Ints& shape, double scale) {
  std::vector<double> out(static_cast<size_t>(ir::element_count(shape)));
  for (size_t i = 0; i < out.size(); ++i) out[i] = scale * (static_cast<double>(i * 37 % 101) - 50);
  return ir::tensor_of<double>(dtype, shape, out);
}

/// One finding, of this rule, with this place and text.
void check_one(const Result& result, const std::string& rule, const std::string& text) {
  CAPTURE(rule);
  CAPTURE(result.out);
  CHECK_EQ(result.code, 4);
  CHECK(result.out.starts_with(rule + ":\n"));
  CHECK(contains(result.out, text));
  CHECK(contains(result.out, "\n1 finding\n"));
}

const std::string kConv =
    "conv(x, f, border = 'constant', padding = [(0, 0), (0, 0)], stride = [1, 1], dilation = "
    "[1, 1], groups = 1);\n";

}  // namespace

TEST_CASE("lint finds odd quantisation in an artefact") {
  const Sandbox sandbox;
  std::filesystem::create_directory(sandbox.path("m"));
  write_file(sandbox, "m/graph.nnef",
             "version 1.0;\n\ngraph g(x) -> (z) {\n"
             "  x = external<scalar>(shape = [4]);\n"
             "  y = linear_quantize(x, 0.0, 1.0, bits = 8);\n"
             "  z = linear_quantize(y, 0.0, 2.0, bits = 8);\n}\n");
  const Result result = sandbox.run({"lint", "m", "--strict"});
  CHECK_EQ(result.code, 4);
  CHECK(contains(result.out,
                 "idle-pair:\n  graph.nnef:6:3: 'y' is dequantised and quantised again, with other "
                 "parameters and nothing between\n"));
}

TEST_CASE("lint refuses options that would say nothing of an artefact, or of a graph") {
  const Sandbox sandbox;
  std::filesystem::create_directory(sandbox.path("m"));
  write_file(sandbox, "m/graph.nnef",
             "version 1.0;\n\ngraph g(x) -> (y) {\n  x = external<scalar>(shape = [4]);\n"
             "  y = neg(x);\n}\n");
  write_file(sandbox, "model.ir", kIdle);
  const auto refusal = [&](const std::string& file, const Arguments& options) {
    Arguments all = {"lint", file};
    all.insert(all.end(), options.begin(), options.end());
    const Result result = sandbox.run(all);
    CAPTURE(options.front());
    CHECK_EQ(result.code, 2);
    CHECK_EQ(result.out, "");
    return result.err;
  };
  for (const Arguments& options : std::vector<Arguments>{{"--compress", "int8-weights"},
                                                         {"--calibrate", "@none.npz"},
                                                         {"--ignore", "foo"},
                                                         {"--only", "foo"},
                                                         {"--input", "x=4,f32"},
                                                         {"--dynamic", "x:0=B"},
                                                         {"--assert", "B>=1"},
                                                         {"--accept-guard", "model.py:1"},
                                                         {"--state"},
                                                         {"--method", "other"},
                                                         {"--target", "tract"}})
    CHECK(contains(refusal("m", options), "'m' is an NNEF artefact, which is not traced"));
  for (const Arguments& options : std::vector<Arguments>{
           {"--dynamic", "x:0=B"}, {"--accept-guard", "model.py:1"}, {"--state"}})
    CHECK(contains(refusal("model.ir", options), "'model.ir' is a graph, which is not traced"));
  CHECK(contains(refusal("model.ir", {"--input", "x=2,f32"}), "which is not run here"));
  CHECK_EQ(sandbox.run({"lint", "m"}).code, 0);
  CHECK_EQ(sandbox.run({"lint", "model.ir", "--target", "tract"}).code, 0);
}

TEST_CASE("lint finds each fault of activations that is planted in an artefact, with its line") {
  check_one(linted(rounded("a", "x", "0.125") + rounded("y", "a", "0.25")), "idle-pair",
            "graph.nnef:11:3: 'y_a' is quantised again, with only another scale between");
  check_one(linted(rounded("a", "x", "0.125") + "  n = neg(x);\n" + rounded("b", "n", "0.25") +
                   "  y = add(a, b);\n"),
            "unlike-scales", "graph.nnef:16:3: operands of 'add' have the scales 0.125 and 0.25");
  check_one(linted(rounded("a", "x", "0.125") + "  s = sigmoid(a);\n  t = tanh(s);\n" +
                   rounded("y", "t", "0.25")),
            "float-island",
            "graph.nnef:10:3: computed in floats between quantised operators: sigmoid, tanh");
  check_one(linted(rounded("y", "x", "1.1920929e-7")), "unseen-range",
            "graph.nnef:9:3: no range of 'y' was seen");
  check_one(linted("  y = linear_quantize(x, 1.0, 1.0, bits = 8);\n"), "unseen-range",
            "graph.nnef:5:3: no range of 'y' was seen");
  check_one(
      linted("  y = neg(x);\n", {}, "\"gone\": linear_quantize(min = 0.0, max = 1.0, bits = 8);\n"),
      "idle-setting", "graph.quant has an entry for 'gone', which no statement assigns");
}

TEST_CASE("lint of an artefact with a statement without results") {
  const Sandbox sandbox;
  std::filesystem::create_directory(sandbox.path("m"));
  write_file(sandbox, "m/graph.nnef",
             "version 1.0;\ngraph g(x) -> (y)\n{\n  x = external(shape = [2]);\n  [] = relu(x);\n"
             "  y = relu(x);\n}\n");
  const Result result = sandbox.run({"lint", "m"});
  CHECK_EQ(result.code, 0);
  CHECK_FALSE(contains(result.err, "internal"));
}

TEST_CASE("lint finds each fault of weights that is planted in an artefact, with its module") {
  const ir::Ints shape = {8, 2, 3, 3};
  ir::Tensor dead = filled(ir::DType::i8, shape, 1);
  std::vector<double> values = ir::to_f64(dead);
  std::fill(values.begin() + 36, values.begin() + 54, 0.0);
  dead = ir::tensor_of<double>(ir::DType::i8, shape, values);
  const std::string weight =
      "  w = tract_core_cast(q, to = 'f32');\n  f = mul(w, 0.01);\n  y = " + kConv;
  check_one(linted(weight, {{"net.conv.q", dead}}), "dead-channel",
            "net.conv, graph.nnef:5:3: 1 channel of 'net.conv.q' can hold nothing but zero: 2");
  std::vector<double> scales(8, 0.01);
  scales[5] = 1e-7;
  CHECK_EQ(linted("  w = tract_core_cast(q, to = 'f32');\n  f = mul(w, s);\n  y = " + kConv,
                  {{"net.conv.q", filled(ir::DType::i8, shape, 1)},
                   {"net.conv.s", ir::tensor_of<double>(ir::DType::f32, {8, 1, 1, 1}, scales)}})
               .code,
           0);  // a small scale is a scale
  values = ir::to_f64(filled(ir::DType::f32, shape, 0.01));
  for (size_t i = 0; i < values.size(); ++i) values[i] += 0.004 * std::sin(static_cast<double>(i));
  const ir::Tensor reals = ir::tensor_of<double>(ir::DType::f32, shape, values);
  check_one(
      linted(weight + "  z = mul(r, 2.0);\n",
             {{"net.conv.q", filled(ir::DType::i8, shape, 1)}, {"net.conv.r", reals}}),
      "stored-twice",
      "'net.conv.r' is stored as floats for this reader, and as the integers 'net.conv.q' for 'w'");
  check_one(linted("  a = add(r, s);\n  y = add(x, 1.0);\n", {{"net.r", reals}, {"net.s", reals}}),
            "stored-twice", "'net.r' and 'net.s' have the same values");
  check_one(
      linted("  w = mul(r, 100.0);\n  i = round(w);\n  f = mul(i, 0.01);\n  y = " + kConv,
             {{"net.r", reals}}),
      "float-constant",
      "net, graph.nnef:7:3: the constant 'net.r' is stored as floats and rounded at run time");
  check_one(
      linted("  f = copy(r);\n  y = " + kConv, {{"net.r", filled(ir::DType::f32, shape, 0.01)}}),
      "float-constant", "net, graph.nnef:5:3: the variable 'net.r' contains floats");
}

TEST_CASE("lint knows the channels of transposed convolutions, and scales of single rows") {
  std::vector<double> values(2 * 8 * 9, 1);
  for (size_t i = 0; i < values.size(); ++i)
    if (i / 18 == 2) values[i] = 0;  // tract's filters are [out, in, ...]
  const std::string window =
      ", border = 'constant', padding = [(1, 1), (1, 1)], stride = [1, 1], dilation = [1, 1], "
      "groups = 1);\n";
  check_one(linted("  w = tract_core_cast(q, to = 'f32');\n  f = mul(w, 0.01);\n  y = deconv(x, f" +
                       window,
                   {{"net.q", ir::tensor_of<double>(ir::DType::i8, {8, 2, 3, 3}, values)}}),
            "dead-channel", "1 channel of 'net.q' can hold nothing but zero: 2");
  std::vector<double> rows(32 * 4, 0.5);
  std::fill(rows.begin() + 3 * 4, rows.begin() + 4 * 4, 0.0);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] *= 1 + 0.01 * std::sin(static_cast<double>(i));
  check_one(linted("  y = tract_core_einsum([x, r], expr = 'abck,nk->abcn', acc = 'f32');\n",
                   {{"net.r", ir::tensor_of<double>(ir::DType::f32, {32, 4}, rows)}}),
            "dead-channel", "1 channel of 'net.r' can hold nothing but zero: 3");
  const auto ones =
      ir::tensor_of<double>(ir::DType::f32, {1, 64, 1, 1}, std::vector<double>(64, 1));
  CHECK_EQ(
      linted("  a = mul(r, s);\n  y = add(x, 1.0);\n", {{"net.r", ones}, {"net.s", ones}}).code,
      0);  // norms begin with the same numbers
  constexpr size_t kRow = 2 * 6 * 6;
  values.clear();
  for (size_t i = 0; i < 8 * kRow; ++i)
    values.push_back(static_cast<double>(static_cast<int64_t>(i * 37 % 201) - 100) *
                     static_cast<double>(5 + i / kRow) / 512);
  const auto said = [&](const std::vector<double>& weights) {
    return linted("  f = copy(r);\n  y = conv(x, f" + window,
                  {{"net.r", ir::tensor_of<double>(ir::DType::f32, {8, 2, 6, 6}, weights)}});
  };
  check_one(said(values), "float-constant", "the variable 'net.r' contains floats");
  values[3 * kRow - 1] += 0.001;
  CHECK_EQ(said(values).code, 0);
}

TEST_CASE("lint has nothing to say of plain floats and of honest quantisation in an artefact") {
  const Result result = linted(rounded("a", "x", "0.125") + "  s = relu(a);\n  y = sigmoid(s);\n");
  CHECK_EQ(result.code, 0);
  CHECK(result.out.ends_with("\n0 findings\n"));
  CHECK_EQ(linted(rounded("a", "x", "0.125") + "  s = add(a, x);\n  t = tanh(s);\n" +
                  rounded("y", "t", "0.25"))
               .code,
           0);
}

}  // namespace t2n::test

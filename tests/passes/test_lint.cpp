// SPDX-License-Identifier: Apache-2.0
// A planted fault for each rule of the lint, and graphs that it has nothing to say of.
#include <doctest/doctest.h>

#include "src/compress/calibrate/clipping.h"
#include "src/compress/explain/lint.h"
#include "src/compress/settings/settings.h"
#include "src/config/compression_settings.h"
#include "src/passes/passes_run.h"
#include "src/quant_lint/rules.h"
#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

std::vector<Finding> linted(const std::string& text, const PassContext& context = {}) {
  const ir::Graph graph = ir::parse(text);
  ir::verify(graph, "parse");
  return compress::lint(graph, context);
}

/// One finding, of this rule, that says this.
void check_found(const std::vector<Finding>& found, const std::string& rule,
                 const std::string& message) {
  CAPTURE(rule);
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == rule);
  CHECK(found[0].message == message);
  CHECK_FALSE(found[0].help.empty());
}

const std::string kQuant =
    "quant(scales=[0.5], zero_points=[3], axis=0, bits=8, signed=false, narrow_range=false)";
const std::string kOther =
    "quant(scales=[0.25], zero_points=[3], axis=0, bits=8, signed=false, narrow_range=false)";
const std::string kWeight =
    R"(const %w: i8[2,2] quant(scales=[0.5, 0.5], zero_points=[0, 0], axis=0, bits=8, signed=true, narrow_range=true) = {1, 2, 3, 4}
  %d: f32[2,2] = aten::dequantize.self(self=%w)
)";

/// A line that quantises %from as %to.
std::string quantise(const std::string& from, const std::string& to, const std::string& quant,
                     const std::string& scale) {
  return "%" + to + ": u8[1,2] " + quant + " = aten::quantize_per_tensor(self=%" + from +
         ", scale=" + scale + ", zero_point=3, dtype=u8)\n";
}
std::string dequantise(const std::string& from, const std::string& to) {
  return "%" + to + ": f32[1,2] = aten::dequantize.self(self=%" + from + ")\n";
}
std::string fake(const std::string& from, const std::string& to) {
  return "%" + to + ": f32[1,2] = aten::fake_quantize_per_tensor_affine(self=%" + from +
         ", scale=0.5, zero_point=3, quant_min=0, quant_max=255)\n";
}
std::string graph(const std::string& body) {
  return "graph m(%x: f32[1,2]) -> (%y as \"y\") {\n" + body + "}\n";
}
std::string linear(const std::string& x, const std::string& y = "y") {
  return "%" + y + ": f32[1,2] = aten::linear(input=%" + x + ", weight=%d, bias=none)\n";
}

/// As insert-observers writes it; `seen` is the rest of the arguments.
std::string observed_input(const std::string& seen) {
  return graph(
      "%y: f32[1,2] = t2n::observe(self=%x, observer=\"min-max\", bits=8, signed=true, "
      "symmetric=true, narrow_range=true, axis=none, quantile=0.9999, least_squares=false, " +
      seen + ")\n");
}

}  // namespace

TEST_CASE("lint: the result of compression has no findings") {
  CHECK(linted(graph(kWeight + fake("x", "a") + linear("a"))).empty());
  CHECK(linted(graph(kWeight + linear("x"))).empty());
}

TEST_CASE("lint: quantised and dequantised with nothing between") {
  check_found(linted(graph(quantise("x", "q", kQuant, "0.5") + dequantise("q", "y"))), "idle-pair",
              "'x' is quantised and dequantised with nothing between");
}

TEST_CASE("lint: dequantised and quantised again") {
  const auto text = [&](const std::string& quant, const std::string& scale) {
    return graph(quantise("x", "p", kQuant, "0.5") + "%q: u8[1,2] " + kQuant +
                 " = aten::relu(self=%p)\n" + dequantise("q", "r") +
                 quantise("r", "s", quant, scale) + "%t: u8[1,2] " + quant +
                 " = aten::relu(self=%s)\n" + dequantise("t", "y"));
  };
  check_found(linted(text(kQuant, "0.5")), "idle-pair",
              "'r' is dequantised and quantised again, with the same parameters and nothing "
              "between");
  check_found(linted(text(kOther, "0.25")), "idle-pair",
              "'r' is dequantised and quantised again, with other parameters and nothing between");
}

TEST_CASE("lint: fake-quantised twice, also with a move between") {
  for (const char* move : {"", "%m: f32[1,2] = aten::clone(self=%a, memory_format=none)\n"}) {
    const auto found = linted(graph(fake("x", "a") + move + fake(*move ? "m" : "a", "y")));
    check_found(found, "idle-pair",
                cat("'", *move ? "m" : "a",
                    "' is dequantised and quantised again, with the same parameters and nothing "
                    "between"));
    CHECK(found.at(0).help == "fake-quantise it once");
  }
}

TEST_CASE("lint: integers without negative numbers for a result that has some") {
  const std::string zero_at_lowest =
      "%y: f32[1,2] = aten::fake_quantize_per_tensor_affine(self=%a, scale=0.5, zero_point=0, "
      "quant_min=0, quant_max=255)\n";
  check_found(linted(graph("%a: f32[1,2] = aten::tanh(self=%x)\n" + zero_at_lowest)),
              "unsigned-grid",
              "the integers of 'a' represent no negative number, but tanh computes some");
  CHECK(linted(graph("%a: f32[1,2] = aten::relu(self=%x)\n" + zero_at_lowest)).empty());
  CHECK(linted(graph("%a: f32[1,2] = aten::tanh(self=%x)\n" + fake("a", "y"))).empty());
}

TEST_CASE("lint: one scale for channels of very different ranges, and dead inputs") {
  const auto of_weight = [](const std::string& values) {
    return linted(
        graph("const %w: i8[2,2] quant(scales=[0.5], zero_points=[0], axis=0, bits=8, "
              "signed=true, narrow_range=true) = {" +
              values + "}\n%d: f32[2,2] = aten::dequantize.self(self=%w)\n" + linear("x")));
  };
  check_found(of_weight("1, 1, 127, 90"), "one-scale",
              "1 channel of 'd' is at least 100 times smaller than the largest, and all share one "
              "scale");
  CHECK(of_weight("2, 1, 127, 90").empty());
  check_found(of_weight("0, 100, 0, 90"), "dead-channel",
              "inputs: 1 channel of 'd' can hold nothing but zero: 0");
}

TEST_CASE("lint: advice to run a pass is not given after the pass") {
  PassContext context;
  ir::Graph twice = ir::parse(graph(quantise("x", "a", kQuant, "0.5") + dequantise("a", "b") +
                                    quantise("b", "c", kQuant, "0.5") + dequantise("c", "y")));
  const auto help = [&] { return compress::lint(twice, context).at(0).help; };
  CHECK(help().find("run propagate-qparams") == 0);
  note_run(twice, "propagate-qparams");
  CHECK(help() == lint::rule("idle-pair").help_for_file);
}

TEST_CASE("lint: constants that are rounded at run time") {
  const std::string rounded =
      "%d: f32[2,2] = aten::fake_quantize_per_tensor_affine(self=%w, scale=0.5, zero_point=0, "
      "quant_min=-128, quant_max=127)\n";
  const std::string constant = "const %w: f32[2,2] = {1.0, 2.0, 3.0, 4.0}\n";
  check_found(linted(graph(constant + rounded + linear("x"))), "float-constant",
              "the constant 'w' is stored as floats and rounded at run time");
  check_found(linted(graph("const %v: f32[2,2] = {1.0, 2.0, 3.0, 4.0}\n"
                           "%w: f32[2,2] = aten::neg(self=%v)\n" +
                           rounded + linear("x"))),
              "float-constant",
              "'w' depends only on constants, but is computed and rounded at run time");
}

TEST_CASE("lint: sums of unlike scales, and of like ones") {
  const auto text = [](const std::string& scale) {
    return graph(fake("x", "a") + "%n: f32[1,2] = aten::neg(self=%x)\n" +
                 "%b: f32[1,2] = aten::fake_quantize_per_tensor_affine(self=%n, scale=" + scale +
                 ", zero_point=3, quant_min=0, quant_max=255)\n" +
                 "%y: f32[1,2] = aten::add.Tensor(self=%a, other=%b, alpha=1)\n");
  };
  check_found(linted(text("0.25")), "unlike-scales",
              "operands of 'add' have the scales 0.5 (zero point 3) and 0.25 (zero point 3)");
  CHECK(linted(text("0.5")).empty());
}

TEST_CASE("lint: a float island, and no island where elements only move or floats come in") {
  const auto text = [](const std::string& between) {
    return graph(kWeight + fake("x", "a") + between + fake("b", "c") + linear("c"));
  };
  check_found(linted(text("%s: f32[1,2] = aten::sigmoid(self=%a)\n"
                          "%b: f32[1,2] = aten::mul.Tensor(self=%s, other=%a)\n")),
              "float-island", "computed in floats between quantised operators: sigmoid, mul");
  CHECK(linted(text("%b: f32[1,2] = aten::relu(self=%a)\n")).empty());
  CHECK(linted(text("%b: f32[1,2] = aten::mul.Tensor(self=%x, other=%a)\n")).empty());
  CHECK(linted(text(linear("a", "l") + "%b: f32[1,2] = aten::sigmoid(self=%l)\n")).empty());
}

TEST_CASE("lint: a setting of a file that asks for what is not there") {
  const std::string text = R"(graph m(%i: i64[3]) -> (%y as "y") {
  const %e: f32[2,2] = {1.0, 2.0, 3.0, 4.0}
  @M/Embedding[emb]:
  %y: f32[3,2] = aten::embedding(weight=%e, indices=%i, padding_idx=-1, scale_grad_by_freq=false, sparse=false)
}
)";
  const auto with = [&](const std::string& settings) {
    const compress::Settings read(config::read_compression_settings(settings, "s.json"));
    PassContext context;
    context.settings = &read;
    return linted(text, context);
  };
  check_found(with(R"({"emb": {"activations": {"bits": 8}, "weights": {"bits": 8}}})"),
              "idle-setting", "s.json: 'emb' requests 'activations', which none of its layers has");
  CHECK(with(R"({"emb": {"weights": {"bits": 8}, "activations": null}})").empty());
  CHECK(with(R"({"": {"activations": {"bits": 8}}})").empty());
}

TEST_CASE("lint: ranges that were never seen, and that the grid does not reach over") {
  check_found(linted(observed_input("low=floats[], high=floats[], scale=floats[], zero_point=[]")),
              "unseen-range", "no range of 'x' was seen");
  check_found(linted(observed_input("low=[-1.0], high=[1.0], scale=[0.00390625], zero_point=[0]")),
              "saturation", "50.2 % of the recorded range of 'x' is clipped");
  CHECK(
      linted(observed_input("low=[-1.0], high=[1.0], scale=[0.0078125], zero_point=[0]")).empty());
}

TEST_CASE("lint: counted shares are reported from one percent on") {
  PassContext context;
  double share = 0.02;
  context.clipped = [&](const ir::Graph&) { return std::map<std::string, double>{{"a", share}}; };
  const std::string text = graph(kWeight + fake("x", "a") + linear("a"));
  check_found(linted(text, context), "saturation", "2 % of 'x' is clipped on the calibration set");
  share = 0.005;
  CHECK(linted(text, context).empty());
}

TEST_CASE("lint: values outside of the grid are counted over all batches") {
  const ir::Graph parsed = ir::parse(graph(fake("x", "y")));
  size_t left = 2;
  const auto batches = [&]() -> std::vector<ir::Tensor> {
    if (left-- == 0) return {};
    // Integers reach from -1.5 to 126, and half a step further.
    return {ir::tensor_of<double>(ir::DType::f32, {1, 2}, {left == 1 ? -1.8 : -1.7, 126.2})};
  };
  const auto shares = compress::clipped_shares(
      parsed, batches, [&](const auto&) { return parsed; },
      [](const ir::Node& node, const ir::Operand& operand) {
        return std::vector{operand(std::get<ir::TensorRef>(*node.find("self")).id)};
      });
  REQUIRE(shares.size() == 1);
  CHECK(shares.at("y") == 0.25);
}

TEST_CASE("lint: dead channels are zeros, whatever their scale") {
  const auto with = [](const std::string& scales, const std::string& values) {
    return linted(
        graph("const %w: i8[2,2] quant(scales=" + scales +
              ", zero_points=[0, 0], axis=0, bits=8, signed=true, narrow_range=true) = " + values +
              "\n%d: f32[2,2] = aten::dequantize.self(self=%w)\n" + linear("x")));
  };
  const std::string said = "1 channel of 'd' can hold nothing but zero: 1";
  check_found(with("[0.5, 0.5]", "{1, 2, 0, 0}"), "dead-channel", said);
  CHECK(with("[0.5, 1.1920928955078125e-07]", "{1, 2, 3, 4}").empty());
  CHECK(with("[0.5, 0.5]", "{1, 0, 0, 4}").empty());
  check_found(linted(graph("const %d: f32[2,2] = {0.0, 0.0, 1.0, 1.0}\n" + linear("x"))),
              "dead-channel", "1 channel of 'd' can hold nothing but zero: 0");
}

TEST_CASE("lint: a weight in floats and in integers") {
  const auto text = [](const std::string& floats) {
    return graph(kWeight + "const %f: f32[2,2] = " + floats + "\n" + linear("x", "a") +
                 "%y: f32[1,2] = aten::linear(input=%a, weight=%f, bias=none) as linear_1\n");
  };
  const auto found = linted(text("{0.6, 1.1, 1.4, 2.1}"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "stored-twice");
  CHECK(
      found[0].message.starts_with("'f' is stored as floats for this reader, and as the "
                                   "integers 'w' for "));
  CHECK(linted(text("{0.6, 1.1, 1.4, 3.1}")).empty());
}

TEST_CASE("lint: a weight that one reader rounds and another does not") {
  const auto found = linted(graph(
      "const %f: f32[2,2] = {1.0, 2.0, 3.0, 4.0}\n"
      "%d: f32[2,2] = aten::fake_quantize_per_tensor_affine(self=%f, scale=0.5, zero_point=0, "
      "quant_min=-128, quant_max=127)\n" +
      linear("x", "a") + "%y: f32[1,2] = aten::linear(input=%a, weight=%f, bias=none)\n"));
  REQUIRE(found.size() == 2);
  CHECK(found[0].rule == "float-constant");
  CHECK(found[1].rule == "stored-twice");
}

TEST_CASE("lint-quantisation reports, says what it skips, and changes nothing") {
  DiagnosticList said;
  PassContext context;
  context.report = said.report();
  check_unchanged("lint-quantisation",
                  graph(quantise("x", "q", kQuant, "0.5") + dequantise("q", "y")), context);
  REQUIRE(said.items.size() == 3);
  CHECK(said.items[0].severity == Severity::warning);
  CHECK(said.items[0].id == "lint");
  CHECK(said.items[0].subject == "idle-pair");
  CHECK(said.items[1].severity == Severity::note);
  CHECK(said.items[1].message == "not checked: idle-setting needs settings");
  CHECK(said.items[2].message == "not checked: saturation needs a calibration set");
}

TEST_CASE("of many findings a handful is reported, and how many there are besides") {
  std::string body;
  for (int i = 0; i < 7; ++i)
    body += quantise("x", cat("q", i), kQuant, "0.5") + dequantise(cat("q", i), cat("y", i));
  body += dequantise("q0", "y");
  const auto found = linted(graph(body));
  REQUIRE(found.size() == 7);
  DiagnosticList said;
  compress::report_findings(found, said.report(), 2);
  // Equal ones are kept once.
  CHECK(said.items.back().message == "and 5 more findings");
}

}  // namespace t2n::passes

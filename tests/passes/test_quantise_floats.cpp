// SPDX-License-Identifier: Apache-2.0
// Passes that make integers of floats, one by one.
#include <doctest/doctest.h>

#include "src/compress/calibrate/moments.h"
#include "src/compress/settings/settings.h"
#include "src/config/compression_settings.h"
#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

const std::string kLinear = R"(graph m(%x: f32[1,2]) -> (%y as "y") {
  const %w: f32[2,2] = {1.0, -0.5, 0.25, 0.125}
  const %b: f32[2] = {1.0, 2.0}
  %y: f32[1,2] = aten::linear(input=%x, weight=%w, bias=%b) as linear_0
}
)";

std::string with_settings(const std::string& pass, const std::string& text,
                          const std::string& settings) {
  const compress::Settings read(config::read_compression_settings(settings, "s.json"));
  PassContext context;
  context.settings = &read;
  return after(pass, text, context);
}

TEST_CASE("insert-observers puts one in front of each requested weight and activation") {
  CHECK(with_settings("insert-observers", kLinear,
                      R"({"": {"weights": {"bits": 4}, "activations": {"bits": 8}}})") ==
        R"(graph m(%x: f32[1,2]) -> (%y as "y") {
  const %w: f32[2,2] = {1.0, -0.5, 0.25, 0.125}
  const %b: f32[2] = {1.0, 2.0}
  %x_observe: f32[1,2] = t2n::observe(self=%x, observer="histogram", bits=8, signed=false, symmetric=false, narrow_range=false, axis=none, quantile=0.9999, least_squares=false, low=floats[], high=floats[], scale=floats[], zero_point=[]) as observe_0
  %w_observe: f32[2,2] = t2n::observe(self=%w, observer="min-max", bits=4, signed=true, symmetric=true, narrow_range=true, axis=0, quantile=0.9999, least_squares=false, low=floats[], high=floats[], scale=floats[], zero_point=[]) as observe_1
  %y: f32[1,2] = aten::linear(input=%x_observe, weight=%w_observe, bias=%b) as linear_0
}
)");
}

TEST_CASE("insert-observers leaves other values alone, and casts weights of 16 bits") {
  CHECK(with_settings("insert-observers", kLinear, R"({"": {"weights": null}})") == kLinear);
  check_unchanged("insert-observers", kLinear);
  CHECK(with_settings("insert-observers", kLinear, R"({"": {"weights": {"format": "f16"}}})") ==
        R"(graph m(%x: f32[1,2]) -> (%y as "y") {
  const %w: f32[2,2] = {1.0, -0.5, 0.25, 0.125}
  const %b: f32[2] = {1.0, 2.0}
  %w_cast: f16[2,2] = t2n::cast(self=%w, dtype=f16) as cast_0
  %w_cast_2: f32[2,2] = t2n::cast(self=%w_cast, dtype=f32) as cast_1
  %y: f32[1,2] = aten::linear(input=%x, weight=%w_cast_2, bias=%b) as linear_0
}
)");
}

TEST_CASE("weights that 16 bits do not hold stay, and their module is named") {
  std::string text = kLinear;
  text.replace(text.find("-0.5"), 4, "65520.0");
  std::string said;
  const compress::Settings settings(
      config::read_compression_settings(R"({"": {"weights": {"format": "f16"}}})", "s.json"));
  PassContext context;
  context.settings = &settings;
  context.report = [&](const Diagnostic& diagnostic) { said += diagnostic.details.at(0); };
  check_unchanged("insert-observers", text, context);
  CHECK(said == "w: it has values beyond 65504, the largest 16-bit float");
  text.replace(text.find("65520.0"), 7, "65519.0");  // rounds to 65504
  CHECK(after("insert-observers", text, context).find("t2n::cast") != std::string::npos);
}

TEST_CASE("weights that would vanish stay in floats") {
  const auto said = [](const std::string& weights, const std::string& numbers) {
    std::string text = kLinear;
    text.replace(text.find("1.0, -0.5, 0.25, 0.125"), 22, numbers);
    const compress::Settings settings(
        config::read_compression_settings(R"({"": {"weights": )" + weights + "}}", "s.json"));
    std::string out;
    PassContext context;
    context.settings = &settings;
    context.report = [&](const Diagnostic& diagnostic) { out += diagnostic.details.at(0); };
    (void)after("insert-observers", text, context);
    return out;
  };
  const std::string half = R"({"format": "f16"})";
  const std::string integers = R"({"bits": 8})";
  const std::string why = "w: its values are too small for the requested format";
  CHECK(said(half, "1e-09, -1e-09, 0.0, 2e-09") == why);
  CHECK(said(half, "1e-09, -1e-09, 0.0, 0.001").empty());
  CHECK(said(half, "0.0, 0.0, 0.0, 0.0").empty());
  CHECK(said(integers, "1e-42, -1e-42, 0.0, 0.0") == why);
  CHECK(said(integers, "1e-12, -1e-12, 0.0, 0.0").empty());
}

TEST_CASE("no integers stand for what is not finite") {
  for (const char* value : {"nan", "inf"}) {
    std::string text = kLinear;
    text.replace(text.find("-0.5"), 4, value);
    try {
      with_settings("insert-observers", text, R"({"": {"weights": {"bits": 8}}})");
      FAIL("it was taken");
    } catch (const Error& error) {
      CHECK(error.diagnostic().id == "unsupported-argument");
      CHECK(error.diagnostic().message ==
            "the weight 'w' contains NaN or infinities, which integers cannot represent");
    }
  }
}

TEST_CASE(
    "activations that the model rounds itself are not rounded again, if it has few integers") {
  const auto with_bound = [](const std::string& high, const std::string& scale) {
    return with_settings("insert-observers",
                         cat(R"(graph m(%x: f32[1,2]) -> (%y as "y") {
  const %w: f32[2,2] = {1.0, -0.5, 0.25, 0.125}
  const %s: f32[] = {0.5}
  const %c: f32[2] = {0.5, 0.25}
  %r: f32[1,2] = aten::round(self=%x)
  %q: f32[1,2] = aten::clamp(self=%r, min=-128.0, max=)",
                             high, R"()
  %f: f32[1,2] = aten::mul.Tensor(self=%q, other=)",
                             scale, R"()
  %a: f32[1,2] = aten::relu(self=%f)
  %y: f32[1,2] = aten::linear(input=%a, weight=%w, bias=none)
}
)"),
                         R"({"": {"activations": {"bits": 8}}})");
  };
  CHECK(with_bound("127.0", "%s").find("observe") == std::string::npos);
  CHECK(with_bound("128.0", "%s").find("observe") != std::string::npos);
  CHECK(with_bound("127.0", "%c").find("observe") != std::string::npos);  // several scales
}

TEST_CASE("weights that the model rounds itself stay on their grid") {
  const compress::Settings settings(
      config::read_compression_settings(R"({"": {"weights": {"bits": 8}}})", "s.json"));
  PassContext context;
  context.settings = &settings;
  check_unchanged("insert-observers", R"(graph m(%x: f32[1,2]) -> (%y as "y") {
    const %q: i8[2,2] quant(scales=[0.5], zero_points=[0], axis=0, bits=4, signed=true, narrow_range=false) = {1, 2, -3, 4}
    %f: f32[2,2] = aten::dequantize.self(self=%q)
    %y: f32[1,2] = aten::linear(input=%x, weight=%f, bias=none)
  })",
                  context);
}

TEST_CASE("channels of rows lie last, whatever the rank of the matrices") {
  const std::string out =
      with_settings("insert-observers", R"(graph m(%x: f32[2,5,1]) -> (%y as "y") {
    const %w: f32[2,1,2] = {1.0, 2.0, 3.0, 4.0}
    %y: f32[2,5,2] = aten::matmul(self=%x, other=%w)
  })",
                    R"({"": {"activations": {"bits": 8, "granularity": "channel"}}})");
  CHECK(out.find("t2n::observe(self=%x, observer=\"histogram\", bits=8, signed=false, "
                 "symmetric=false, narrow_range=false, axis=2,") != std::string::npos);
}

/// %x is observed, with these ranges, scales and zero points; so is the constant %w.
std::string observed(const std::string& of_x, const std::string& of_w) {
  const std::string grid =
      "observer=\"min-max\", bits=8, signed=true, symmetric=true, narrow_range=true";
  return R"(graph m(%x: f32[1,2]) -> (%y as "y") {
  const %w: f32[2,2] = {1.27, -0.5, 0.25, 2.54}
  %a: f32[1,2] = t2n::observe(self=%x, )" +
         grid + ", axis=none, quantile=0.9999, least_squares=false, " + of_x + R"() as observe_0
  %c: f32[2,2] = t2n::observe(self=%w, )" +
         grid + ", axis=0, quantile=0.9999, least_squares=false, " + of_w + R"() as observe_1
  %y: f32[1,2] = aten::linear(input=%a, weight=%c, bias=none) as linear_0
}
)";
}
const std::string kNothing = "low=floats[], high=floats[], scale=floats[], zero_point=[]";

TEST_CASE("calculate-qparams takes ranges that were seen, and those of constants") {
  const std::string seen = "low=[-1.0], high=[0.5], scale=floats[], zero_point=[]";
  CHECK(after("calculate-qparams", observed(seen, kNothing)) ==
        observed("low=[-1.0], high=[0.5], scale=[0.007874015718698502], zero_point=[0]",
                 "low=floats[], high=floats[], scale=[0.009999999776482582, "
                 "0.019999999552965164], zero_point=[0, 0]"));
  check_unchanged("calculate-qparams", observed(kNothing,
                                                "low=floats[], high=floats[], scale=[0.5, 0.5], "
                                                "zero_point=[0, 0]"));
}

TEST_CASE("compensate-rounding lets the second weight make up for the first one's rounding") {
  const std::string observed_weight =
      "t2n::observe(self=%w, observer=\"min-max\", bits=8, signed=true, symmetric=true, "
      "narrow_range=true, axis=0, quantile=0.9999, least_squares=false, low=floats[], "
      "high=floats[], scale=[1.0], zero_point=[0]) as observe_0";
  const std::string layer =
      "%y: f32[1,1] = aten::linear(input=%x, weight=%c, bias=none) as linear_0";
  const auto with_moments = [&](const std::vector<double>& second) {
    const compress::Settings settings(config::read_compression_settings(
        R"({"": {"weights": {"bits": 8, "rounding": "gptq"}}})", "s.json"));
    PassContext context;
    context.settings = &settings;
    context.calibrate = [&](ir::Graph& graph) {
      auto seen = std::make_shared<compress::InputMoments>();
      seen->second = second;
      const std::string address = ir::node_address(graph, graph.nodes.at(1));
      graph.attributes[compress::kInputMoments] = compress::Moments{{address, seen}};
    };
    return after("compensate-rounding",
                 cat("graph m(%x: f32[1,2]) -> (%y as \"y\") {\n"
                     "  const %w: f32[1,2] = {0.4, 0.4}\n  %c: f32[1,2] = ",
                     observed_weight, "\n  ", layer, "\n}"),
                 context);
  };
  const auto rounded = [&](const std::string& weight) {
    std::string observer = observed_weight;
    observer.replace(observer.find("%w"), 2, "%w_rounded");
    return cat("graph m(%x: f32[1,2]) -> (%y as \"y\") {\n  const %w_rounded: f32[1,2] = ", weight,
               "\n  %c: f32[1,2] = ", observer, "\n  ", layer, "\n}\n");
  };
  CHECK(with_moments({1, 1, 1, 1}) == rounded("{0.0, 1.0}"));  // inputs are equal: 0 x + 1 x
  CHECK(with_moments({1, 0, 0, 1}) == rounded("{0.0, 0.0}"));  // and here have nothing in common
}

TEST_CASE("quantise-constants rounds as torch does, half to even, and cuts off") {
  CHECK(after("quantise-constants", R"(graph m() -> (%y as "y") {
    const %w: f32[5] = {0.25, 0.75, -0.25, 100.0, -100.0}
    %y: f32[5] = aten::fake_quantize_per_tensor_affine(self=%w, scale=0.5, zero_point=1, quant_min=-128, quant_max=127)
  })") == R"(graph m() -> (%y as "y") {
  const %y_const: i8[5] quant(scales=[0.5], zero_points=[1], axis=0, bits=8, signed=true, narrow_range=false) = {1, 3, 1, 127, -128}
  %y: f32[5] = aten::dequantize.self(self=%y_const) as dequantize_0
}
)");
}

TEST_CASE("quantise-constants takes a user's own fake quantisation of any width up to 8 bits") {
  CHECK(after("quantise-constants", R"(graph m() -> (%y as "y") {
    const %w: f32[2,2] = {1.0, 2.0, -1.0, 7.0}
    const %s: f32[2] = {1.0, 0.5}
    const %z: i32[2] = {0, 0}
    %y: f32[2,2] = aten::fake_quantize_per_channel_affine(self=%w, scale=%s, zero_point=%z, axis=1, quant_min=-8, quant_max=7)
  })") == R"(graph m() -> (%y as "y") {
  const %y_const: i8[2,2] quant(scales=[1.0, 0.5], zero_points=[0, 0], axis=1, bits=4, signed=true, narrow_range=false) = {1, 4, -1, 7}
  %y: f32[2,2] = aten::dequantize.self(self=%y_const) as dequantize_0
}
)");
}

TEST_CASE("quantise-constants leaves activations, and grids wider than 8 bits") {
  check_unchanged("quantise-constants", R"(graph m(%x: f32[2]) -> (%y as "y", %z as "z") {
    const %w: f32[2] = {1.0, 2.0}
    %y: f32[2] = aten::fake_quantize_per_tensor_affine(self=%x, scale=0.5, zero_point=1, quant_min=-128, quant_max=127)
    %z: f32[2] = aten::fake_quantize_per_tensor_affine(self=%w, scale=0.5, zero_point=0, quant_min=-32768, quant_max=32767)
  })");
}

TEST_CASE("insert-fake-quant rounds where a grid is known; a range never seen is warned of") {
  std::vector<Diagnostic> said;
  PassContext context;
  context.report = [&](const Diagnostic& diagnostic) { said.push_back(diagnostic); };
  CHECK(after("insert-fake-quant",
              observed(kNothing,
                       "low=floats[], high=floats[], scale=[0.5, 0.25], "
                       "zero_point=[0, 0]"),
              context) == R"(graph m(%x: f32[1,2]) -> (%y as "y") {
  const %w: f32[2,2] = {1.27, -0.5, 0.25, 2.54}
  const %c_const: f32[2] = {0.5, 0.25}
  const %c_const_2: i32[2] = {0, 0}
  %c: f32[2,2] = aten::fake_quantize_per_channel_affine(self=%w, scale=%c_const, zero_point=%c_const_2, axis=0, quant_min=-127, quant_max=127) as fake_quantize_per_channel_affine_0
  %y: f32[1,2] = aten::linear(input=%x, weight=%c, bias=none) as linear_0
}
)");
  REQUIRE(said.size() == 1);
  CHECK(said[0].id == "range-never-seen");
  CHECK(said[0].message == "'x' stays in floats: calibration recorded no range for it");
}

/// The axis of the observer of a weight of these elements, as text.
std::string axis_of_scales(const std::string& weight) {
  std::string text = kLinear;
  const std::string before = "{1.0, -0.5, 0.25, 0.125}";
  text.replace(text.find(before), before.size(), weight);
  const std::string out =
      with_settings("insert-observers", text, R"({"": {"weights": {"granularity": "auto"}}})");
  const size_t at = out.find("axis=");
  return out.substr(at, out.find(',', at) - at);
}

TEST_CASE("insert-observers: small weights share a scale if no channel loses much by that") {
  CHECK(axis_of_scales("{1.0, -0.5, 0.25, 0.125}") == "axis=none");
  CHECK(axis_of_scales("{1.0, -0.5, 0.025, 0.0125}") == "axis=0");
  CHECK(axis_of_scales("{1.0, -0.5, 0.0, 0.0}") == "axis=none");
  CHECK(
      with_settings("insert-observers", kLinear, R"({"": {"weights": {"granularity": "channel"}}})")
          .find("axis=0") != std::string::npos);
}

}  // namespace
}  // namespace t2n::passes

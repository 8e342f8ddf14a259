// SPDX-License-Identifier: Apache-2.0
// What layers are given, as rows; weights rounded by it, and biases corrected by it.
#include <doctest/doctest.h>

#include <cmath>

#include "src/compress/calibrate/calibrate.h"
#include "src/compress/calibrate/layer_rows.h"
#include "src/config/compression_settings.h"
#include "src/export/pass_table.h"
#include "src/model/torch_module.h"
#include "tests/support/named.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using ir::Tensor;

/// A graph of one layer, whose constants hold random numbers.
ir::Graph layer(const std::string& text) {
  ir::Graph out = ir::parse(text);
  uint64_t seed = 11;
  for (ir::Constant& constant : out.constants) constant.data = randn(constant.data.shape, seed++);
  return out;
}

struct LayerCase {
  std::string input;   ///< its shape
  std::string weight;  ///< its shape
  int elements;        ///< of it
  std::string result;  ///< its shape
  std::string call;    ///< of the layer, without operands
};

const std::vector<LayerCase>& cases() {
  static const std::vector<LayerCase> all = {
      {"[3,5,8]", "[6,8]", 48, "[3,5,6]", "aten::linear("},
      {"[2,4,9,7]", "[6,4,3,2]", 144, "[2,6,5,6]",
       "aten::conv2d(stride=[2, 1], padding=[1, 0], dilation=[1, 1], groups=1, "},
      {"[2,4,9,7]", "[6,2,3,2]", 72, "[2,6,5,6]",
       "aten::conv2d(stride=[2, 1], padding=[1, 0], dilation=[1, 1], groups=2, "},
      {"[2,4,6,6]", "[8,1,3,3]", 72, "[2,8,6,6]",
       "aten::conv2d(stride=[1, 1], padding=[2, 2], dilation=[2, 2], groups=4, "},
      {"[2,4,6,6]", "[8,2,2,4]", 128, "[2,8,6,6]",
       "aten::conv2d.padding(stride=[1, 1], padding=\"same\", dilation=[1, 1], groups=2, "},
      {"[2,4,6,6]", "[8,4,2,4]", 256, "[2,8,5,3]",
       "aten::conv2d.padding(stride=[1, 1], padding=\"valid\", dilation=[1, 1], groups=1, "},
      {"[2,4,11]", "[6,2,3]", 36, "[2,6,5]",
       "aten::conv1d(stride=[2], padding=[0], dilation=[1], groups=2, "}};
  return all;
}

ir::Graph layer_graph(const LayerCase& of) {
  return layer(cat("graph m(%x: f32", of.input, ") -> (%y as \"y\") {\n  const %w: f32", of.weight,
                   " = bytes=", 4 * of.elements, "\n  %y: f32", of.result, " = ", of.call,
                   "input=%x, weight=%w, bias=none)\n}\n"));
}

TEST_CASE("a layer's result is the product of its rows and its weight, group by group") {
  const ir::Evaluator evaluate = torch_module().evaluator();
  for (const LayerCase& of : cases()) {
    CAPTURE(of.call);
    const ir::Graph graph = layer_graph(of);
    const Tensor x = randn(ir::static_shape(graph.values[0].shape), 3);
    const Tensor result = ir::run_graph(graph, {x}, evaluate).at(0);
    const Tensor& weight = graph.constants[0].data;
    const Tensor rows = compress::input_rows(
        graph.nodes[0], [&](ir::ValueId id) { return id == 0 ? x : weight; }, evaluate);
    const auto outputs = static_cast<size_t>(weight.shape[0]);
    const size_t width = static_cast<size_t>(weight.elements()) / outputs;
    const auto groups = static_cast<size_t>(rows.shape[1]) / width;
    const std::vector<double> given = ir::to_f64(rows), w = ir::to_f64(weight);
    const std::vector<double> wanted = ir::to_f64(result);
    const bool is_last = of.call == "aten::linear(";
    const auto places = static_cast<size_t>(rows.shape[0]);
    const size_t batches = is_last ? 1 : static_cast<size_t>(x.shape[0]);
    REQUIRE_EQ(wanted.size(), places * outputs);
    for (size_t place = 0; place < places; ++place)
      for (size_t out = 0; out < outputs; ++out) {
        const size_t group = out / (outputs / groups);
        double sum = 0;
        for (size_t k = 0; k < width; ++k)
          sum += given[(place * groups + group) * width + k] * w[out * width + k];
        const size_t inner = places / batches;
        const size_t at = is_last ? place * outputs + out
                                  : (place / inner * outputs + out) * inner + place % inner;
        REQUIRE(sum == doctest::Approx(wanted[at]).epsilon(1e-4));
      }
  }
}

/// Inputs of which neighbours are alike, and not zero on average.
std::vector<Tensor> inputs_of(const ir::Graph& graph) {
  std::vector<Tensor> out;
  for (uint64_t seed = 0; seed < 4; ++seed) {
    std::vector<double> x = ir::to_f64(randn(ir::static_shape(graph.values[0].shape), seed));
    for (size_t i = 1; i < x.size(); ++i) x[i] = 0.8 * x[i - 1] + 0.4 * x[i] + 0.1;
    out.push_back(
        ir::tensor_of<double>(ir::DType::f32, ir::static_shape(graph.values[0].shape), x));
  }
  return out;
}

ir::Graph compressed_on(ir::Graph graph, const std::string& text,
                        const std::vector<Tensor>& inputs) {
  const compress::Settings settings(config::read_compression_settings(text, "s.json"));
  passes::PassContext context;
  context.evaluate = torch_module().evaluator();
  context.settings = &settings;
  context.calibrate = [&](ir::Graph& of) {
    size_t next = 0;
    compress::calibrate(
        of,
        [&] { return next < inputs.size() ? std::vector{inputs[next++]} : std::vector<Tensor>(); },
        [&](const std::vector<Tensor>&) { return of; }, context.evaluate,
        compress::moment_requests(of, settings));
  };
  passes::run_pipeline(graph,
                       {"insert-observers", "calculate-qparams", "compensate-rounding",
                        "insert-fake-quant", "correct-bias"},
                       context);
  return graph;
}

/// Sums of errors over all inputs: squared, and of the means of each channel.
struct Errors {
  double square = 0;
  double means = 0;
};

Errors errors_of(const ir::Graph& before, const ir::Graph& after, const std::vector<Tensor>& inputs,
                 bool is_last) {
  const ir::Evaluator evaluate = torch_module().evaluator();
  Errors out;
  std::vector<double> means;
  for (const Tensor& x : inputs) {
    const Tensor wanted = ir::contiguous(ir::run_graph(before, {x}, evaluate).at(0));
    const std::vector<double> a = ir::to_f64(wanted);
    const std::vector<double> b = ir::to_f64(ir::run_graph(after, {x}, evaluate).at(0));
    const size_t axis = is_last ? wanted.shape.size() - 1 : 1;
    size_t inner = 1;
    for (size_t i = axis + 1; i < wanted.shape.size(); ++i)
      inner *= static_cast<size_t>(wanted.shape[i]);
    means.resize(static_cast<size_t>(wanted.shape[axis]));
    for (size_t i = 0; i < a.size(); ++i) {
      out.square += (a[i] - b[i]) * (a[i] - b[i]);
      means[i / inner % means.size()] += (b[i] - a[i]) / static_cast<double>(a.size());
    }
  }
  for (const double mean : means) out.means += std::abs(mean);
  return out;
}

TEST_CASE("weights of groups rounded by their own inputs lose less than by the nearest") {
  for (const LayerCase& of : cases()) {
    CAPTURE(of.call);
    const ir::Graph graph = layer_graph(of);
    const std::vector<Tensor> inputs = inputs_of(graph);
    const bool is_last = of.call == "aten::linear(";
    const auto loss = [&](const std::string& rounding) {
      const std::string text =
          cat(R"({"": {"weights": {"bits": 3, "rounding": ")", rounding, R"("}}})");
      return errors_of(graph, compressed_on(graph, text, inputs), inputs, is_last).square;
    };
    CHECK(loss("gptq") < 0.95 * loss("nearest"));
  }
}

TEST_CASE("a corrected bias takes the mean error of each channel away") {
  for (const LayerCase& of : cases()) {
    CAPTURE(of.call);
    const ir::Graph graph = layer_graph(of);
    const std::vector<Tensor> inputs = inputs_of(graph);
    const bool is_last = of.call == "aten::linear(";
    const auto loss = [&](const std::string& correction) {
      const std::string text =
          cat(R"({"": {"weights": {"bits": 4}, "bias_correction": )", correction, "}}");
      return errors_of(graph, compressed_on(graph, text, inputs), inputs, is_last);
    };
    const Errors before = loss("false");
    const Errors after = loss("true");
    CHECK(before.means > 1e-4);
    CHECK(after.means < 1e-3 * before.means);
    CHECK(after.square < before.square);
  }
}

}  // namespace
}  // namespace t2n::test

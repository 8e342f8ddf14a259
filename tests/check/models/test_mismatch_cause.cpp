// SPDX-License-Identifier: Apache-2.0
// What explains an output of a model that rounds: ties, another engine of LibTorch's, or nothing.
#include <doctest/doctest.h>

#include <cmath>

#include "src/check/graph_f64_distance.h"
#include "src/check/mismatch_cause.h"
#include "src/diag/error.h"
#include "src/export/stages.h"
#include "src/model/torch_module.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using check::MismatchCause;

struct Judge {
  TracedModel model;
  InputSets sets;

  Judge(const std::string& program, const ir::Tensor& x,
        const std::vector<std::pair<std::string, ir::Tensor>>& parameters = {}) {
    LoadedModel loaded;
    loaded.session = torch_module().compile({program, parameters});
    loaded.samples = {{{{"x"}, x}, std::nullopt}};
    model = trace_model(loaded, {});
    sets = make_input_sets(source(), 2, {}, {});
  }

  SourceModel source() const { return source_model(model); }

  /// Of the samples' output, with elements changed.
  Explanation found(const std::vector<std::pair<size_t, double>>& changes,
                    std::optional<double> step, size_t output = 0) {
    const ir::Tensor& expected = sets.sets[0].expected[output];
    std::vector<double> values = ir::to_f64(expected);
    for (const auto& [at, value] : changes) values[at] = value;
    return explain(source(), sets.sets[0], output,
                   ir::tensor_of(expected.dtype, expected.shape, values), {}, step);
  }
};

constexpr const char* kQuantised =
    "def forward(self, x):\n"
    "  q = torch.quantize_per_tensor(x, 0.3, 3, 13)\n"
    "  return q.dequantize(), q.int_repr(), q.dequantize() > 0.75\n";

/// The second element lies at a tie in f32, the third near one.
const std::vector<double> kInputs = {1,  0.75, 0.45003, 3,  4,  5,  6,  7,  8,  9,  10, 11,
                                     12, 13,   14,      15, 16, 17, 18, 19, 20, 21, 22, 23};

TEST_CASE("a tie may go to either side, whatever the output is") {
  Judge judge(kQuantised, values({24}, kInputs));
  REQUIRE_EQ(ir::to_f64(judge.sets.sets[0].expected[0])[1], doctest::Approx(0.9));
  CHECK(judge.found({{1, 0.6}}, 0.3).cause == MismatchCause::ties);
  CHECK(judge.found({{1, 5}}, 1, 1).cause == MismatchCause::ties);
  CHECK(judge.found({{1, 0}}, std::nullopt, 2).cause == MismatchCause::ties);
  CHECK_FALSE(judge.found({{1, 0.3}}, 0.3).cause);            // two steps
  CHECK_FALSE(judge.found({{1, 0.75}}, 0.3).cause);           // half a step
  CHECK_FALSE(judge.found({{0, 1.2}}, 0.3).cause);            // no tie
  CHECK_FALSE(judge.found({{0, 7}}, 1, 1).cause);             // no tie
  CHECK_FALSE(judge.found({{0, 0}}, std::nullopt, 2).cause);  // no tie
  CHECK_FALSE(judge.found({{1, 0.6}, {4, 4.2}}, 0.3).cause);  // of two, one is no tie
}

TEST_CASE("a tie that torch computes exactly goes to the even side") {
  Judge judge("def forward(self, x): return torch.round(x * 0.5)", values({3}, {5, 1.75, 7}));
  CHECK_FALSE(judge.found({{0, 3}}, std::nullopt).cause);
  Judge scaled("def forward(self, x): return torch.round(x * 3.3333333)",
               values({3}, {0.75, 2, 3}));
  CHECK(scaled.found({{0, 3}}, std::nullopt).cause.has_value());
}

TEST_CASE("a tie is near: 2^-12 of a step") {
  const auto cause = [&](double near) {
    std::vector<double> inputs = kInputs;
    inputs[1] = 0.75 + 0.3 * near;
    Judge judge(kQuantised, values({24}, inputs));
    return judge.found({{1, 0.6}}, 0.3).cause;
  };
  CHECK(cause(0x1.0p-13) == MismatchCause::ties);
  CHECK_FALSE(cause(0x1.0p-11));
}

std::vector<double> in_engine(Judge& judge, trace::Executor engine) {
  return ir::to_f64(
      torch_module().run_in(*judge.model.session, judge.sets.sets[0].inputs, engine).at(0));
}

TEST_CASE("LibTorch multiplies by two scales one after the other, or by their product") {
  // A quotient of scales near 1/8: many sums lie at ties, which the two ways round differently.
  const char* source =
      "def forward(self, x):\n"
      "  w = torch.quantize_per_tensor(self.w, 0.0253, 0, 12)\n"
      "  p = ops.quantized.conv2d_prepack(w, None, [1, 1], [1, 1], [1, 1], 1)\n"
      "  q = torch.quantize_per_tensor(x, 0.0826, 57, 13)\n"
      "  return ops.quantized.conv2d(q, p, 0.0826 * 0.0253 * 8.0, 64).dequantize()\n";
  const ir::Tensor w = uniform({16, 8, 3, 3}, -0.2, 0.2, 1);
  Judge judge(source, uniform({2, 8, 24, 24}, -4, 5, 2), {{"w", w}});
  InputSet& set = judge.sets.sets[0];
  const KernelRuns& runs = in_both_kernels(judge.source(), set);
  const auto is_equal = [](const ir::Tensor& a, const ir::Tensor& b) {
    return ir::to_f64(a) == ir::to_f64(b);
  };
  const bool as_files_do = is_equal(set.expected[0], runs.one_by_one.at(0));
  const bool as_others_do = is_equal(set.expected[0], runs.by_product.at(0));
  // On processors without products of bytes, the default engine takes the kernels of another.
  const bool as_fbgemm_does =
      ir::to_f64(set.expected[0]) == in_engine(judge, trace::Executor::torch_fbgemm);
  CHECK_EQ(as_files_do + as_others_do + as_fbgemm_does, 1);
}

TEST_CASE("if ties move most elements, the check is inconclusive") {
  std::vector<double> inputs(24, 0.75);
  Judge judge(kQuantised, values({24}, inputs));
  CHECK(judge.found({{1, 0.6}}, 0.3).cause == MismatchCause::undecided);
  CHECK_FALSE(judge.found({{1, 0.7}}, 0.3).cause);  // but that it is no step
}

TEST_CASE(
    "what ties move in sums may lie elsewhere: that is not known, and further off it is wrong") {
  std::vector<double> inputs = kInputs;
  inputs[3] = 0.15000000596046448;  // half a step, in f32
  Judge judge(
      "def forward(self, x):\n"
      "  q = torch.quantize_per_tensor(x, 0.3, 3, 13).dequantize() * 0.01\n"
      "  return torch.cat([(q[1] - q[3]).reshape(1) + 1, q[1:4], 20 + x])\n",
      values({24}, inputs));
  const double first = ir::to_f64(judge.sets.sets[0].expected[0])[0];
  CHECK(judge.found({{0, first + 0.003}}, std::nullopt).cause == MismatchCause::undecided);
  CHECK_FALSE(judge.found({{0, first - 0.5}}, std::nullopt).cause);
}

/// 128 groups, whose products the default engine adds up in 16 bits. `step`: of the output.
Judge saturating(const std::string& step = "0.1") {
  std::vector<double> weights(128 * 9);
  for (size_t i = 0; i < weights.size(); ++i) weights[i] = i % 9 < 6 ? 1.27 : -0.3;
  std::vector<double> inputs(128 * 9);
  for (size_t i = 0; i < inputs.size(); ++i)
    inputs[i] = 2.0 + 0.55 * static_cast<double>(i % 7 % 2);
  return Judge(
      "def forward(self, x):\n"
      "  w = torch.quantize_per_tensor(self.w, 0.01, 0, 12)\n"
      "  q = torch.quantize_per_tensor(x, 0.01, 0, 13)\n"
      "  p = ops.quantized.conv2d_prepack(w, None, [1, 1], [1, 1], [1, 1], 128)\n"
      "  return ops.quantized.conv2d(q, p, " +
          step + ", 0).dequantize()\n",
      values({1, 128, 3, 3}, inputs), {{"w", values({128, 1, 3, 3}, weights)}});
}

TEST_CASE("a result equal to one of LibTorch's engines in every element is right") {
  Judge judge = saturating();
  const std::vector<double> x86 = ir::to_f64(judge.sets.sets[0].expected[0]);
  const std::vector<double> onednn = in_engine(judge, trace::Executor::torch_onednn);
  REQUIRE(x86 != onednn);
  std::vector<std::pair<size_t, double>> changes;
  double furthest = 0;
  for (size_t i = 0; i < x86.size(); ++i) {
    changes.emplace_back(i, onednn[i]);
    furthest = std::max(furthest, std::abs(x86[i] - onednn[i]));
  }
  const Explanation right = judge.found(changes, 0.1);
  CHECK(right.cause == MismatchCause::engine);
  CHECK(right.engines_disagree);
  // Neither's: as far off as the engines are apart it is not known to be wrong, further off it is.
  changes[7].second += 0.1;
  const Explanation neither = judge.found(changes, 0.1);
  CHECK(neither.cause == MismatchCause::undecided);
  CHECK(neither.engines_disagree);
  for (auto& [at, value] : changes) value += furthest + 0.1;
  CHECK_FALSE(judge.found(changes, 0.1).cause);
}

TEST_CASE("ties explain what is off from the engine that does not cut off sums") {
  // The sum in the middle of each seventh channel is 153705: a hundred steps and a half.
  const double step = 153705 * 1e-4 / 100.5;
  Judge judge = saturating("153705 * 1e-4 / 100.5");
  const std::vector<double> onednn = in_engine(judge, trace::Executor::torch_onednn);
  const auto found = [&](size_t place) {
    std::vector<std::pair<size_t, double>> changes;
    for (size_t i = 0; i < onednn.size(); ++i) changes.emplace_back(i, onednn[i]);
    changes[place].second += onednn[place] < 100.5 * step ? step : -step;
    return judge.found(changes, step).cause;
  };
  constexpr size_t kMiddle = 4;
  CHECK(std::abs(onednn[kMiddle] - 100.5 * step) < 0.6 * step);
  CHECK(found(kMiddle) == MismatchCause::engine);
  CHECK(found(0) == MismatchCause::undecided);  // a corner is no tie
}

/// Means of six numbers by channel: exact halves in the first, whole in the others.
constexpr const char* kMeans =
    "def forward(self, x):\n"
    "  q = torch.quantize_per_tensor(x, 0.5, 5, 13)\n"
    "  return torch.adaptive_avg_pool2d(q, [1, 1]).dequantize()\n";

TEST_CASE("LibTorch may round exact ties of its quantised kernels to either side, and others not") {
  std::vector<double> inputs(6 * 20, 0);
  for (size_t i = 0; i < inputs.size(); ++i) inputs[i] = static_cast<double>(i / 6);
  inputs[0] = 1.5;  // the mean of steps is a half
  Judge judge(kMeans, values({1, 20, 1, 6}, inputs));
  InputSet& set = judge.sets.sets[0];
  const auto may_be = [&](size_t at, double by) {
    std::vector<double> results = ir::to_f64(set.expected[0]);
    results[at] += by;
    return may_be_of_torch(judge.source(), set,
                           {ir::tensor_of(ir::DType::f32, set.expected[0].shape, results)}, {},
                           {0.5});
  };
  const double other = ir::to_f64(set.expected[0])[0] == 0 ? 0.5 : -0.5;
  CHECK(may_be(0, 0));
  CHECK(may_be(0, other));
  CHECK_FALSE(may_be(0, -other));
  CHECK_FALSE(may_be(1, other));
}

TEST_CASE("means are of integers along the innermost axes of rows, and of reals elsewhere") {
  const std::string rows = "torch.quantize_per_tensor(x, 0.037, 5, 13)";
  const std::string images = "torch.contiguous(" + rows + ", memory_format=2)";
  std::string results;
  for (const std::string& x : {rows, images})
    for (const char* axes : {"[-1]", "[3, 2], True", "[1]", "[2]", "[1, 2, 3]"})
      results += "torch.mean(" + x + ", " + axes + ").int_repr(), ";
  Judge judge("def forward(self, x): return " + results + "torch.mean(" + rows + ").int_repr()\n",
              randn({8, 32, 6, 10}, 11));
  const InputSet& set = judge.sets.sets[0];
  const auto ours = run_recorded(judge.source(), set, torch_module().evaluator());
  REQUIRE_EQ(ours.size(), set.expected.size());
  for (size_t i = 0; i < ours.size(); ++i) {
    CAPTURE(i);
    CHECK(ir::to_f64(ours[i]) == ir::to_f64(set.expected[i]));
  }
}

}  // namespace
}  // namespace t2n::test

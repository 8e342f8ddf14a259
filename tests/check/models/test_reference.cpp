// SPDX-License-Identifier: Apache-2.0
// The reference of a check: LibTorch's own executor, and what happens where our run is another.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "ir/evaluator.h"
#include "src/check/reference.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "tests/support/example.h"
#include "tests/support/named.h"
#include "tests/support/script.h"
#include "tests/support/temporary.h"

namespace t2n::test {
namespace {

struct Traced {
  std::shared_ptr<trace::Session> session;
  std::vector<trace::SampleInput> inputs;
  trace::Traced traced;
};

Traced traced(const std::string& source, const std::vector<ir::Tensor>& inputs,
              const std::vector<std::pair<std::string, ir::Tensor>>& parameters = {}) {
  Traced out;
  out.session = torch_module().compile({source, parameters});
  out.inputs = named(inputs);
  out.traced = torch_module().trace(*out.session, out.inputs, {});
  return out;
}

std::vector<ir::Tensor> run(const Traced& model, trace::Executor executor) {
  return torch_module().run_in(*model.session, model.inputs, executor);
}

TEST_CASE("a graph in f64 is computed in it") {
  const ir::Tensor x = values({2}, {1e8, 1});
  const Traced model = traced("def forward(self, x):\n  return (x + 1) - x, x > 0\n", {x});
  const auto wide = ir::run_graph(model.traced.graph, {x}, torch_module().wide_evaluator());
  CHECK_EQ(wide.at(0).dtype, ir::DType::f64);
  CHECK_EQ(ir::to_f64(wide[0]), std::vector<double>{1, 1});
  CHECK_EQ(ir::to_f64(model.traced.outputs.at(0)), std::vector<double>{0, 1});
  CHECK_EQ(wide.at(1).dtype, ir::DType::boolean);
}

constexpr const char* kProgram =
    "def forward(self, x):\n"
    "  parts = (x.relu(), x.exp(), x.sin())\n"
    "  for i in range(3):\n"
    "    x = x.cos() + i\n"
    "  return parts[-1], x\n";

TEST_CASE("our run of a program is LibTorch's, bit for bit") {
  const Traced model = traced(kProgram, {randn({3, 4}, 1)});
  const Agreement agreement = agree_with_torch(*model.session, model.inputs, model.traced);
  CHECK_EQ(agreement.description,
           "LibTorch's executor; t2nnef's own run gives the same, bit for bit");
  CHECK(agreement.executor == trace::Executor::torch);
  REQUIRE_EQ(agreement.expected.size(), 2);
  for (size_t i = 0; i < 2; ++i)
    CHECK(ir::same_values(agreement.expected[i], model.traced.outputs[i]));
}

TEST_CASE("one bit is a difference, and it is shown") {
  Traced model = traced(kProgram, {values({2}, {0, 1})});
  constexpr float kSine = 0.84147096F;
  const std::vector<float> numbers = {0, std::nextafter(kSine, 1.0F)};
  model.traced.outputs[0] = ir::tensor_of(ir::DType::f32, {2}, numbers);
  const auto text = error_of([&] { agree_with_torch(*model.session, model.inputs, model.traced); });
  CHECK_EQ(
      text,
      "error[trace-differs]: t2nnef's own run of the model differs from LibTorch's: "
      "'output_0'[1]: expected 0.84147096, got 0.841471 (off by 5.96046e-08, allowed 0)\n"
      "  why:  LibTorch runs all operators of t2nnef's run with the same results, but also others\n"
      "  help: please report it with the model: t2nnef's results for it are not reliable\n");
  model.traced.outputs.pop_back();
  CHECK(error_of([&] { agree_with_torch(*model.session, model.inputs, model.traced); })
            .starts_with("error[trace-differs]: t2nnef's own run of the model differs from "
                         "LibTorch's: 1 outputs, expected 2\n"));
}

TEST_CASE("a NaN is a NaN, and minus zero is not zero") {
  Traced model = traced("def forward(self, x): return x.log()", {values({2}, {-1, 1})});
  agree_with_torch(*model.session, model.inputs, model.traced);
  const std::vector<float> negative = {std::numeric_limits<float>::quiet_NaN(), -0.0F};
  model.traced.outputs[0] = ir::tensor_of(ir::DType::f32, {2}, negative);
  CHECK_NE(error_of([&] { agree_with_torch(*model.session, model.inputs, model.traced); }),
           "(no error: the model was exported)");
}

TEST_CASE("a run in LibTorch leaves nothing for the next") {
  const ir::Tensor x = values({2}, {1, 2});
  const auto session =
      torch_module().compile({"def forward(self, x):\n  self.h.add_(1)\n  return x * self.h\n",
                              {{"h", values({2}, {1, 1})}}});
  const std::vector<trace::SampleInput> inputs = {{{"x"}, x}};
  for (int i = 0; i < 2; ++i)
    CHECK_EQ(ir::to_f64(torch_module().run_in(*session, inputs, trace::Executor::torch)[0]),
             std::vector<double>{2, 4});
  CHECK_EQ(ir::to_f64(torch_module().run_in(*session, inputs, trace::Executor::ours)[0]),
           std::vector<double>{2, 4});
}

TEST_CASE("a file that is read again shares its code, and no state of a run") {
  const std::shared_ptr<trace::Session> written =
      torch_module().compile({"def forward(self, x):\n  self.b.add_(1)\n  return x * self.b\n",
                              {{"b", values({2}, {1, 2})}}});
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "model.pt").string();
  std::ofstream(file, std::ios::binary) << torch_module().saved(*written);
  const std::shared_ptr<trace::Session> session = torch_module().load(file, "forward");
  const auto inputs = named({values({2}, {10, 10})});
  for (const auto executor : {trace::Executor::torch, trace::Executor::torch_unfused})
    for (int run = 0; run < 3; ++run)
      CHECK_EQ(ir::to_f64(torch_module().run_in(*session, inputs, executor).at(0)),
               std::vector<double>{20, 30});
}

TEST_CASE("state is an input and an output in LibTorch as well") {
  const auto session =
      torch_module().compile({"def forward(self, x):\n  self.h.add_(x)\n  return self.h * 2\n",
                              {{"h", values({2}, {1, 1})}}});
  trace::TraceOptions options;
  options.explicit_states = true;
  const std::vector<trace::SampleInput> inputs = {{{"x"}, values({2}, {1, 2})}};
  const trace::Traced first = torch_module().trace(*session, inputs, options);
  REQUIRE_EQ(first.states.size(), 1);
  const Agreement agreement = agree_with_torch(*session, inputs, first);
  REQUIRE_EQ(agreement.expected.size(), 2);
  CHECK_EQ(ir::to_f64(agreement.expected[1]), std::vector<double>{2, 3});
  std::vector<trace::SampleInput> fed = inputs;
  fed.push_back({{"h"}, values({2}, {10, 20}), true});
  const auto next = torch_module().run_in(*session, fed, trace::Executor::torch);
  CHECK_EQ(ir::to_f64(next[0]), std::vector<double>{22, 44});
  CHECK_EQ(ir::to_f64(next[1]), std::vector<double>{11, 22});
}

TEST_CASE("gradients are off in LibTorch, devices are the CPU") {
  const Traced model = traced(
      "def forward(self, x):\n"
      "  y = x.to(torch.device('cuda:0')) + torch.zeros(2, device='cuda')\n"
      "  if torch.is_grad_enabled():\n    y = y + 1\n"
      "  return y\n",
      {values({2}, {1, 2})});
  CHECK_EQ(ir::to_f64(run(model, trace::Executor::torch)[0]), std::vector<double>{1, 2});
  agree_with_torch(*model.session, model.inputs, model.traced);
}

TEST_CASE("16-bit floats are compared with torch's own kernels") {
  const Traced model = traced("def forward(self, x): return torch.conv2d(x, self.w)",
                              {randn({1, 8, 9, 9}, 1, ir::DType::f16)},
                              {{"w", randn({4, 8, 3, 3}, 2, ir::DType::f16)}});
  const Agreement agreement = agree_with_torch(*model.session, model.inputs, model.traced);
  CHECK(agreement.description.starts_with("LibTorch's executor; t2nnef's own run gives the same"));
  CHECK(agreement.description.ends_with(", bit for bit"));
}

TEST_CASE("refusals of LibTorch keep its message") {
  const auto session = torch_module().compile({"def forward(self, x): return x.view(3)", {}});
  const std::vector<trace::SampleInput> inputs = {{{"x"}, values({2}, {1, 2})}};
  CHECK_EQ(error_of([&] { torch_module().run_in(*session, inputs, trace::Executor::torch); }),
           "error[forward-failed]: LibTorch cannot run the model: RuntimeError: shape '[3]' is "
           "invalid for input of size 2\n"
           "  help: do the sample inputs fit the model? `t2nnef inspect` shows its arguments\n");
}

}  // namespace
}  // namespace t2n::test

// SPDX-License-Identifier: Apache-2.0
// Linear layers of many products, which engines sum as integers where that is faster, or exact.
#include "src/target/integer_products.h"
#include "tests/ops/check_script.h"
#include "tests/support/dynamic.h"

namespace t2n::test::integer_products_tests {
namespace {

const std::string kQ = "torch.quantize_per_tensor(x, 0.0371, 121, 13)";
const std::string kWhole = "torch.quantize_per_tensor(self.w, 0.0773, 0, 12)";
const std::string kShifted = "torch.quantize_per_tensor(self.w, 0.0773, 11, 12)";
/// Of the whole range. On processors without VNNI, LibTorch's kernels cut off sums of two products
/// at 16 bits: activations that meet these weights have seven bits, and other weights six.
const std::string kWide = "torch.quantize_per_tensor(self.w, 0.0193, 0, 12)";
const std::string kRows =
    "torch.quantize_per_channel(self.w, torch.tensor([0.044, 0.056, 0.068, 0.084]), "
    "torch.tensor([0, 0, 0, 0]), 0, 12)";
const Parameters kLayer = {{"w", randn({4, 256}, 1)}, {"b", randn({4}, 2)}};

std::string packed(const std::string& weight) {
  return "ops.quantized.linear_prepack(" + weight + ", self.b)";
}

bool sums_integers(const std::string& nnef) { return nnef.find("acc = 'i32'") != nnef.npos; }

Run run_on_vnni(Script model, const ir::Tensor& x, const target::Target& target) {
  model.edit = [](ir::Graph& graph) {
    graph.attributes[target::kProcessor] = target::Processor::vnni;
  };
  return export_and_run(model, {x}, target);
}

Script dynamic_layer(int64_t products) {
  return with_parameters("ops.quantized.linear_dynamic(x, " + packed(kWhole) + ", False)", 1,
                         {{"w", randn({4, products}, 1)}, {"b", randn({4}, 2)}});
}

TEST_CASE("static and dynamic layers of 256 products") {
  std::vector<std::string> forms;
  for (const std::string& weight : {kWhole, kShifted, kRows}) {
    for (const std::string op : {"linear", "linear_relu"})
      forms.push_back("torch.dequantize(ops.quantized." + op + "(" + kQ + ", " + packed(weight) +
                      ", 0.3, 117))");
    for (const std::string reduced : {"False", "True"})
      forms.push_back("ops.quantized.linear_dynamic(x, " + packed(weight) + ", " + reduced + ")");
  }
  forms.push_back("ops.quantized.linear_dynamic(x, " + packed(kWide) + ", True)");
  forms.push_back(
      "torch.dequantize(ops.quantized.linear(torch.quantize_per_tensor("
      "x.clamp(-4.5, 5.0), 0.0742, 60, 13), " +
      packed(kWide) + ", 0.3, 117))");
  for (const ir::Tensor& x :
       {randn({3, 256}, 3), randn({2, 3, 256}, 4), uniform({1, 256}, 1, 2, 5)}) {
    check_with(kLayer, forms, {x});
    on_each_target(forms, [&](const std::string& form, const target::Target& target) {
      CHECK_CLOSE(run_on_vnni(with_parameters(form, 1, kLayer), x, target), rel(1e-5));
    });
  }
}

TEST_CASE("only engines and processors that are faster with bytes are given bytes") {
  for (const target::Target& target : test_targets()) {
    const std::string name = target::target_name(target);
    CAPTURE(name);
    const ir::Tensor x = randn({3, 256}, 3);
    const Run run = run_on_vnni(dynamic_layer(256), x, target);
    CHECK_CLOSE(run, rel(1e-5));
    CHECK_EQ(sums_integers(run.nnef), name == "tract@0.23.9");
    CHECK_FALSE(sums_integers(export_text(dynamic_layer(256), {x}, target)));
  }
  const Run run =
      run_on_vnni(dynamic_layer(255), randn({3, 255}, 3), target::parse_target("tract"));
  CHECK_CLOSE(run, rel(1e-5));
  CHECK_FALSE(sums_integers(run.nnef));
}

TEST_CASE("sums beyond those that f32 holds are exact") {
  const Parameters extreme = {{"w", uniform({2, 2048}, 2.44, 2.46, 1)}};
  const Script model = with_parameters(
      "ops.quantized.linear_dynamic(x, ops.quantized.linear_prepack(torch.quantize_per_tensor("
      "self.w, 0.0383, 0, 12), None), False)",
      1, extreme);
  const Run run =
      export_and_run(model, {uniform({3, 2048}, 5, 6, 2)}, target::parse_target("tract"));
  CHECK(sums_integers(run.nnef));
  CHECK(run.nnef.find("_cast, to = 'i8'") == std::string::npos);
  CHECK_CLOSE(run, rel(3e-7));
}

TEST_CASE("sizes of rows may be open") {
  check_open_with(
      {{"w", randn({4, 256}, 1)}, {"b", randn({4}, 2)}},
      {"ops.quantized.linear_dynamic(x, " + packed(kWhole) + ", False)",
       "torch.dequantize(ops.quantized.linear(" + kQ + ", " + packed(kRows) + ", 0.3, 117))"},
      {OpenInput{{"B", "S", "256"}}}, kSizes);
  check_open_with({{"w", uniform({4, 1024}, 8, 9, 1)}, {"b", randn({4}, 2)}},
                  {"ops.quantized.linear_dynamic(x, " + packed(kWhole) + ", True)"},
                  {OpenInput{{"B", "S", "1024"}}}, kSizes);
}

}  // namespace
}  // namespace t2n::test::integer_products_tests

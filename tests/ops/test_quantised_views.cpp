// SPDX-License-Identifier: Apache-2.0
// What moves elements of quantised tensors, whose scales may be others before and after.
#include "tests/ops/check_script.h"

namespace t2n::test::quantised_views_tests {
namespace {

const ir::Tensor kX = randn({2, 3, 4}, 1);
const ir::Tensor kY = randn({2, 3, 4}, 2);
const Parameters kChannels = {{"s", ir::tensor_of<double>(ir::DType::f32, {3}, {0.01, 0.02, 0.03})},
                              {"z", ir::tensor_of<double>(ir::DType::i64, {3}, {0, 3, -5})}};

std::string real(const std::string& quantised) { return "torch.dequantize(" + quantised + ")"; }
std::string integers(const std::string& quantised) { return "torch.int_repr(" + quantised + ")"; }
/// What every target says alike.
std::string refused(const std::string& expression, const std::vector<ir::Tensor>& inputs = {kX}) {
  const Script model = with_parameters(expression, inputs.size(), kChannels);
  std::string said;
  for (const target::Target& target : test_targets()) said = export_error(model, inputs, target);
  return said;
}

const std::string kChannelled = "torch.quantize_per_channel(x, self.s, self.z, 1, 12)";

TEST_CASE("views of a tensor with a scale for each channel have other axes, or one scale") {
  for (const std::string form :
       {"torch.select(Q, 0, 1)", "torch.select(Q, 1, 1)", "torch.slice(Q, 1, 1, 3, 1)",
        "torch.slice(Q, 1, 0, 3, 2)", "torch.narrow(Q, 1, 2, 1)", "torch.unsqueeze(Q, 0)",
        "torch.split(Q, 1, 1)[1]", "torch.unbind(Q, 0)[1]", "torch.unbind(Q, 1)[2]",
        "torch.squeeze(torch.slice(Q, 0, 0, 1, 1), 0)", "torch.reshape(Q, [2, 3, 2, 2])",
        "torch.chunk(Q, 2, -1)[1]", "torch.clone(Q)"}) {
    std::string view = form;
    view.replace(view.find('Q'), 1, kChannelled);
    check_with(kChannels, {real(view), integers(view)}, {kX}, 0);
  }
}

TEST_CASE("a view to which LibTorch gives a wrong axis is refused") {
  CHECK_NE(refused(integers("torch.view(" + kChannelled + ", [-1])"))
               .find("error[unsupported-dtype]: a view of a tensor that is quantised per channel "
                     "has 3 scales along axis 1, which does not match its shape"),
           std::string::npos);
}

const std::string kA = "torch.quantize_per_tensor(x, 0.05, 3, 12)";
const std::string kB = "torch.quantize_per_tensor(y, 0.02, -7, 12)";

TEST_CASE(
    "a part takes the integers of another tensor, where tensors are joined they are rounded") {
  const std::string part = "torch.slice(" + kB + ", 0, 0, 1, 1)";
  check_each({real("torch.slice_scatter(" + kA + ", " + part + ", 0, 0, 1, 1)"),
              real("torch.select_scatter(" + kA + ", torch.select(" + kB + ", 0, 1), 0, 1)"),
              real("torch.cat([" + kA + ", " + kB + "], 1)"),
              real("torch.stack([" + kB + ", " + kA + "], 0)")},
             {kX, kY}, 0);
}

std::string dynamic(const std::string& x) {
  return "torch.quantize_per_tensor_dynamic(" + x + ", 13, False)";
}

TEST_CASE("one tensor whose scale follows from data may be moved, several have one scale each") {
  check_each({real("torch.transpose(" + dynamic("x") + ", 0, 1)"),
              real("torch.relu(" + dynamic("x") + ")")},
             {kX});
  const std::string fixed = "torch.quantize_per_tensor(y, 0.02, 100, 13)";
  for (const std::string& other : {dynamic("y"), fixed})
    for (const std::string& list : {dynamic("x") + ", " + other, other + ", " + dynamic("x")})
      for (const std::string join : {"cat", "stack"})
        CHECK_NE(refused(real("torch." + join + "([" + list + "], 0)"), {kX, kY})
                     .find("it has several quantised operands, one with a data-dependent"),
                 std::string::npos);
}

TEST_CASE("arithmetic with a number has a second name") {
  check_each(
      {real("ops.quantized.add(" + kA + ", 2.0)"), real("ops.quantized.mul(" + kA + ", -1.5)"),
       real("ops.quantized.add_relu(" + kA + ", 0.5)"),
       real("ops.quantized.mul_relu(" + kA + ", 1.5)")},
      {kX});
}

const ir::Tensor kWide =
    ir::tensor_of<double>(ir::DType::f32, {5}, {1e9, 16777217, -2.5, 1.5, -1e8});
const ir::Tensor kIntegers = ir::tensor_of<double>(ir::DType::i32, {2}, {16777217, 5});
const std::string kGiven = "torch._make_per_tensor_quantized_tensor(x, 0.5, 0)";

TEST_CASE("integers of 32 bits are right where f32 holds them, and refused elsewhere") {
  const std::string of_reals = "torch.quantize_per_tensor(x, 1.0, 0, 14)";
  check_each({real(of_reals), integers(of_reals)}, {kWide}, 0);
  check_each({real(kGiven)}, {kIntegers}, 0);
  for (const std::string& view : {kGiven, "torch.view(" + kGiven + ", [2, 1])"})
    CHECK_NE(refused(integers(view), {kIntegers})
                 .find("its integers have more than the 24 bits that f32 holds"),
             std::string::npos);
  CHECK_NE(refused(kGiven, {kIntegers}).find("is integers of more than 24 bits"),
           std::string::npos);
  CHECK_NE(refused(real("torch.quantize_per_tensor(x, 1.0, 100000001, 14)"), {kWide})
               .find("integers of 32 bits with a zero point have more bits than f32 holds"),
           std::string::npos);
}

TEST_CASE("zero points that are no integers are refused") {
  const std::string form =
      "torch.quantize_per_channel(x, self.s, torch.tensor([0.5, 1.5, 100.25]), 1, 13)";
  CHECK_NE(refused(real(form)).find("a quantised tensor with float zero points cannot be exported"),
           std::string::npos);
}

TEST_CASE("a tensor is copied to another place or order, and traces name its type") {
  const std::string q = "torch.quantize_per_tensor(x, 0.05, 3, 13)";
  check_each({real(q + ".to(dtype=13, layout=0, device=\"cpu\")"),
              real(q + ".to(\"cpu\", 13, False, False)"), real(q + ".to(13, False, False)"),
              real(q + ".to(\"cpu\", copy=True)"),
              real("torch.quantize_per_tensor_dynamic(x, 13, False).to(\"cpu\", copy=True)")},
             {kX});
  check_each({real("torch.quantize_per_tensor(x, 0.05, 3, 13).to(\"cpu\", 13, False, False, "
                   "memory_format=2)")},
             {randn({2, 3, 4, 5}, 9)});
}

TEST_CASE("a branch on data does not choose between quantised tensors") {
  const Script model{R"(
def forward(self, x):
  q = torch.quantize_per_tensor(x, 0.05, 3, 12)
  if bool(torch.gt(torch.sum(x), 0)):
    r = torch.relu(q)
  else:
    r = torch.clone(q)
  return torch.dequantize(r)
)",
                     {},
                     {}};
  const std::string said = export_error(model, {kX}, target::parse_target("tract@0.23.9"));
  CHECK_NE(said.find("it cannot become a select: torch.where takes no "
                     "quantised tensors: let both branches return their dequantize()d values"),
           std::string::npos);
}

}  // namespace
}  // namespace t2n::test::quantised_views_tests

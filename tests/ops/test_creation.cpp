// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/expressions.h"

namespace t2n::test::creation_tests {
namespace {

using ir::DType;

const ir::Tensor kX = randn({2, 3}, 1);

TEST_CASE("casts between all dtypes") {
  const std::vector<std::string> casts = {"x.to(6)", "x.to(7)",  "x.half()",  "x.to(4)",
                                          "x.int()", "x.to(2)",  "x.to(1)",   "x.to(11)",
                                          "x.to(0)", "x.long()", "x.float()", "x.double()"};
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::i64, DType::i32, DType::i16,
                            DType::i8, DType::u8, DType::boolean})
    check_each(casts, {values({5}, {0, 1, 1, 100, 2}, dtype)});
  check_each(casts, {values({4}, {-1.75, 0.5, -0.25, 77.9})});
  check_each({"x.to(0)", "x.to(1)", "x.int()"},
             {values({4}, {300, -1, 4294967299, -129}, DType::i64)});
}

TEST_CASE("forms of to, type_as, and copies") {
  check_each({"x.to(y)", "x.type_as(y)", "x.to(7, copy=True)", "x.to('cpu')",
              "x.to(device='cpu', dtype=5)", "x.contiguous()", "x.clone()", "x.detach() + 1",
              "torch._to_copy(x, dtype=7)", "torch.as_tensor(x)"},
             {kX, values({2}, {1, 2}, DType::i64)});
}

TEST_CASE("tensors of one number") {
  check_each(
      {"x + torch.zeros_like(x)", "torch.ones_like(x)", "torch.ones_like(x, dtype=4)",
       "torch.full_like(x, 2.5)", "torch.full_like(x, 2.5, dtype=4)",
       "x.new_zeros([3, 2]) + x.sum()", "x.new_ones([4], dtype=11)", "x.new_full([2, 2], 7.5)",
       "x.new_full([2, 2], 7, dtype=3)", "torch.zeros([2, 3]) + x", "torch.ones([3]) * x",
       "torch.full([2, 3], 4.5) - x", "x + torch.scalar_tensor(3.5)", "torch.tensor(2) * x",
       "torch.tensor([1.0, 2.0, 3.0]) * x"},
      {kX});
}

TEST_CASE("ranges") {
  check_each({"x + torch.arange(3)", "x * torch.arange(1, 4)", "x + torch.arange(0.5, 2, 0.5)",
              "x + torch.arange(3, 0, -1)", "x + torch.linspace(0, 1, 3)",
              "x + torch.arange(3, dtype=6)", "x @ torch.eye(3)", "x @ torch.eye(3, 4)"},
             {kX});
}

/// Many results of one model: an export and a run for all of them.
std::string together(const std::vector<std::string>& expressions) {
  std::string out;
  for (const std::string& expression : expressions) out += (out.empty() ? "" : ", ") + expression;
  return out;
}

/// Where a tensor lies has no meaning in an exported model.
const std::string kPlace = "layout=0, device=torch.device('cpu'), pin_memory=False";

TEST_CASE("casts and copies ignore places, layouts and memory formats") {
  const std::string any_order = ", non_blocking=True, copy=True, memory_format=0)";
  check_each({"x.t().contiguous()", "x.t().contiguous(memory_format=0)", "x.clone(memory_format=0)",
              "x.to(torch.device('cpu'), 7" + any_order, "x.to(7" + any_order, "x.to(y" + any_order,
              "x.to(dtype=4, layout=0, device=torch.device('cpu'), pin_memory=False" + any_order,
              "x.to(torch.device('cpu'), None, True, True)", "x.to(7, True, True)",
              "x.to(True, True)", "torch.to(x, None, None, copy=True)",
              "torch._to_copy(x, dtype=7, " + kPlace + ", non_blocking=True, memory_format=0)",
              "torch.copy(x, y, non_blocking=True)", "torch.copy(x, y)"},
             {kX, values({3}, {1, -2, 77}, DType::i64)});
  check_each({"torch.contiguous(x, memory_format=2)", "x.clone(memory_format=2)"},
             {randn({2, 3, 4, 5}, 2)});
}

TEST_CASE("moves and marks leave a tensor as it is") {
  check_each({"x.cuda() + 1.0", "x.cpu() + 1.0", "x.pin_memory() + 1.0",
              "x.pin_memory(device=torch.device('cuda')) + 1.0", "x.requires_grad_() + 1.0",
              "torch.positive(x) + 1.0"},
             {kX});
}

TEST_CASE("dtypes that need not be given") {
  for (const char* call :
       {"x.to(dtype, True, True)", "x.to(torch.device('cpu'), dtype, True, True)"})
    for (const target::Target& target : test_targets()) {
      const auto model = script(
          "def forward(self, x):\n"
          "  dtype: Optional[int] = None\n"
          "  if x.dim() == 2:\n"
          "    dtype = 4\n"
          "  return $call\n",
          call);
      CHECK_CLOSE(export_and_run(model, {uniform({2, 3}, -9, 9, 5)}, target), rel(0));
    }
}

TEST_CASE("casts by name") {
  for (const char* name : {"Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short"})
    for (const DType dtype : {DType::f32, DType::i64, DType::boolean}) {
      const std::string cast = std::string("torch._cast_") + name;
      check_each({together({cast + "(x)", cast + "(x, non_blocking=True)"})},
                 {values({4}, {0, 1.75, 100, 3}, dtype)});
    }
}

TEST_CASE("tensors of one number, at any place") {
  const std::string place = kPlace + ", memory_format=0)";
  for (const std::string dtype : {"4", "5", "6", "7", "11"})
    check_each(
        {together({"torch.zeros_like(x, dtype=" + dtype + ", " + place,
                   "torch.ones_like(x, dtype=" + dtype + ", " + place,
                   "torch.full_like(x, 2.0, dtype=" + dtype + ", " + place,
                   "torch.empty_like(x, dtype=" + dtype + ", " + place,
                   "x.new_zeros([3, 2], dtype=" + dtype + ", " + kPlace + ")",
                   "x.new_ones([3, 2], dtype=" + dtype + ", " + kPlace + ")",
                   "x.new_full([3, 2], 2.0, dtype=" + dtype + ", " + kPlace + ")",
                   "x.new_empty([3, 2], dtype=" + dtype + ", " + kPlace + ")",
                   "x.new_empty_strided([3, 2], [1, 3], dtype=" + dtype + ", " + kPlace + ")"})},
        {kX});
  check_each({together({"torch.zeros_like(x)", "torch.full_like(x, 7)", "x.new_full([], 3.5)"})},
             {values({}, {2})});
}

TEST_CASE("tensors without inputs") {
  for (const std::string dtype : {"3", "4", "5", "6", "7", "11"}) {
    const std::string rest = ", dtype=" + dtype + ", " + kPlace + ")";
    check_unfolded(
        {together({"torch.zeros([2, 3]" + rest, "torch.ones([2, 3]" + rest,
                   "torch.full([2, 3], 3.5" + rest, "torch.empty([2, 3]" + rest,
                   "torch.empty([2, 3], memory_format=0)",
                   "torch.empty_strided([2, 3], [1, 2]" + rest,
                   "torch.empty_permuted([2, 3], [1, 0]" + rest, "torch.scalar_tensor(3.5" + rest,
                   "torch.eye(3" + rest, "torch.eye(3, 2" + rest,
                   "torch.tensor(2, dtype=" + dtype +
                       ", device=torch.device('cpu'), requires_grad=False)"})},
        {});
  }
}

TEST_CASE("numbers as tensors") {
  const std::string device = ", device=torch.device('cpu')";
  for (const std::string number : {"2", "2.75", "True"})
    check_unfolded(
        {together({"torch.tensor(" + number + ")", "torch.as_tensor(" + number + ")",
                   "torch.tensor(" + number + ", dtype=5" + device + ", requires_grad=False)",
                   "torch.tensor(" + number + ", dtype=6" + device + ", requires_grad=True)",
                   "torch.as_tensor(" + number + ", dtype=4" + device + ")"})},
        {});
  check_unfolded(
      {together({"torch.as_tensor(x, dtype=4" + device + ")", "torch.as_tensor(x, dtype=5)"})},
      {kX});
}

TEST_CASE("ranges of every dtype, computed by the engine's side") {
  const std::string rest = ", " + kPlace + ")";
  check_unfolded(
      {together({"torch.arange(5" + rest, "torch.arange(2, 7" + rest,
                 "torch.arange(7, 2, -2" + rest, "torch.arange(0.5" + rest, "torch.arange(0)",
                 "torch.arange(-0.5, 2, 0.3" + rest, "torch.linspace(-1, 2, 7" + rest,
                 "torch.linspace(3, 3, 1" + rest, "torch.linspace(3, 4, 0)", "torch.eye(0, 3)",
                 "torch.linspace(-1, 2, 6, dtype=4" + rest,
                 "torch.linspace(-2.5, 9.5, 5, dtype=4" + rest})},
      {});
  for (const std::string dtype : {"0", "3", "4", "5", "6", "7"})
    check_unfolded({together({"torch.arange(5, dtype=" + dtype + rest,
                              "torch.arange(2, 7, dtype=" + dtype + rest,
                              "torch.arange(2.5, 7.5, 1.5, dtype=" + dtype + rest,
                              "torch.linspace(1, 9, 5, dtype=" + dtype + rest})},
                   {});
}

TEST_CASE("sequences of other kinds, computed by the engine's side") {
  const std::string rest = ", " + kPlace + ")";
  check_unfolded({"torch.logspace(0, 2, 4" + rest, "torch.logspace(-1, 1, 4, 2.0" + rest,
                  "torch.logspace(3, 1, 1, 4.0" + rest, "torch.range(1, 4" + rest,
                  "torch.range(1, 7, 2" + rest, "torch.range(7, 0.5, -1.5" + rest,
                  "torch.logspace(0, 1, 20000)", "torch.range(0, 20000)",
                  "torch.logspace(0, 3, 4, 3.0, dtype=4" + rest,
                  "torch.logspace(0, 3, 4, dtype=7" + rest, "torch.range(1, 4, dtype=5" + rest,
                  "torch.range(1, 7, 2, dtype=4" + rest, "torch.range(1, 7, 0.5, dtype=7" + rest},
                 {});
  for (const std::string op : {"torch.tril_indices", "torch.triu_indices"})
    check_unfolded(
        {op + "(3, 4" + rest, op + "(3, 4, 1" + rest, op + "(4, 3, -2" + rest,
         op + "(3, 4, 1, dtype=3" + rest, op + "(300, 300)", op + "(0, 3)", op + "(2, 3, 9)"},
        {});
}

/// TorchScript prefers the overload with a step.
TEST_CASE("ranges without a step") {
  for (const std::string dtype : {"4", "6"})
    for (const target::Target& target : test_targets()) {
      Script model = expression_script("torch.range(1, 4, dtype=" + dtype + ", " + kPlace + ")", 0);
      model.disabled_passes = {"fold-constants"};
      model.edit = [](ir::Graph& graph) {
        for (ir::Node& node : graph.nodes) {
          if (node.op != ir::op_id("aten::range.step")) continue;
          node.op = ir::op_id("aten::range");
          std::erase_if(node.args, [](const ir::Argument& a) { return a.name == "step"; });
        }
      };
      CHECK_CLOSE(export_and_run(model, {}, target), rel(0));
    }
}

TEST_CASE("sequences between bounds that the model computes") {
  const std::string rest = ", dtype=7, " + kPlace + ")";
  const std::vector<ir::Tensor> bounds = {values({}, {1}), values({}, {4})};
  for (const std::string pair : {"(x, y, ", "(0.5, y, ", "(x, 3, "}) {
    check_each({"torch.linspace" + pair + "5)", "torch.linspace" + pair + "5" + rest,
                "torch.linspace" + pair + "1)", "torch.logspace" + pair + "5)",
                "torch.logspace" + pair + "5, 2.0" + rest, "torch.logspace" + pair + "1, 0.5)"},
               bounds);
    for (const std::string name : {"linspace", "logspace"}) {
      const std::string overload = pair == "(x, y, "     ? "Tensor_Tensor"
                                   : pair == "(0.5, y, " ? "Scalar_Tensor"
                                                         : "Tensor_Scalar";
      check_refused("torch." + name + pair + "5, dtype=4)", bounds,
                    "error[unsupported-op]: aten::" + name + "." + overload +
                        " has no translation for TARGET here\n"
                        "  --> the model (Model)\n"
                        "  why:  tract divides by reciprocals: its quotient in f64 may be the next "
                        "integer, which changes the result\n"
                        "  help: compute it in float32\n");
    }
  }
  check_each({"torch.linspace(x, y, 5)", "torch.logspace(x, 3, 4)"},
             {values({}, {-1}, DType::i64), values({}, {4}, DType::i64)});
}

TEST_CASE("one_hot adds an axis") {
  check_each({"torch.one_hot(x, 5)", "torch.one_hot(x, 3).float()"},
             {values({2, 2}, {0, 2, 1, 1}, DType::i64)});
  check_each({"torch.one_hot(x, 3)"}, {values({}, {1}, DType::i64)});
  CHECK_EQ(refusal("torch.one_hot(x)", {values({2}, {0, 2}, DType::i64)}),
           "error[unsupported-argument]: aten::one_hot: num_classes=-1 has no translation for "
           "tract@0.23.9\n"
           "  --> the model (Model)\n"
           "  why:  the size of its result depends on the data\n"
           "  help: pass num_classes to one_hot\n");
}

}  // namespace
}  // namespace t2n::test::creation_tests

#include "tests/ops/expressions.h"

namespace t2n::test {
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
}  // namespace t2n::test

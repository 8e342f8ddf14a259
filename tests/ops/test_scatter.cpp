// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/expressions.h"

namespace t2n::test::scatter_tests {
namespace {

using ir::DType;

const ir::Tensor kX = randn({4, 5}, 1);

TEST_CASE("parts are replaced") {
  check_each({"torch.select_scatter(x, y, 0, 2)", "torch.select_scatter(x, y, 0, -1)",
              "torch.select_scatter(x, y[:4], 1, 0)", "torch.select_scatter(x, y[:4], -1, 4)"},
             {kX, randn({5}, 2)});
  check_each({"torch.slice_scatter(x, y, 0, 1, 3)", "torch.slice_scatter(x, y, 0, -2)",
              "torch.slice_scatter(x, y, 0, None, 2)", "torch.slice_scatter(x, y, 0, 0, 4, 2)",
              "torch.slice_scatter(x, y, 0, 1, 100, 2)"},
             {kX, randn({2, 5}, 3)});
  check_each({"torch.slice_scatter(x, y, 1, 0, 5, 2)", "torch.slice_scatter(x, y, -1, 2, 5)"},
             {kX, randn({4, 3}, 4)});
  check_each({"torch.diagonal_scatter(x, y)", "torch.diagonal_scatter(x, y, 1)",
              "torch.diagonal_scatter(x, y[:3], -1)"},
             {kX, randn({4}, 5)});
  check_each({"torch.diagonal_scatter(x, y, 0, 0, 2)", "torch.diagonal_scatter(x, y, -1, -1, 0)",
              "torch.diagonal_scatter(x, y, 1, 0, -1)"},
             {randn({3, 2, 4}, 6), randn({2, 3}, 7)});
}

TEST_CASE("writes through views") {
  const auto model = [](const char* statements) {
    return script("def forward(self, x, y):\n  z = x.clone()\n  $statements\n  return z\n",
                  statements);
  };
  for (const char* statements : {"z[1] = y[0]", "z[:, 2] = 3.0", "z[1:3, ::2] = 0.0",
                                 "z[:, 1:3] += 2.0", "z[0, 1] = y[1, 1]", "z.diagonal().fill_(1.0)",
                                 "z.t()[1] = y[0, 0]", "z.view(-1)[3:7] = 5.0", "z[-1].mul_(2.0)"})
    for (const target::Target& target : test_targets()) {
      CAPTURE(std::string(statements));
      CHECK_CLOSE(export_and_run(model(statements), {kX, randn({2, 5}, 8)}, target), rel(1e-6));
    }
}

TEST_CASE("scatter writes one element per index") {
  const ir::Tensor index = values({2, 3}, {0, 2, 1, 3, 0, 2}, DType::i64);
  check_each(
      {"torch.scatter(x, 0, y, z)", "torch.scatter(x, 1, y, z)", "torch.scatter(x, -1, y, z)",
       "torch.scatter(x, 1, y, 2.5)", "torch.scatter(x, 0, y, z.repeat(2, 2))",
       "torch.scatter(x, 1, y, z, reduce='add')", "torch.scatter(x, 0, y, z, reduce='multiply')",
       "torch.scatter(x, 1, y, 2.0, reduce='multiply')",
       "torch.scatter(x, 1, y, 0.5, reduce='add')", "torch.scatter_add(x, 0, y, z)"},
      {kX, index, randn({2, 3}, 9)});
  check_each({"torch.scatter(x, 0, y, 5.0)", "torch.scatter_add(x, 0, y, x)"},
             {values({}, {2}), values({}, {0}, DType::i64)});
}

TEST_CASE("scatter_reduce with repeated indices, with and without self") {
  const ir::Tensor index = values({2, 4}, {0, 0, 2, 0, 1, 3, 3, 3}, DType::i64);
  for (const char* reduce : {"sum", "prod", "mean", "amax", "amin"})
    for (const char* include : {"True", "False"}) {
      const std::string form = std::string("'") + reduce + "', include_self=" + include + ")";
      check_each(
          {"torch.scatter_reduce(x, 1, y, z, " + form, "torch.scatter_reduce(x, 0, y, z, " + form},
          {kX, index, randn({2, 4}, 10)});
    }
}

TEST_CASE("scatter of every dtype") {
  const ir::Tensor index = values({2, 3}, {0, 2, 2, 1, 1, 1}, DType::i64);
  for (const DType dtype : {DType::i64, DType::i32, DType::u8, DType::f64})
    check_each({"torch.scatter(x, 1, y[:, :1], z)", "torch.scatter_add(x, 1, y, z)",
                "torch.scatter_reduce(x, 1, y, z, 'amax')",
                "torch.scatter_reduce(x, 1, y, z, 'amin', include_self=False)",
                "torch.scatter_reduce(x, 1, y, z, 'prod')"},
               {randint({2, 3}, 0, 9, 11, dtype), index, randint({2, 3}, 0, 9, 12, dtype)});
  check_each({"torch.scatter_add(x, 1, y, z)"},
             {randn({2, 3}, 13, DType::f16), index, randn({2, 3}, 14, DType::f16)}, 2e-3);
  check_each({"torch.scatter(x, 1, y[:, :1], True)"},
             {randint({2, 3}, 0, 2, 11, DType::boolean), index});
}

TEST_CASE("index_put, adding or not") {
  const auto model = [](const char* statements) {
    return script("def forward(self, x, y, z):\n  w = x.clone()\n  $statements\n  return w\n",
                  statements)
        .with("mask", values({4}, {0, 1, 1, 0}, DType::boolean));
  };
  const ir::Tensor index = values({2}, {2, 0}, DType::i64);
  for (const char* statements :
       {"w[y] = z", "w[:, y] = z[0, 0]", "w[y, y - 3] = 1.0", "w[y, 1:3] = z[:, :2]",
        "w[y - 4] = z", "w[[3, 1]] = z", "w[self.mask] = z", "w[self.mask] = -1.0",
        "w[x > 0] = 0.0", "w[x[:, 0] > 0] = z[0]", "w[:, x[0] > 0] = 1.5",
        "w[:, x[0] > 0] = x[:, :1]", "w[:2].fill_diagonal_(2.0, True)",
        "w = w.index_put((y,), z, accumulate=True)",
        "w.index_put_((torch.stack([y, y]),), z, accumulate=True)",
        "w = torch.index_put(w, (y, y), z[:, 0], accumulate=True)",
        "w = w[:, None].index_put((y, y * 0, y), z[0, 0])[:, 0]"})
    for (const target::Target& target : test_targets()) {
      CAPTURE(std::string(statements));
      CAPTURE(target::target_name(target));
      CHECK_CLOSE(export_and_run(model(statements), {kX, index, randn({2, 5}, 15)}, target),
                  rel(1e-5));
    }
}

TEST_CASE("writes by position under every name") {
  const ir::Tensor index = values({3}, {2, 0, 2}, DType::i64);
  const std::vector<std::pair<const char*, const char*>> forms = {
      {"[y[:2]]", "z[:2]"},
      {"[y, y]", "z[:, 0], True, True"},
      {"[None, y]", "z[0, 0]"},
      {"[y]", "z, accumulate=True, unsafe=True"}};
  for (const auto& [list, rest] : forms)
    for (const target::Target& target : test_targets()) {
      CAPTURE(std::string(rest));
      const auto model = script(
          "def forward(self, x, y, z):\n"
          "  at: List[Optional[Tensor]] = $list\n"
          "  return torch._index_put_impl(x, at, $rest)\n",
          list, rest);
      CHECK_CLOSE(export_and_run(model, {kX, index, randn({3, 5}, 16)}, target), rel(1e-6));
    }
}

TEST_CASE("strided parts of memory are refused") {
  check_refused(
      "torch.as_strided_scatter(x, y, [2, 2], [2, 1], 1)", {kX, randn({2, 2}, 17)},
      "error[unsupported-op]: aten::as_strided_scatter has no translation for TARGET\n"
      "  --> the model (Model)\n"
      "  why:  its strides depend on the memory layout of self, which the graph does not contain\n"
      "  help: write through ordinary indexing instead\n");
}

TEST_CASE("index_add, index_copy, index_fill and put") {
  const ir::Tensor index = values({3}, {2, 0, 2}, DType::i64);
  check_each(
      {"torch.index_add(x, 0, y, z)", "torch.index_add(x, 0, y, z, alpha=-0.5)",
       "torch.index_add(x.t(), 1, y, z.t())", "torch.index_copy(x, 0, y[:2], z[:2])",
       "torch.index_copy(x, -1, y[:2], z[:2].t()[:4])", "torch.index_fill(x, 0, y, 3.5)",
       "torch.index_fill(x, 1, y - 3, -1)", "torch.index_fill(x, 1, y, z[0, 0])",
       "x.put(y, z[0, :3])", "x.put(y - 5, z[0, :3])", "x.put(y, z[0, :3], accumulate=True)"},
      {kX, index, randn({3, 5}, 16)});
  check_each({"torch.index_add(x, 0, y, z)", "torch.index_fill(x, 0, y, 1.75)",
              "torch.index_add(x, 0, y, z, alpha=2)"},
             {randint({4, 2}, 0, 9, 17), index, randint({3, 2}, 0, 9, 18)});
  check_each({"torch.index_fill(x, 0, y, 4.0)", "torch.index_add(x, 0, y, x)"},
             {values({}, {1}), values({}, {0}, DType::i64)});
}

TEST_CASE("masked_scatter takes the source's elements in order") {
  check_each({"x.masked_scatter(x > 0, y)", "x.masked_scatter(x[:, :1] > 0, y)",
              "x.masked_scatter_(x < 0, y)"},
             {kX, randn({20}, 19)});
}

TEST_CASE("means of integers are rounded down") {
  const ir::Tensor index = values({3, 3}, {0, 3, 3, 1, 3, 0, 0, 3, 2}, DType::i64);
  for (const DType dtype : {DType::i64, DType::i32, DType::i16, DType::i8, DType::u8})
    for (const char* include : {"True", "False"}) {
      const std::string tail = std::string(", 'mean', include_self=") + include + ")";
      const int64_t low = dtype == DType::u8 ? 0 : -9;
      check_each({"torch.scatter_reduce(x, 0, y, z" + tail, "x.scatter_reduce_(-2, y, z" + tail},
                 {randint({4, 3}, low, 9, 18, dtype), index, randint({3, 3}, low, 9, 19, dtype)});
      check_each({"torch.index_reduce(x, 1, y, z" + tail},
                 {randint({2, 4}, low, 9, 18, dtype), values({5}, {0, 3, 0, 1, 3}, DType::i64),
                  randint({2, 5}, low, 9, 19, dtype)});
    }
}

}  // namespace
}  // namespace t2n::test::scatter_tests

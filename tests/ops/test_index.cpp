// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/check_script.h"

namespace t2n::test::index_tests {
namespace {

using ir::DType;

const ir::Tensor kX = randn({4, 5, 6}, 1);
const ir::Tensor kIndex = values({2, 3}, {0, 3, 1, 2, 2, 0}, DType::i64);
const ir::Tensor kOther = values({3}, {1, -1, 4}, DType::i64);

TEST_CASE("rows of bounded norm") {
  check_each(
      {"ops.aten.embedding_renorm(x, y, 1.0, 2.0)", "ops.aten.embedding_renorm(x, y, 1.5, 1.0)"},
      {randn({6, 3}, 1), values({2, 2}, {0, 3, 3, 5}, DType::i64)});
}

TEST_CASE("embedding") {
  check_each(
      {"torch.embedding(x, y)", "torch.embedding(x, y)", "torch.embedding(x, y, padding_idx=0)",
       "torch.embedding(x, y, 1, scale_grad_by_freq=True, sparse=True)",
       "torch.embedding(x, y[0, 0])"},
      {randn({5, 3}, 2), kIndex});
  check_each({"torch.embedding(x, y)"}, {randn({5, 3}, 2), values({2}, {4, 0}, DType::i32)});
  const auto model = script("def forward(self, x): return torch.embedding(self.weight, x)\n")
                         .with("weight", randn({5, 3}, 3));
  for (const target::Target& target : test_targets())
    CHECK_CLOSE(export_and_run(model, {kIndex}, target), rel(1e-6));
}

TEST_CASE("embedding_bag sums, averages or takes the maximum per bag") {
  const ir::Tensor weight = randn({6, 3}, 11);
  for (const char* arguments :
       {"mode=0", "mode=1", "mode=2", "mode=0, per_sample_weights=z",
        "scale_grad_by_freq=True, mode=1, sparse=True, include_last_offset=True",
        "False, 0, False, None, False, 4", "False, 1, False, None, False, 4",
        "False, 2, False, None, False, -2", "False, 1, False, None, True, None",
        "False, 0, False, z, False, 2"})
    for (const target::Target& target : test_targets()) {
      CAPTURE(std::string(arguments));
      const auto model = script(
          "def forward(self, x, y, z):\n"
          "  return torch.embedding_bag(x, y, self.offsets, $arguments)[0]\n",
          arguments);
      CHECK_CLOSE(export_and_run(model.with("offsets", values({3}, {0, 2, 2}, DType::i64)),
                                 {weight, values({5}, {4, 4, 1, 4, 2}, DType::i64), randn({5}, 13)},
                                 target),
                  rel(1e-5));
    }
}

/// The result and the arguments of a bag: x weights, y indices, `last` an end of the last bag.
void check_bags(const std::string& call, const std::string& arguments, bool last,
                const std::vector<ir::Tensor>& inputs) {
  const std::vector<double> offsets =
      last ? std::vector<double>{0, 2, 2, 5} : std::vector<double>{0, 2, 2};
  const auto count = static_cast<int64_t>(offsets.size());
  for (const target::Target& target : test_targets()) {
    CAPTURE(call);
    CAPTURE(arguments);
    const auto model = script(
        "def forward(self, x, y, z):\n  return torch.$call(x, y, self.offsets, $arguments)[0]\n",
        call, arguments);
    CHECK_CLOSE(
        export_and_run(model.with("offsets", values({count}, offsets, DType::i64)), inputs, target),
        rel(1e-5));
  }
}

TEST_CASE("embedding_bag under every name and with every argument") {
  const std::vector<ir::Tensor> inputs = {randn({6, 3}, 11), randint({5}, 0, 6, 12),
                                          randn({5}, 13)};
  for (const char* call : {"embedding_bag", "_embedding_bag", "_embedding_bag_forward_only"})
    for (const char* mode : {"0", "1", "2"}) {
      check_bags(call, std::string("True, ") + mode + ", False, None, True", true, inputs);
      if (mode[0] != '2')
        check_bags(call, std::string("False, ") + mode + ", True, None, False", false, inputs);
    }
  check_bags("embedding_bag", "False, 0, True, z, True", true, inputs);
  check_bags("embedding_bag", "True, 0, False, z, True, None", true, inputs);
  check_bags("embedding_bag", "False, 2, False, None, False, None", false, inputs);
  check_bags("embedding_bag", "False, 1, True, None, False, None", false, inputs);
  check_bags("_embedding_bag", "False, 0, True, z, True, -1", true, inputs);
  check_bags("_embedding_bag_forward_only", "False, 0, True, z, True, -1", true, inputs);
  for (const char* mode : {"0", "1", "2"})
    for (const char* call : {"embedding_bag", "_embedding_bag", "_embedding_bag_forward_only"})
      check_bags(call, std::string("False, ") + mode + ", False, None, False, 2", false,
                 {inputs[0], values({5}, {2, 3, 1, 2, 5}, DType::i64), inputs[2]});
}

TEST_CASE("elements beyond the given end of the last bag") {
  const ir::Tensor weight = randn({6, 3}, 11);
  const ir::Tensor ids = values({5}, {4, 2, 1, 4, 2}, DType::i64);
  std::vector<std::string> forms;
  for (const std::string offsets : {"z", "self.o"})
    for (const std::string mode : {"0", "1", "2"})
      for (const std::string padding : {"", ", 2"}) {
        forms.push_back("torch.embedding_bag(x, y, " + offsets + ", False, " + mode +
                        ", False, None, True" + padding + ")[0]");
        forms.push_back("torch.embedding_bag(x.to(7), y, " + offsets + ", False, " + mode +
                        ", False, None, True" + padding + ")[0]");
      }
  const ir::Tensor begins = values({4}, {0, 2, 2, 3}, DType::i64);
  check_with({{"o", begins}}, forms, {weight, ids, begins});
}

TEST_CASE("embedding_bag takes places where bags begin as an input") {
  const ir::Tensor weight = randn({6, 3}, 11);
  const ir::Tensor ids = values({5}, {4, 2, 1, 4, 2}, DType::i64);
  const ir::Tensor begins = values({4}, {0, 2, 2, 3}, DType::i64);
  const auto forms = [](const std::string& call) {
    std::vector<std::string> out;
    for (const std::string mode : {"0", "1", "2"})
      for (const std::string rest : {", False, None, False)[0]", ", False, None, True)[0]",
                                     ", False, None, False, 2)[0]", ", False, None, True, 2)[0]"})
        out.push_back("torch." + call + "(x, y, z, False, " + mode + rest);
    return out;
  };
  for (const char* call : {"embedding_bag", "_embedding_bag", "_embedding_bag_forward_only"})
    check_each(forms(call), {weight, ids, begins});
  // No element in the first bag, none in the last, and none that counts in another.
  check_each(forms("embedding_bag"),
             {weight, values({3}, {2, 2, 5}, DType::i32), values({4}, {0, 0, 2, 3}, DType::i32)});
  check_with({{"p", randn({5}, 13)}},
             {"torch.embedding_bag(x, y, z, False, 0, False, self.p, False)[0]",
              "torch.embedding_bag(x, y, z, False, 0, False, self.p, True, 2)[0]"},
             {weight, ids, begins});
  check_each({"torch.embedding_bag(x, y, z, False, 1)[0]"},
             {weight, ids, values({1}, {0}, DType::i64)});
}

TEST_CASE("one index tensor on any axis, with negative values") {
  check_each({"x[y]", "x[:, y]", "x[:, :, y]", "x[y - 4]", "x[:, y - 3]", "x[y[0, 1]]",
              "x[:, y[1]]", "x[[0, 2]]", "x[:, [3, -1]]", "x[None, y]"},
             {kX, kIndex});
}

TEST_CASE("several index tensors, adjacent or not, that broadcast") {
  check_each({"x[y, z]", "x[:, y, z]", "x[y, :, z]", "x[y, z, z]", "x[y - 4, z]", "x[y, 1]",
              "x[1, :, z]", "x[[0, 1], [2, -3]]", "x[:, [0, 1], [2, -3]]", "x[[0, 1], :, [2, -3]]",
              "x[y, [1, 2, 3]]", "x[y[0], z, [0, 0, -1]]"},
             {kX, kIndex, kOther});
}

TEST_CASE("constant index tensors of several ranks broadcast") {
  check_with(
      {{"i", values({2, 1}, {1, -3}, DType::i64)}, {"j", values({3}, {0, 4, -1}, DType::i64)}},
      {"x[self.i, self.j]", "x[self.j % 4, self.i]"}, {randn({4, 5, 2}, 1)});
}

TEST_CASE("constant masks select as index tensors do") {
  const auto model = [](const char* expression) {
    return script("def forward(self, x): return $expression\n", expression)
        .with("mask", values({4}, {0, 1, 1, 0}, DType::boolean))
        .with("both", randint({4, 5}, 0, 2, 4, DType::boolean))
        .with("index", values({2}, {3, -1}, DType::i64));
  };
  for (const char* expression :
       {"x[self.mask]", "x[self.both]", "x[self.mask, self.index]", "x[self.mask, :, self.index]",
        "torch.masked_select(x[0], self.both[0, 0:1])",
        "torch.masked_select(x[:, :, 0], self.both)"})
    for (const target::Target& target : test_targets()) {
      CAPTURE(std::string(expression));
      CHECK_CLOSE(export_and_run(model(expression), {kX}, target), rel(1e-6));
    }
}

TEST_CASE("elements of every dtype") {
  for (const DType dtype : {DType::f16, DType::f64, DType::i64, DType::u8, DType::boolean})
    check_each({"x[y]", "x[:, y]", "torch.gather(x, 1, y)", "torch.index_select(x, 0, y[0])",
                "torch.take(x, y)"},
               {randint({4, 4}, 0, 2, 5, dtype), kIndex});
}

TEST_CASE("index_select") {
  check_each({"torch.index_select(x, 0, y)", "torch.index_select(x, -1, y)",
              "torch.index_select(x, 1, y[1])", "torch.index_select(x, 1, y.int())"},
             {kX, values({2}, {3, 0}, DType::i64)});
  check_each({"torch.index_select(x, 0, y)"}, {values({}, {7}), values({1}, {0}, DType::i64)});
}

TEST_CASE("gather reads one element per index") {
  check_each({"torch.gather(x, 1, y)", "torch.gather(x, 0, y[:, :2])", "torch.gather(x, -1, y)",
              "torch.gather(x, 1, y[:1], sparse_grad=True)"},
             {randn({4, 4}, 6), kIndex});
  check_each({"torch.gather(x, 0, y)"}, {values({}, {7}), values({3}, {0, 0, 0}, DType::i64)});
  check_each({"torch.gather(x, 0, y)"}, {values({}, {7}), values({}, {0}, DType::i64)});
}

TEST_CASE("take and take_along_dim") {
  check_each({"torch.take(x, y)", "torch.take(x, y - 8)", "torch.take_along_dim(x, y, 1)",
              "torch.take_along_dim(x, y)", "torch.take_along_dim(x, y[:1], -1)",
              "torch.take_along_dim(x[:1], y, 1)"},
             {randn({2, 4}, 7), values({2, 3}, {0, 3, 1, 2, 2, 0}, DType::i64)});
}

TEST_CASE("the largest and smallest elements") {
  const std::vector<std::string> forms = {
      "torch.topk(x, 2)", "torch.topk(x, 3, 1)", "torch.topk(x, 2, 0, largest=False)",
      "torch.topk(x, 5, -1, True, True)", "torch.topk(x, 1, dim=-2)[1]"};
  check_each(forms, {kX});
  check_each(forms, {kX, kX}, 1e-6);
  for (const DType dtype : {DType::f16, DType::i64, DType::f64})
    check_each({"torch.topk(x, 2, 0)[0]"}, {randint({4, 3}, -50, 50, 8, dtype)});
  check_each({"torch.topk(x, 1)"}, {values({}, {3})});
}

TEST_CASE("sorting is stable, in both directions") {
  check_each({"torch.sort(x)", "torch.sort(x, 0)", "torch.sort(x, -1, descending=True)",
              "torch.argsort(x)", "torch.argsort(x, 0, True)", "torch.msort(x)"},
             {randn({3, 40}, 9)});
  for (const DType dtype : {DType::f32, DType::i64, DType::boolean, DType::u8})
    check_each({"torch.sort(x, stable=True, dim=1, descending=True)",
                "torch.sort(x, stable=True, dim=0, descending=False)",
                "torch.argsort(x, stable=True, dim=1, descending=False)", "torch.msort(x)"},
               {randint({3, 40}, 0, 2, 9, dtype)});
  check_each({"torch.sort(x)", "torch.argsort(x)"}, {values({}, {3})});
}

TEST_CASE("orders that torch does not define, and stable ones") {
  const ir::Tensor x = randn({3, 40}, 9);
  check_each({"torch.sort(torch.topk(x, 3, sorted=False)[0])[0]",
              "torch.topk(x, 3, -1, False, False)[0].sum(1)",
              "torch.argsort(x, stable=True, dim=0, descending=True)"},
             {x});
}

TEST_CASE("medians and k-th values") {
  check_each({"torch.median(x)", "torch.median(x, 1)", "torch.median(x, -1, keepdim=True)",
              "torch.kthvalue(x, 2)", "torch.kthvalue(x, 3, 0, keepdim=True)"},
             {randn({4, 5}, 10)});
  check_each({"torch.median(x)", "torch.kthvalue(x, 1)"}, {values({}, {3})});
}

TEST_CASE("searching sorted boundaries, and membership") {
  const ir::Tensor boundaries = values({4}, {-1, 0, 0, 2});
  check_each({"torch.bucketize(x, y)", "torch.bucketize(x, y, right=True)",
              "torch.bucketize(x, y, out_int32=True)", "torch.searchsorted(y, x)",
              "torch.searchsorted(y, x, side='right')", "torch.searchsorted(y, 0.5)",
              "torch.bucketize(0.0, y)", "torch.bucketize(0.0, y, right=True)",
              "torch.bucketize(2, y, out_int32=True)", "torch.searchsorted(y, x, out_int32=True)",
              "torch.searchsorted(y, x, side='left')",
              "torch.searchsorted(y, 0.0, out_int32=True, right=True)",
              "torch.searchsorted(y, 0.0, side='right')", "torch.searchsorted(y, 0, side='left')"},
             {values({2, 3}, {-5, -1, 0, 1, 2, 7}), boundaries});
  check_each({"torch.searchsorted(x, y)", "torch.searchsorted(x, y, right=True)"},
             {values({2, 3}, {1, 2, 3, 2, 4, 6}), values({2, 2}, {2, 9, 1, 4})});
  check_each({"torch.searchsorted(y, 1.5)", "torch.bucketize(1.5, y)", "torch.searchsorted(y, x)"},
             {values({3}, {1, 2, 3}), values({4}, {-1, 1, 2, 2}, DType::i64)});
  check_each({"torch.isin(x, y)", "torch.isin(x, y, invert=True)", "torch.isin(x, 3)",
              "torch.isin(x, y, assume_unique=True)", "torch.isin(x, 3, assume_unique=True)",
              "torch.isin(x, 3, invert=True)", "torch.isin(4, y)", "torch.isin(5, y)",
              "torch.isin(4, y, assume_unique=True, invert=True)", "torch.isin(x, 2.5)",
              "torch.isin(4.0, y)", "torch.isin(4.5, y)"},
             {values({2, 2}, {1, 2, 3, 4}, DType::i64), values({3}, {4, 1, 9}, DType::i64)});
}

TEST_CASE("results whose size depends on data are refused where the engine cannot count") {
  const target::Target old = target::parse_target("tract@0.21.19");
  const auto said = [&](const std::string& expression) {
    return export_error(expression_script(expression, 1), {kX}, old);
  };
  CHECK_EQ(said("x[x > 0]"),
           "error[unsupported-argument]: aten::index.Tensor: indices=[%gt] has no translation for "
           "tract@0.21.19\n"
           "  --> the model (Model)\n"
           "  why:  the size of its result depends on the data\n"
           "  help: use torch.where or masked_fill, or export for tract 0.23.5 or newer\n");
  CHECK_EQ(said("torch.masked_select(x, x > 0)"),
           "error[unsupported-argument]: aten::masked_select: mask=bool[4,5,6] has no translation "
           "for tract@0.21.19\n"
           "  --> the model (Model)\n"
           "  why:  the size of its result depends on the data\n"
           "  help: use torch.where or masked_fill, or export for tract 0.23.5 or newer\n");
  for (const char* expression :
       {"torch.nonzero(x)", "torch.argwhere(x)", "torch.where(x)[0]", "torch.nonzero_numpy(x)[0]"})
    CHECK(said(expression).find("supported from tract@0.23.5 on") != std::string::npos);
  for (const char* expression :
       {"torch._unique(x)[0]", "torch._unique2(x)[0]", "torch.unique_consecutive(x)[0]",
        "torch.unique_dim(x, 1)[0]", "torch.unique_dim_consecutive(x, 1, True)[1]"})
    CHECK(said(expression).find("supported from tract@0.23.9 on") != std::string::npos);
}

TEST_CASE("lists of index tensors without gaps") {
  for (const char* call :
       {"torch.index(x, at)", "torch._unsafe_index(x, at)", "torch.index_put(x, at, z)",
        "torch.index_put(x, at, z, True)", "torch._unsafe_index_put(x, at, z)",
        "torch._unsafe_index_put(x, at, z, True)"})
    for (const target::Target& target : test_targets()) {
      CAPTURE(std::string(call));
      const auto model = script(
          "def forward(self, x, y, z):\n"
          "  at: List[Tensor] = [y, y - 3]\n"
          "  return $call\n",
          call);
      CHECK_CLOSE(export_and_run(model, {kX, values({3}, {0, 2, 0}, DType::i64), randn({3, 6}, 15)},
                                 target),
                  rel(1e-6));
    }
}

TEST_CASE("values that are put behind an axis without an index") {
  const ir::Tensor at = values({2, 2}, {0, 3, 1, 2}, DType::i64);
  for (const char* write :
       {"m[:, y, y - 1] = z", "m[:, :, y] = z.unsqueeze(1)", "m[:, y] = z.unsqueeze(-1)"})
    for (const target::Target& target : test_targets()) {
      CAPTURE(std::string(write));
      const auto model =
          script("def forward(self, x, y, z):\n  m = x.clone()\n  $write\n  return m\n", write);
      CHECK_CLOSE(export_and_run(model, {kX, at, randn({4, 2, 2}, 16)}, target), rel(1e-6));
    }
}

TEST_CASE("a sorter puts the sequence in order") {
  check_each({"torch.searchsorted(x, y, sorter=torch.argsort(x))",
              "torch.searchsorted(x, y, side='right', sorter=torch.argsort(x))"},
             {values({2, 3}, {3, 1, 2, 0, 9, -4}), values({2, 2}, {1, 2.5, 0, 100})});
  check_each({"torch.searchsorted(x, 1.5, sorter=torch.argsort(x))"}, {values({3}, {3, 1, 2})});
}

}  // namespace
}  // namespace t2n::test::index_tests

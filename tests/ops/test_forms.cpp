// SPDX-License-Identifier: Apache-2.0
// Forms of arguments that the tests of the families leave out: overloads, negative axes, rank 0,
// keyword arguments.
#include <limits>

#include "tests/ops/expressions.h"

namespace t2n::test::forms_tests {
namespace {

using ir::DType;

const ir::Tensor kX = randn({2, 3, 4}, 1);
const double kNan = std::numeric_limits<double>::quiet_NaN();

TEST_CASE("dropout does nothing outside of training") {
  check_each({"torch.dropout(x, 0.5, False)", "torch.alpha_dropout(x, 0.5, False)",
              "torch.feature_dropout(x, 0.5, False)", "torch.feature_alpha_dropout(x, 0.5, False)",
              "torch.native_dropout(x, 0.5, False)", "torch.native_dropout(x, 0.0, True)",
              "torch.dropout_(x * 2, 0.5, False)", "torch.dropout(x, 0.0, True)"},
             {kX});
}

TEST_CASE("views and copies") {
  check_each({"torch._to_copy(x, dtype=7)",
              "x.contiguous()",
              "torch.alias(x)",
              "x.clone()",
              "x.detach()",
              "torch.lift_fresh(x)",
              "x.view_as(x)",
              "x.reshape_as(y)",
              "x[:, :, :1].expand_as(x)",
              "x.type_as(y.double())",
              "torch.unflatten(x, 2, [2, 2])",
              "torch.unflatten(x, -1, [2, -1])",
              "torch.movedim(x, 0, -1)",
              "torch.movedim(x, [0, 1], [2, 0])",
              "torch.moveaxis(x, -1, 0)",
              "torch.swapaxes(x, 0, -1)",
              "torch.swapdims(x, 1, 2)",
              "torch.atleast_1d(x)",
              "torch.atleast_2d(x[0, 0])",
              "torch.atleast_3d(x[0])",
              "torch.atleast_1d([x, y])",
              "torch.ravel(x)",
              "torch.tile(x, [2])",
              "torch.tile(x, [2, 1, 1, 3])",
              "torch.flip(x, [0, -1])",
              "torch.fliplr(x)",
              "torch.flipud(x)",
              "torch.roll(x, 1)",
              "torch.roll(x, -2, 1)",
              "torch.roll(x, [1, -1], [0, -1])",
              "torch.rot90(x)",
              "torch.rot90(x, 2, [1, 2])",
              "torch.rot90(x, -1, [0, 2])",
              "x.mT",
              "x[0].T"},
             {kX, randn({2, 3, 4}, 2)});
}

TEST_CASE("splits into lists") {
  check_each(
      {"torch.tensor_split(x, 3, 1)", "torch.tensor_split(x, 3, -1)",
       "torch.tensor_split(x, [1, 2], 2)", "torch.tensor_split(x, [1, 9], -1)",
       "torch.hsplit(x, 3)", "torch.hsplit(x, [1])", "torch.vsplit(x, 2)", "torch.vsplit(x, [1])",
       "torch.dsplit(x, 2)", "torch.dsplit(x, [1, 3])", "torch.unsafe_split(x, 2, 1)",
       "torch.unsafe_split_with_sizes(x, [1, 3], -1)", "torch.split_with_sizes(x, [1, 2], 1)",
       "torch.unbind(x, -1)", "x.chunk(3, -1)", "torch.unsafe_chunk(x, 2, -1)"},
      {kX});
}

TEST_CASE("joins") {
  check_each(
      {"torch.hstack([x, y])", "torch.vstack([x, y])", "torch.dstack([x, y])",
       "torch.column_stack([x[0, 0], y[0, 0]])", "torch.hstack([x[0, 0, 0], y[0, 0, 0]])",
       "torch.stack([x, y], -1)", "torch.block_diag([x[0], y[0, 0], y[0, 0, 0]])",
       "torch.cartesian_prod([x[0, 0], y[0, 0]])", "torch.cartesian_prod([x[0, 0]])",
       "torch.meshgrid([x[0, 0], y[0, 0]])", "torch.meshgrid([x[0, 0], y[0, 0]], indexing='xy')",
       "torch.broadcast_tensors([x, y[0, 0]])", "torch.tensordot(x, y, [2], [2])",
       "torch.tensordot(x, y, [0, 2], [0, -1])", "torch.chain_matmul([x[0], y[0].t()])",
       "torch.cat([x, y], -2)"},
      {kX, randn({2, 3, 4}, 2)});
}

TEST_CASE("pads of every rank") {
  const ir::Tensor wide = randn({2, 3, 4, 5, 6}, 3);
  check_each(
      {"torch.constant_pad_nd(x, [1, 2], 0.5)", "torch.pad(x, [1, 0, 2, 1], 'constant', 3.0)",
       "torch.reflection_pad1d(x, [2, 1])", "torch.replication_pad1d(x, [2, 1])",
       "torch.pad(x, [2, 1], 'reflect')", "torch.pad(x, [2, 1], 'replicate')",
       "torch.pad(x, [2, 1], 'circular')", "torch.reflection_pad1d(x[0], [2, 1])"},
      {kX});
  check_each(
      {"torch.reflection_pad2d(x[0], [2, 1, 0, 3])", "torch.replication_pad2d(x[0], [2, 1, 0, 3])",
       "torch.pad(x[0], [2, 1, 0, 3], 'circular')", "torch.reflection_pad3d(x, [2, 1, 0, 3, 1, 1])",
       "torch.replication_pad3d(x, [2, 1, 0, 3, 1, 1])",
       "torch.pad(x, [2, 1, 0, 3, 1, 1], 'circular')",
       "torch.reflection_pad2d(x[0, 0], [2, 1, 0, 3])",
       "torch.replication_pad3d(x[0], [2, 1, 0, 3, 1, 1])"},
      {wide});
}

TEST_CASE("combinations with factors") {
  const ir::Tensor a = randn({3, 4}, 4), b = randn({4, 5}, 5), c = randn({3, 5}, 6);
  check_each(
      {"torch.addmm(z, x, y, beta=0.5, alpha=2.0)", "torch.addmm(z[0], x, y, beta=2)",
       "torch.addmm(z, x, y, beta=0)", "torch.addr(z, x[:, 0], y[0], beta=0.5, alpha=3)",
       "torch.addmv(z[:, 0], x, y[:, 0], beta=2, alpha=0.5)", "torch._addmm_activation(z[0], x, y)",
       "torch._addmm_activation(z[0], x, y, beta=0.5, alpha=2, use_gelu=True)",
       "torch._addmm_activation(z, x, y, use_gelu=False)"},
      {a, b, c});
  check_each({"torch.baddbmm(z, x, y, beta=0.5, alpha=2.0)", "torch.baddbmm(z, x, y, beta=0)",
              "torch.addbmm(z[0], x, y, beta=0.5, alpha=2.0)"},
             {randn({2, 3, 4}, 4), randn({2, 4, 5}, 5), randn({2, 3, 5}, 6)});
  check_each({"torch._add_relu(x, y)", "torch._add_relu(x, y, alpha=0.5)",
              "torch._add_relu(x, 0.5)", "torch._add_relu(x, 0.5, alpha=2)"},
             {kX, randn({2, 3, 4}, 2)});
}

TEST_CASE("statistics with corrections") {
  check_each({"torch.std_mean(x)", "torch.std_mean(x, False)", "torch.var_mean(x, [0, 2])",
              "torch.var_mean(x, [1], unbiased=False, keepdim=True)",
              "torch.std_mean(x, [1], correction=0)", "torch.var(x, [-1], correction=2)",
              "torch.std(x, None, correction=0)", "torch.aminmax(x)", "torch.aminmax(x, dim=1)",
              "torch.aminmax(x, dim=-1, keepdim=True)", "torch._aminmax(x)",
              "torch._aminmax(x, 1, True)", "torch.cov(x[0])", "torch.cov(x[0], correction=0)",
              "torch.corrcoef(x[0])", "torch.cov(x[0, 0])", "torch.trace(x[0])"},
             {kX});
}

TEST_CASE("covariances of weighted observations") {
  const ir::Tensor counts = values({5}, {1, 2, 0, 3, 1}, DType::i64);
  const ir::Tensor amounts = uniform({5}, 0.1, 2, 3);
  const std::vector<std::string> forms = {"torch.cov(x, fweights=y)",
                                          "torch.cov(x, aweights=z)",
                                          "torch.cov(x, fweights=y, aweights=z)",
                                          "torch.cov(x, correction=0, fweights=y, aweights=z)",
                                          "torch.cov(x, correction=0, fweights=y)",
                                          "torch.cov(x, correction=2, aweights=z)",
                                          "torch.cov(x, correction=3, fweights=y, aweights=z)",
                                          "torch.cov(x[0], fweights=y)",
                                          "torch.cov(x[0], aweights=z)"};
  check_each(forms, {randn({3, 5}, 1), counts, amounts});
  check_each(forms, {randn({3, 5}, 1, DType::f64), counts, uniform({5}, 0.1, 2, 3, DType::f64)},
             1e-12);
  check_each({"torch.cov(x, fweights=y)", "torch.cov(x, aweights=z)"},
             {randint({3, 5}, -9, 9, 1), values({5}, {1, 2, 0, 3, 1}, DType::i32), amounts});
  check_each({"torch.cov(x, fweights=y)", "torch.cov(x, aweights=y.float())"},
             {values({}, {2.5}), values({}, {3}, DType::i64)});
  check_each({"torch.cov(x, correction=9, fweights=y)"}, {randn({3, 5}, 1), counts});
}

TEST_CASE("norms and distances") {
  check_each({"torch.linalg_norm(x)",
              "torch.linalg_norm(x, dim=[1])",
              "torch.linalg_norm(x, 3, dim=[1], keepdim=True)",
              "torch.linalg_norm(x[0], 1)",
              "torch.linalg_norm(x[0], float('inf'))",
              "torch.linalg_norm(x[0], -1)",
              "torch.linalg_norm(x[0], 'fro')",
              "torch.linalg_matrix_norm(x)",
              "torch.linalg_matrix_norm(x, 1)",
              "torch.linalg_matrix_norm(x, -1, keepdim=True)",
              "torch.linalg_matrix_norm(x, 1, dtype=7)",
              "torch.linalg_matrix_norm(x, float('inf'), [0, 1])",
              "torch.linalg_matrix_norm(x, -float('inf'))",
              "torch.linalg_vector_norm(x, 0)",
              "torch.linalg_vector_norm(x, 2.5, [0, -1])",
              "torch.norm(x, 2, [1], True)",
              "torch.norm(x)",
              "torch.norm(x, 1, [0], False, dtype=7)",
              "torch.pdist(x[0])",
              "torch.pdist(x[0], 1.0)",
              "torch._pdist_forward(x[0], 3.0)",
              "torch.cdist(x, y)",
              "torch.cdist(x, y, 1.0)",
              "torch.cdist(x, y, float('inf'))",
              "torch.cdist(x, y, 0.0)",
              "torch._cdist_forward(x, y, 2.0, None)",
              "torch._euclidean_dist(x[0], y[0])",
              "torch.cosine_similarity(x, y[:, :3], -1)",
              "torch.pairwise_distance(x, y[:, :3], 1.0, 1e-3, True)",
              "torch.renorm(x, 2, 1, 0.5)",
              "torch.norm_except_dim(x, 2, 1)",
              "torch.norm_except_dim(x, 2, 0)",
              "torch.norm_except_dim(x, 1, -1)",
              "torch.norm_except_dim(x, 3, 2)",
              "torch.dist(x, y[:, :3], 1)"},
             {kX, randn({2, 5, 4}, 2)});
}

TEST_CASE("orders") {
  check_each(
      {"torch.quantile(x, 0.4)", "torch.quantile(x, 0.4, 1)", "torch.quantile(x, 0.5, -1, True)",
       "torch.quantile(x, 0.3, 2, interpolation='lower')",
       "torch.quantile(x, 0.3, 2, interpolation='higher')",
       "torch.quantile(x, 0.3, 2, interpolation='nearest')",
       "torch.quantile(x, 0.3, 2, interpolation='midpoint')",
       "torch.quantile(x, torch.tensor([0.0, 0.25, 1.0]), 1)",
       "torch.quantile(x, torch.tensor([0.1, 0.7]))",
       "torch.quantile(x, torch.tensor([0.1, 0.7]), 2, True)",
       "torch.quantile(x, torch.tensor([0.1, 0.7]), 2, interpolation='lower')",
       "torch.nanquantile(x, 0.4, 1)", "torch.nanmedian(x)", "torch.nanmedian(x, 1)",
       "torch.nanmedian(x, -1, True)", "torch.logcumsumexp(x, -1)", "torch.cummax(x, 1)",
       "torch.cummin(x, -1)"},
      {kX});
  const double inf = std::numeric_limits<double>::infinity();
  check_each({"torch.quantile(x, 0.5)", "torch.quantile(x, 1.0)", "torch.nanquantile(x, 0.5)",
              "torch.quantile(x, torch.tensor([0.0, 0.5]))", "torch.quantile(x, 0.2)",
              "torch.quantile(x, 0.4)", "torch.quantile(x, 0.5, interpolation='lower')",
              "torch.nanquantile(x, 0.5, interpolation='higher')"},
             {values({3}, {1, inf, inf})});
  const ir::Tensor holes = values({3, 4}, {1, kNan, 3, 2, kNan, kNan, kNan, kNan, 4, 3, 2, 1});
  check_each({"torch.quantile(x, 0.4, 1)", "torch.nanquantile(x, 0.4, 1)",
              "torch.nanquantile(x, torch.tensor([0.1, 0.7]), 1)", "torch.nanquantile(x, 0.4)",
              "torch.nanquantile(x, torch.tensor([0.1, 0.7]), 1, True, interpolation='higher')",
              "torch.nanquantile(x, 0.3, 0, True, interpolation='nearest')",
              "torch.nanquantile(x, 0.3, 1, interpolation='midpoint')", "torch.nanmedian(x)",
              "torch.nanmedian(x, 1)[0]"},
             {holes});
  check_each({"torch.mode(x)[0]", "torch.mode(x, 0)[0]", "torch.mode(x, -1, True)[0]"},
             {randint({4, 9}, 0, 3, 7)});
}

TEST_CASE("integrals and powers of points") {
  check_each({"torch.trapezoid(x)", "torch.trapezoid(x, dx=0.5, dim=1)",
              "torch.trapz(x, dx=2.0, dim=0)", "torch.trapezoid(x, y)", "torch.trapz(x, y, dim=-1)",
              "torch.trapezoid(x, y[0, 0], dim=2)", "torch.cumulative_trapezoid(x)",
              "torch.cumulative_trapezoid(x, dx=0.5, dim=1)", "torch.cumulative_trapezoid(x, y)",
              "torch.cumulative_trapezoid(x, y, dim=0)", "torch.vander(x[0, 0])",
              "torch.vander(x[0, 0], 3)", "torch.vander(x[0, 0], 3, increasing=True)",
              "torch.linalg_vander(x)", "torch.linalg_vander(x, N=2)"},
             {kX, randn({2, 3, 4}, 2)});
}

TEST_CASE("counts in bins") {
  check_each({"torch.histc(x, 4, -1, 1)", "torch.histc(x, 10, 0, 2)", "torch.histc(x, 5)"}, {kX});
  check_each(
      {"torch.searchsorted(x, y, sorter=z)", "torch.searchsorted(x, y, sorter=z, right=True)"},
      {values({4}, {3, 1, 2, 5}), values({3}, {0, 2, 4}), values({4}, {1, 2, 0, 3}, DType::i64)});
}

TEST_CASE("rows combined by index") {
  const ir::Tensor index = values({4}, {2, 0, 2, 1}, DType::i64);
  for (const char* reduce : {"prod", "mean", "amax", "amin"})
    for (const char* include : {"True", "False"}) {
      const std::string tail = std::string(", '") + reduce + "', include_self=" + include + ")";
      check_each({"torch.index_reduce(x, 0, y, z" + tail},
                 {randn({3, 5}, 8), index, randn({4, 5}, 9)});
      check_each({"torch.index_reduce(x, -1, y, z" + tail},
                 {randn({2, 3}, 8), index, randn({2, 4}, 9)});
    }
}

TEST_CASE("further operators in other dtypes, of rank 0 and 1, and of one element") {
  for (const DType dtype : {DType::f64, DType::f16})
    check_each({"torch.quantile(x.float(), 0.3, 1)", "torch.trapezoid(x)", "torch.cov(x.float())",
                "torch.cumulative_trapezoid(x)", "torch.nanmedian(x, 1)", "torch.vander(x[0])",
                "torch.trace(x)", "torch.mode(x, 1)[0]", "torch.logspace(x[0, 0], 2, 3)",
                "torch.norm_except_dim(x.float())", "torch.sum_to_size(x, [1, 4])",
                "torch._safe_softmax(x, 0)", "torch.linalg_matrix_norm(x.float(), 1)"},
               {randn({3, 4}, 15, dtype)}, dtype == DType::f64 ? 1e-6 : 4e-3);
  check_each({"torch.quantile(x, 0.3, 1)", "torch.nanquantile(x, 0.3)", "torch.pdist(x)",
              "torch.histc(x, 4, -1, 1)", "torch.cov(x)", "torch.corrcoef(x)",
              "torch.linalg_matrix_norm(x, -1)", "torch.det(x[:, :3])"},
             {randn({3, 4}, 16, DType::f64)}, 1e-12);
  for (const DType dtype : {DType::i64, DType::i32, DType::u8})
    check_each(
        {"torch.trapezoid(x)", "torch.cumulative_trapezoid(x, dx=2)", "torch.vander(x[0])",
         "torch.trace(x)", "torch.mode(x, 1)[0]", "torch.nanmedian(x)", "torch.nanmedian(x, 0)",
         "torch.pad_sequence([x[0], x[1, :2]], True)", "torch.sum_to_size(x, [1, 4])",
         "torch._aminmax(x, 1)", "torch.searchsorted(x[0], x, sorter=torch.argsort(x[0]))"},
        {values({3, 4}, {1, 5, 2, 7, 3, 3, 0, 9, 4, 1, 1, 6}, dtype)});
  check_each({"torch.index_reduce(x, 0, torch.tensor([1, 1]), x[:2], 'prod')",
              "torch.index_reduce(x, 1, torch.tensor([3]), x[:, :1], 'amax', include_self=False)"},
             {values({3, 4}, {1, 5, 2, 7, 3, 3, 0, 9, 4, 1, 1, 6}, DType::i64)});
  check_each({"torch.quantile(x, 0.3)", "torch.nanmedian(x)", "torch.mode(x)[0]", "torch.cov(x)",
              "torch.nanquantile(x, 0.5, 0)", "torch.histc(x, 2)", "torch._safe_softmax(x, 0)"},
             {values({}, {2.5})});
  check_each({"torch.trapezoid(x)", "torch.cumulative_trapezoid(x)", "torch.corrcoef(x)",
              "torch.quantile(x, 0.5)", "torch.pdist(x.unsqueeze(0))", "torch.vander(x, 1)"},
             {values({1}, {2.5})});
}

TEST_CASE("further functions") {
  check_each({"torch.log_sigmoid_forward(x)[0]", "torch._safe_softmax(x, -1)",
              "torch._safe_softmax(x, 1, dtype=7)", "torch._logcumsumexp(x, 1)",
              "torch.special_round(x, decimals=1)", "torch._shape_as_tensor(x) + y.long().sum()",
              "torch.sum_to_size(x, [3, 1])", "torch.sum_to_size(x, [2, 3, 4])",
              "torch.pad_sequence([x[0], y[0, :2]], True)",
              "torch.pad_sequence([x[0], y[0, :2]], False, 2.5)",
              "torch.pad_sequence([x[0], y[0, :2]], True, 0.0, 'left')",
              "torch._is_all_true(x > 9)", "torch._is_any_true(x > 0)"},
             {kX, randn({2, 3, 4}, 2)});
}

TEST_CASE("sizes and numbers never reach the graph") {
  check_each({"x * x.numel()", "x * x.size(1)", "x * len(x.shape)", "x + x.size()[0]",
              "x * float(torch.tensor(2.5))", "x * int(torch.tensor(3))", "x.view(x.size(0), -1)",
              "x * torch.numel(x)"},
             {kX});
}

/// The diagnostic holds this part, on every target.
void check_says(const std::string& form, const std::vector<ir::Tensor>& inputs,
                const std::string& part) {
  for (const target::Target& target : test_targets()) {
    CAPTURE(form);
    const std::string text = export_error(expression_script(form, inputs.size()), inputs, target);
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("random numbers are refused, and what to do instead is said") {
  for (const char* form : {"x + torch.rand([4])",
                           "torch.rand_like(x)",
                           "torch.bernoulli(x)",
                           "torch.bernoulli(x, 0.5)",
                           "torch.normal(x, x)",
                           "torch.randint(5, [4]) + x",
                           "torch.randn([4]) + x",
                           "torch.randperm(4) + x",
                           "torch.multinomial(x, 2)",
                           "torch.poisson(x)",
                           "torch.randn_like(x)",
                           "x.exponential_()",
                           "x.uniform_()",
                           "x.random_(4)",
                           "x.bernoulli_(0.5)",
                           "x.bernoulli_(x)",
                           "x.random_()",
                           "x.random_(1, 5)",
                           "x.normal_()",
                           "x.normal_(2.0, 3.0)",
                           "x.cauchy_()",
                           "x.log_normal_()",
                           "x.geometric_(0.5)"})
    check_says(form, {uniform({2, 4}, 0.1, 1, 1)},
               "why: it generates random numbers, so a run of the engine cannot be compared with "
               "torch\n  help: generate the random numbers outside the model, and pass them as an "
               "input\n");
  check_says("x.normal_()", {uniform({2, 4}, 0.1, 1, 1)}, "1x aten::normal_   first:");
  for (const char* form : {"torch.dropout(x, 0.5, True)", "torch.alpha_dropout(x, 0.5, True)",
                           "torch.feature_dropout(x, 0.5, True)"})
    check_says(form, {uniform({2, 4}, 0.1, 1, 1)},
               "help: call model.eval() before saving the model, and pass training=False to "
               "functions\n");
  check_says("torch.native_dropout(x, 0.5, True)", {uniform({2, 4}, 0, 1, 1)},
             "compared with torch\n"
             "  help: call model.eval() before saving the model\n");
}

TEST_CASE("sizes that depend on constants are known") {
  for (const char* form : {"torch._unique2(self.i)[0] + x[0, 0]", "torch.nonzero(self.i) + x[0, 0]",
                           "torch.bincount(self.i) + x[0, 0]"})
    for (const target::Target& target : test_targets()) {
      CAPTURE(std::string(form));
      const Script model =
          expression_script(form, 1).with("i", values({4}, {0, 2, 2, 5}, DType::i64));
      CHECK_CLOSE(export_and_run(model, {randn({4, 4}, 12)}, target), rel(1e-4));
    }
}

TEST_CASE("operators that depend on data too much are refused") {
  const ir::Tensor x = randint({6}, 0, 4, 14);
  check_says("torch.vander(x, 65)", {x}, "N=65 has no translation for ");
  check_says("torch.vander(x, 65)", {x},
             "why:  it is unrolled step by step, and this would take too many steps\n"
             "  help: use N up to 64\n");
  check_says("torch.mode(x)", {x},
             "why:  torch does not specify which of several equal elements `indices` refers to\n");
  check_says("torch.quantile(x.float(), x[0] * 0.1)", {x}, "q=f32[] has no translation");
}

}  // namespace
}  // namespace t2n::test::forms_tests

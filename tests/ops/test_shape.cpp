// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/check_script.h"

namespace t2n::test::shape_tests {
namespace {

using ir::DType;

const ir::Tensor kX = randn({2, 3, 4}, 1);
const ir::Tensor kScalar = values({}, {1.5});

TEST_CASE("reshapes keep the elements in order") {
  check_each({"x.view([6, 4])", "x.view([-1])", "x.view([2, 1, 12])", "x.reshape([4, -1])",
              "torch._unsafe_view(x, [24])", "x.flatten()", "x.flatten(1)", "x.flatten(0, -2)",
              "x.unflatten(2, [2, -1])", "x.unflatten(-3, [1, 2])", "x.ravel()",
              "torch._reshape_alias(x, [6, 4], [4, 1])", "x.permute([2, 0, 1]).reshape([4, 6])"},
             {kX});
  check_each({"x.view_as(y)", "x.reshape_as(y)"}, {kX, randn({4, 6}, 2)});
  check_each({"x.view([1, 1])", "x.reshape([1])", "x.flatten()", "torch.ravel(x)"}, {kScalar});
  check_each({"x.view([])", "x.reshape([])"}, {values({1, 1}, {2})});
  check_each({"torch.atleast_1d(x)", "torch.atleast_2d(x)", "torch.atleast_3d(x)"}, {kScalar});
  check_each({"torch.atleast_2d(x)", "torch.atleast_3d(x)"}, {randn({3}, 3)});
  check_each({"torch.atleast_3d(x)"}, {randn({3, 2}, 3)});
  check_each({"torch.atleast_1d([x, y])", "torch.atleast_2d([x, y])", "torch.atleast_3d([x, y])"},
             {randn({3}, 3), kScalar});
  check_each({"x.view([3, 2])"}, {randint({6}, 0, 2, 4, DType::boolean)});
}

TEST_CASE("axes of extent one are added and removed") {
  const ir::Tensor x = randn({2, 1, 3, 1}, 1);
  check_each({"x.squeeze()", "x.squeeze(1)", "x.squeeze(-1)", "x.squeeze(0)", "x.squeeze([1, 3])",
              "x.squeeze([0, -1])", "x.unsqueeze(0)", "x.unsqueeze(-1)", "x.unsqueeze(2)"},
             {x});
  check_each({"x.squeeze()", "x.squeeze(0)", "x.squeeze(-1)", "x.unsqueeze(0)", "x.unsqueeze(-1)"},
             {kScalar});
  check_each({"x.squeeze()"}, {values({1, 1}, {2})});
}

TEST_CASE("broadcasts and repetitions") {
  const ir::Tensor x = randn({3, 1}, 1);
  check_each({"x.expand([3, 4])", "x.expand([2, -1, 4])", "x.expand([-1, -1])",
              "x.broadcast_to([2, 3, 5])", "x.repeat([2, 3])", "x.repeat([2, 1, 3])",
              "x.repeat([1, 1])", "torch.tile(x, [2])", "torch.tile(x, [2, 1, 3])",
              "x.repeat_interleave(2)", "x.repeat_interleave(3, 0)", "x.repeat_interleave(2, -1)",
              "x.repeat_interleave(2, 1, output_size=2)",
              "torch.expand_copy(x, [2, 3, 4], implicit=True)"},
             {x});
  check_each(
      {"x.expand_as(y)", "torch.broadcast_tensors([x, y])", "torch.broadcast_tensors([y[0], x])"},
      {x, randn({2, 3, 4}, 2)});
  check_each({"x.expand([2, 3])", "x.repeat([3])", "x.repeat([])", "x.repeat_interleave(3)",
              "torch.tile(x, [2, 2])"},
             {kScalar});
  check_with({{"n", values({3}, {2, 0, 1}, DType::i64)}},
             {"x.repeat_interleave(self.n, 0)", "x.repeat_interleave(self.n)",
              "torch.repeat_interleave(self.n) + x[0].long()",
              "x.repeat_interleave(self.n, 0, output_size=3)"},
             {x});
  check_each({"x.expand([2, 4])", "x.repeat([2, 2])"}, {randint({2, 1}, 0, 2, 3, DType::boolean)});
}

TEST_CASE("repeated entries need a known count, else the engine's positions") {
  for (const target::Target& target : test_targets())
    for (const char* call :
         {"torch.repeat_interleave(self.n)", "torch.repeat_interleave(self.n, output_size=3)"}) {
      Script model = with_parameters(call, 0, {{"n", values({3}, {2, 0, 1}, DType::i64)}});
      model.disabled_passes = {"fold-constants"};
      CHECK_CLOSE(export_and_run(model, {}, target), rel(0));
    }
  check_refused("torch.repeat_interleave(x)", {values({2}, {1, 2}, DType::i64)},
                "error[unsupported-argument]: aten::repeat_interleave.Tensor: repeats=i64[2] has "
                "no translation for TARGET\n"
                "  --> the model (Model)\n"
                "  why:  its values must be known at export, but they are computed by the model\n");
}

TEST_CASE("bits read as another dtype are refused") {
  check_refused("torch.view_copy(x, dtype=3)", {kX},
                "error[unsupported-argument]: aten::view_copy.dtype: dtype=i32 has no translation "
                "for TARGET\n"
                "  --> the model (Model)\n"
                "  why:  NNEF cannot read the bits of one dtype as another\n"
                "  help: convert the values with .to(dtype)\n");
  check_each({"torch.view_copy(x, dtype=6)"}, {kX});
}

TEST_CASE("permutations") {
  check_each(
      {"x.transpose(0, 2)", "x.transpose(-1, 1)", "x.transpose(1, 1)", "torch.swapaxes(x, 0, -1)",
       "torch.swapdims(x, 1, 2)", "x.permute([2, 0, 1])", "x.permute([-1, 0, -2])", "x.mT", "x.mH",
       "torch.adjoint(x)", "torch.movedim(x, 0, 2)", "torch.movedim(x, -1, 0)",
       "torch.movedim(x, [0, 1], [2, 0])", "torch.moveaxis(x, [2], [-3])", "torch.numpy_T(x)",
       "torch.real(x)", "torch.conj(x)"},
      {kX});
  check_each({"x.t()", "torch.numpy_T(x)"}, {randn({2, 3}, 1)});
  check_each({"x.t()", "x.transpose(0, 0)"}, {randn({3}, 1)});
  check_each({"x.t()", "x.permute([])", "x.transpose(0, -1)", "torch.movedim(x, 0, 0)"}, {kScalar});
}

TEST_CASE("slices") {
  check_each(
      {"x[1]", "x[-1]", "x[:, -2]", "x.select(2, 1)", "x.select(-1, -1)", "x[:, 1:]", "x[:, :-1]",
       "x[:, -2:]", "x[..., 1:100]", "x[..., ::2]", "x[..., 1::3]", "x[:, 1:2, 2:]", "x[-100:1]",
       "x.narrow(2, 1, 2)", "x.narrow(-1, -3, 2)", "torch.narrow_copy(x, 1, 0, 2)"},
      {kX});
  check_with({{"n", values({}, {1}, DType::i64)}}, {"torch.narrow(x, 1, self.n, 2)"}, {kX});
  for (const double start : {1.0, 0.0, -2.0})
    check_each({"torch.narrow(x, 1, y, 2)", "x.narrow(-1, y, 1)"},
               {kX, values({}, {start}, DType::i64)});
}

TEST_CASE("steps and reversals of what was reshaped") {
  check_each({"x.reshape([2, 12])[:, ::2]", "x.reshape([6, 4])[1::3]",
              "x.reshape([4, 6]).flip([1])", "(x.reshape([2, 3, 2, 2]) + 1.0)[..., ::2]"},
             {kX});
}

TEST_CASE("splits, including parts without a reader") {
  check_each(
      {"x.split(3)", "x.split(3, 1)", "x.split([2, 5], 1)", "x.split_with_sizes([1, 0, 6], -1)[2]",
       "x.chunk(3, 1)", "x.chunk(4, -1)[1]", "torch.tensor_split(x, 3, 1)",
       "torch.tensor_split(x, [2, 4], 1)", "torch.tensor_split(x, [-3], -1)",
       "torch.hsplit(x, [3])", "torch.vsplit(x, 5)[4]", "torch.vsplit(x, [2, 3])",
       "torch.hsplit(x, 7)[2]", "x.unbind()", "x.unbind(-1)[3]", "torch.unsafe_split(x, 2, 0)[1]",
       "torch.unsafe_chunk(x, 2, 1)", "torch.unsafe_split_with_sizes(x, [4, 3], 1)"},
      {randn({5, 7}, 1)});
  check_each({"torch.dsplit(x, [1])", "torch.dsplit(x, 2)"}, {kX});
  check_each({"torch.hsplit(x, 2)"}, {randn({6}, 1)});
  check_with({{"n", values({2}, {1, 4}, DType::i64)}, {"k", values({}, {3}, DType::i64)}},
             {"torch.tensor_split(x, self.n, 1)", "torch.tensor_split(x, self.k, 1)"},
             {randn({5, 7}, 1)});
}

TEST_CASE("joins") {
  const ir::Tensor y = randn({2, 5, 4}, 2);
  check_each({"torch.cat([x, y], 1)", "torch.cat([x, y], -2)", "torch.concat([x, y, x], 1)",
              "torch.concatenate([x], 0)"},
             {kX, y});
  check_each({"torch.stack([x, y])", "torch.stack([x, y], 2)", "torch.stack([x, y, x], -1)",
              "torch.hstack([x, y])", "torch.vstack([x, y])", "torch.row_stack([x, y])",
              "torch.dstack([x, y])", "torch.column_stack([x, y])", "torch.block_diag([x, y])"},
             {randn({3, 4}, 1), randn({3, 4}, 2)});
  check_each(
      {"torch.stack([x, y], -1)", "torch.hstack([x, y])", "torch.vstack([x, y])",
       "torch.dstack([x, y])", "torch.column_stack([x, y])", "torch.meshgrid([x, y])",
       "torch.meshgrid([x, y], indexing='xy')", "torch.cartesian_prod([x, y])",
       "torch.combinations(x)", "torch.combinations(x, 3, True)", "torch.block_diag([x, y])"},
      {randn({3}, 1), randn({3}, 2)});
  check_each({"torch.stack([x, y])", "torch.hstack([x, y])", "torch.vstack([x, y])",
              "torch.dstack([x, y])", "torch.column_stack([x, y])"},
             {kScalar, values({}, {2})});
  check_each(
      {"torch.column_stack([x, y])", "torch.block_diag([x, y])", "torch.block_diag([y, x, y])"},
      {randn({3, 2}, 1), randn({3}, 2)});
}

TEST_CASE("joins of several dtypes, and with constants") {
  check_each({"torch.cat([x, y], 0)", "torch.stack([x[0], y[0]])", "torch.hstack([y, x])"},
             {randn({2, 3}, 1), randint({2, 3}, -5, 5, 2)});
  check_with({{"c", randn({1, 3}, 1)}},
             {"torch.cat([self.c, x, self.c])", "torch.stack([self.c[0], x[0]], 1)"},
             {randn({2, 3}, 2)});
  check_each({"torch.cat([x, y], 1)"},
             {randint({2, 3}, 0, 2, 1, DType::boolean), randint({2, 3}, 0, 2, 2, DType::boolean)});
}

TEST_CASE("reversals, rotations and differences") {
  check_each(
      {"x.flip([0])", "x.flip([-1, 0])", "x.flip([])", "torch.fliplr(x)", "torch.flipud(x)",
       "x.roll(1)", "x.roll([1], [2])", "x.roll([-1, 5], [0, -1])", "x.roll(-30)",
       "torch.rot90(x, 1, [0, 1])", "torch.rot90(x, 2, [1, 2])", "torch.rot90(x, 3, [-1, 0])",
       "torch.rot90(x, -1, [0, 2])", "torch.rot90(x, 4, [0, 2])"},
      {kX});
  check_each({"x.flip([0])", "x.roll(3)"}, {kScalar});
  check_each({"torch.diff(x)", "torch.diff(x, 2)", "torch.diff(x, 1, 0)", "torch.diff(x, 1, 1, y)",
              "torch.diff(x, 1, -1, None, y)"},
             {randn({3, 4}, 1), randn({3, 2}, 2)});
  check_each({"torch.diff(x)"}, {randint({2, 5}, 0, 2, 1, DType::boolean)});
  check_each({"torch.diff(x)"}, {randint({2, 5}, -9, 9, 1)});
}

TEST_CASE("diagonals and triangles") {
  check_each(
      {"torch.diagonal(x)", "torch.diagonal(x, 1)", "torch.diagonal(x, -1, 1, 2)",
       "torch.diagonal(x, 2, -1, 0)", "torch.linalg_diagonal(x)",
       "torch.linalg_diagonal(x, offset=1, dim1=0, dim2=2)", "torch.tril(x)", "torch.tril(x, 1)",
       "torch.tril(x, -2)", "torch.triu(x)", "torch.triu(x, 2)", "torch.triu(x, -1)"},
      {kX});
  check_each({"torch.diag_embed(x)", "torch.diag_embed(x, 2)", "torch.diag_embed(x, -1)",
              "torch.diag_embed(x, 1, 0, 2)", "torch.diag_embed(x, 0, -1, 0)", "torch.diag(x)",
              "torch.diag(x, -1)", "torch.diagflat(x)", "torch.diagflat(x, 1)", "torch.diag(x, 9)"},
             {randn({3, 4}, 1)});
  check_each({"torch.diag(x)", "torch.diag(x, 1)", "torch.diag(x, -2)", "torch.diagflat(x)",
              "torch.diag_embed(x)"},
             {randn({3}, 1)});
  check_each({"torch.diagonal(x)", "torch.tril(x)", "torch.diag_embed(x)"},
             {randint({3, 4}, 0, 2, 1, DType::boolean)});
  check_each({"torch.diagonal(x)", "torch.triu(x, 1)", "torch.diag_embed(x)"},
             {randint({3, 4}, -9, 9, 1)});
}

TEST_CASE("padding of every mode") {
  const std::string f = "torch.pad(x, ";
  check_each({f + "[1, 2])", f + "[1, 2, 0, 3], 'constant', 2.5)", f + "[-1, 2, 1, -2])",
              f + "[0, 0, 0, 0, 1, 1], 'constant', None)", f + "[2, 1, 1, 2], 'reflect')",
              f + "[5, 1, 0, 2], 'replicate')", f + "[2, 1, 3, 0], 'circular')",
              f + "[2, -1, -1, 2], 'reflect')", f + "[2, -1, -1, 2], 'circular')",
              f + "[-1, 2, 3, -1], 'replicate')", "torch.constant_pad_nd(x, [1, 1], 0.1)",
              "torch.constant_pad_nd(x, [1, 0, 0, 2], -1.0 / 0.0)",
              "torch.reflection_pad2d(x, [1, 2, 3, 0])", "torch.replication_pad2d(x, [1, 2, 3, 0])",
              "torch._pad_circular(x, [1, 2, 3, 0])", "torch._pad_enum(x, [1, 2, 3, 0], 0)",
              "torch._pad_enum(x, [1, 2, 3, 0], 2)", "torch._pad_enum(x, [1, 2], 3, 4.0)"},
             {randn({2, 3, 5, 4}, 1)});
  check_each({"torch.constant_pad_nd(x, [1, 0], 9223372036854775807)",
              "torch.constant_pad_nd(x, [0, 1, 1, 0], -9007199254740993)"},
             {randint({2, 3}, -9, 9, 1)});
  check_each({"torch.reflection_pad1d(x, [1, 2])", "torch.replication_pad1d(x, [1, 2])",
              f + "[3, 0], 'circular')"},
             {kX});
  check_each({"torch.reflection_pad3d(x, [1, 2, 0, 1, 2, 0])",
              "torch.replication_pad3d(x, [1, 2, 0, 1, 2, 0])"},
             {randn({1, 2, 3, 4, 5}, 1)});
}

TEST_CASE("padding of other dtypes") {
  check_each({"torch.constant_pad_nd(x, [1, 1], 123456789)", "torch.constant_pad_nd(x, [1, 1], 7)",
              "torch.pad(x, [-1, 1])"},
             {randint({2, 3}, -9, 9, 1)});
  check_each({"torch.constant_pad_nd(x, [1, 1], True)", "torch.pad(x, [0, 2])"},
             {randint({2, 3}, 0, 2, 1, DType::boolean)});
  check_each({"torch.constant_pad_nd(x, [1, 1], 0.1)", "torch.pad(x, [1, 1], 'reflect')"},
             {randn({2, 3}, 1, DType::f64)}, 1e-15);
  check_each({"torch.constant_pad_nd(x, [1, 1], 0.1)", "torch.pad(x, [1, 1], 'replicate')"},
             {randn({2, 3}, 1, DType::f16)}, 1e-6);
}

TEST_CASE("blocks, shuffles and windows") {
  check_each({"x.unfold(0, 2, 1)", "x.unfold(-1, 3, 2)", "x.unfold(1, 5, 1)",
              "torch.unfold_copy(x, 1, 2, 3)"},
             {randn({4, 5, 7}, 1)});
  check_each({"x.unfold(0, 1, 1)"}, {kScalar});
  check_each({"torch.im2col(x, [2, 3], [1, 1], [0, 0], [1, 1])",
              "torch.im2col(x, [2, 3], [2, 1], [1, 2], [2, 3])"},
             {randn({2, 3, 5, 6}, 1)});
  check_each({"torch.im2col(x, [2, 2], [1, 1], [1, 0], [1, 2])"}, {randn({3, 5, 6}, 1)});
  check_each({"torch.col2im(x, [5, 6], [2, 3], [1, 1], [0, 0], [1, 1])"}, {randn({2, 18, 16}, 1)});
  check_each({"torch.col2im(x, [5, 7], [2, 3], [2, 1], [1, 2], [2, 3])",
              "torch.col2im(x, [7, 8], [2, 3], [1, 1], [0, 0], [2, 2])"},
             {randn({18, 9}, 1)});
  check_each({"torch.pixel_shuffle(x, 2)", "torch.channel_shuffle(x, 4)",
              "torch.native_channel_shuffle(x, 2)", "torch.pixel_unshuffle(x, 2)"},
             {randn({2, 8, 4, 6}, 1)});
  check_each({"torch.pixel_shuffle(x, 2)", "torch.pixel_unshuffle(x, 2)"}, {randn({8, 4, 6}, 1)});
}

TEST_CASE("strided views") {
  check_each({"torch.as_strided(x, [2, 3], [4, 1])", "torch.as_strided(x, [4, 2, 3], [2, 1, 5], 3)",
              "torch.as_strided(x, [], [], 7)"},
             {kX});
}

}  // namespace
}  // namespace t2n::test::shape_tests

// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/check_script.h"

namespace t2n::test::norm_tests {
namespace {

using ir::DType;

const ir::Tensor kX = randn({3, 6, 5, 4}, 1);

Parameters channel_parameters(DType dtype = DType::f32) {
  return {{"w", randn({6}, 2, dtype)},
          {"b", randn({6}, 3, dtype)},
          {"m", randn({6}, 4, dtype)},
          {"v", uniform({6}, 0.2, 3, 5, dtype)}};
}

const std::vector<std::string> kBatchNorm = {
    "torch.batch_norm(x, self.w, self.b, self.m, self.v, False, 0.1, 1e-5, True)",
    "torch.batch_norm(x, self.w.view(1, -1), self.b.view(-1, 1), self.m, self.v, False, 0.1, 1e-5, "
    "True)",
    "torch.batch_norm(x, None, None, self.m, self.v, False, 0.1, 0.3, False)",
    "torch.batch_norm(x, self.w, None, self.m, self.v, False, 0.1, 1e-3, True)",
    "torch.native_batch_norm(x, self.w, self.b, self.m, self.v, False, 0.1, 1e-5)[0]",
    "torch._native_batch_norm_legit_no_training(x, self.w, self.b, self.m, self.v, 0.1, 1e-5)[0]",
    "torch._native_batch_norm_legit(x, self.w, self.b, self.m, self.v, False, 0.1, 1e-3)[0]",
    "torch._batch_norm_no_update(x, self.w, self.b, self.m, self.v, 0.1, 1e-3)[0]",
};

TEST_CASE("batch_norm with every argument") {
  check_with(channel_parameters(), kBatchNorm, {kX});
  check_with(channel_parameters(), kBatchNorm, {randn({5, 6}, 6)});
  check_with(channel_parameters(), kBatchNorm, {randn({2, 6, 7}, 7)});
  check_with(channel_parameters(), kBatchNorm, {randn({2, 6, 3, 2, 3}, 8)});
}

TEST_CASE("batch_norm without stored statistics uses those of the batch") {
  check_with(channel_parameters(),
             {"torch.batch_norm(x, self.w, self.b, None, None, True, 0.1, 1e-5, True)",
              "torch.batch_norm(x, None, None, None, None, True, 0.1, 1e-3, True)",
              "torch._native_batch_norm_legit(x, self.w, self.b, True, 0.1, 1e-3)[0]",
              "torch._native_batch_norm_legit(x, None, None, True, 0.1, 1e-5)[0]"},
             {kX});
}

TEST_CASE("batch_norm in training is refused") {
  const std::string text =
      export_error(with_parameters("torch.batch_norm(x, self.w, self.b, x.sum([0, 2, 3]), "
                                   "x.sum([0, 2, 3]), True, 0.1, 1e-5, True)",
                                   1, channel_parameters()),
                   {kX}, newest_target());
  CHECK_EQ(text,
           "error[unsupported-argument]: aten::batch_norm: training=true has no translation for "
           "tract@0.23.9\n"
           "  --> the model (Model)\n"
           "  why:  it would update the running statistics during inference\n"
           "  help: call model.eval() before saving the model\n");
}

TEST_CASE("instance_norm with every argument") {
  check_with(channel_parameters(),
             {"torch.instance_norm(x, self.w, self.b, None, None, True, 0.1, 1e-5, True)",
              "torch.instance_norm(x, None, None, None, None, True, 0.1, 1e-3, True)",
              "torch.instance_norm(x, self.w, self.b, self.m, self.v, False, 0.1, 1e-5, True)"},
             {kX});
  check_with(channel_parameters(),
             {"torch.instance_norm(x, self.w, None, None, None, True, 0.1, 1e-5, True)"},
             {randn({3, 6, 9}, 9)});
}

TEST_CASE("layer_norm with every argument") {
  check_with({{"w", randn({5, 4}, 2)}, {"b", randn({5, 4}, 3)}},
             {"torch.layer_norm(x, [5, 4], self.w, self.b)",
              "torch.layer_norm(x, [5, 4], self.w, None, 0.1)", "torch.layer_norm(x, [4])",
              "torch.layer_norm(x, [6, 5, 4], None, None, 1e-3, False)",
              "torch.native_layer_norm(x, [5, 4], self.w, self.b, 1e-5)[0]"},
             {kX});
  check_each({"torch.layer_norm(x, [7])"}, {randn({7}, 6)});
}

TEST_CASE("group_norm with every argument") {
  check_with(
      channel_parameters(),
      {"torch.group_norm(x, 2, self.w, self.b)", "torch.group_norm(x, 3, None, None, 0.1, False)",
       "torch.group_norm(x, 6)", "torch.group_norm(x, 1, self.w)",
       "torch.native_group_norm(x, self.w, self.b, 3, 6, 20, 2, 1e-5)[0]"},
      {kX});
  check_with(channel_parameters(), {"torch.group_norm(x, 2, self.w, self.b)"}, {randn({5, 6}, 7)});
}

TEST_CASE("rms_norm with every argument") {
  check_with(
      {{"w", randn({4}, 2)}, {"w2", randn({5, 4}, 3)}},
      {"torch.rms_norm(x, [4])", "torch.rms_norm(x, [4], self.w)",
       "torch.rms_norm(x, [4], self.w, 0.3)", "torch._fused_rms_norm(x, [4], self.w, 0.3)[0]",
       "torch._fused_rms_norm(x, [5, 4], None, None)[0]",
       "torch.rms_norm(x, [5, 4], self.w2, 1e-5)"},
      {kX});
  // Without eps, that of the dtype decides where the values are small.
  check_each({"torch.rms_norm(x, [4])"}, {uniform({2, 4}, -1e-4, 1e-4, 4)}, 1e-4);
  check_each({"torch.rms_norm(x, [4])"}, {uniform({2, 4}, -1e-2, 1e-2, 4, DType::f16)}, 4e-3);
}

TEST_CASE("weight_norm over all axes but one, or all") {
  check_each({"torch._weight_norm(x, y, 0)"}, {kX, randn({3, 1, 1, 1}, 5)});
  check_each({"torch._weight_norm(x, y, 3)"}, {kX, randn({1, 1, 1, 4}, 5)});
  check_each({"torch._weight_norm(x, y, -1)"}, {kX, randn({}, 5)});
  check_each({"torch._weight_norm_interface(x, y, 0)"}, {kX, randn({3, 1, 1, 1}, 5)});
  check_each({"torch._weight_norm_interface(x, y, 3)"}, {kX, randn({1, 1, 1, 4}, 5)});
}

TEST_CASE("renorm of every norm") {
  check_each({"torch.renorm(x, 2, 0, 1.5)", "torch.renorm(x, 1, -1, 100)",
              "torch.renorm(x, 1.0 / 0.0, 1, 0.9)", "torch.renorm(x, 3, 0, 1.5)",
              "torch.renorm(x, 0.5, 0, 90.0)", "torch.renorm(x, 2, 1, 50.0)"},
             {kX});
}

TEST_CASE("statistics that normalisations give beside their result") {
  const Parameters affine = {{"w", uniform({5, 4}, 0.5, 2, 2)}, {"b", randn({5, 4}, 3)}};
  for (const char* i : {"1", "2"})
    check_with(affine, {cat("torch.native_layer_norm(x, [5, 4], self.w, self.b, 1e-3)[", i, "]")},
               {kX});
  const Parameters channels = {{"w", uniform({6}, 0.5, 2, 2)}, {"b", randn({6}, 3)}};
  for (const char* i : {"1", "2"})
    check_with(
        channels,
        {cat("torch.native_group_norm(x, self.w, self.b, 3, 6, 20, 2, 1e-3)[", i, "]"),
         cat("torch.native_batch_norm(x, self.w, self.b, None, None, True, 0.1, 1e-3)[", i, "]")},
        {kX});
}

TEST_CASE("norms of halves do not overflow; doubles keep their digits") {
  const ir::Tensor large = uniform({3, 6, 5, 4}, -2000, 3000, 6, DType::f16);
  check_each({"torch.layer_norm(x, [5, 4])", "torch.group_norm(x, 2)",
              "torch.rms_norm(x, [4], None, 1e-5)",
              "torch.instance_norm(x, None, None, None, None, True, 0.1, 1e-5, True)"},
             {large}, 2e-3);
  check_with(channel_parameters(DType::f16), kBatchNorm, {randn({3, 6, 5, 4}, 7, DType::f16)},
             4e-3);
  const ir::Tensor wide = randn({3, 6, 5, 4}, 7, DType::f64);
  check_each({"torch.layer_norm(x, [5, 4])", "torch.layer_norm(x, [4])", "torch.group_norm(x, 2)",
              "torch.rms_norm(x, [4], None, 1e-5)", "torch.rms_norm(x, [5, 4])"},
             {wide}, 1e-12);
  check_with(channel_parameters(DType::f64), kBatchNorm, {wide}, 1e-12);
}

}  // namespace
}  // namespace t2n::test::norm_tests

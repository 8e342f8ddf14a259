// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/check_script.h"

namespace t2n::test::loss_tests {
namespace {

using ir::DType;

const ir::Tensor kX = randn({3, 4}, 1);
const ir::Tensor kY = randn({3, 4}, 2);

/// Each form without a reduction, as a mean and as a sum.
std::vector<std::string> reduced(const std::vector<std::string>& forms) {
  std::vector<std::string> all;
  for (const std::string& form : forms)
    for (const char* reduction : {"0", "1", "2"}) {
      all.push_back(form);
      all.back().replace(form.find("$r"), 2, reduction);
    }
  return all;
}

TEST_CASE("differences from a target") {
  const std::vector<std::string> forms = reduced(
      {"torch.l1_loss(x, y, $r)", "torch.mse_loss(x, y, $r)", "torch.smooth_l1_loss(x, y, $r)",
       "torch.smooth_l1_loss(x, y, $r, 0.25)", "torch.smooth_l1_loss(x, y, $r, 0.0)",
       "torch.huber_loss(x, y, $r)", "torch.huber_loss(x, y, $r, 0.25)"});
  check_each(forms, {kX, kY});
  check_each(forms, {values({}, {1.5}), values({}, {-0.25})});
  check_each(forms, {randn({3, 4}, 1, DType::f16), randn({3, 4}, 2, DType::f16)}, 4e-3);
  check_each(forms, {randn({3, 4}, 1, DType::f64), randn({3, 4}, 2, DType::f64)}, 1e-12);
  check_each({"torch.mse_loss(x, y)", "torch.l1_loss(x, y, 0)"}, {kX, randn({4}, 3)});
}

TEST_CASE("losses of pairs with a target of 1 and -1") {
  check_each(
      reduced({"torch.margin_ranking_loss(x, y, z, 0.0, $r)",
               "torch.margin_ranking_loss(x, y, z, 0.5, $r)", "torch.soft_margin_loss(x, z, $r)",
               "torch.hinge_embedding_loss(x, z, 1.0, $r)",
               "torch.hinge_embedding_loss(x, z, 0.3, $r)"}),
      {kX, kY, values({3, 4}, {1, -1, 1, 1, -1, -1, 1, 1, -1, 1, -1, 1})});
  const std::vector<std::string> cosine =
      reduced({"torch.cosine_embedding_loss(x, y, z, 0.0, $r)",
               "torch.cosine_embedding_loss(x, y, z, 0.4, $r)"});
  check_each(cosine, {kX, kY, values({3}, {1, -1, 1})});
  check_each(cosine, {kX, kY, values({3}, {1, -1, 0}, DType::i64)});
  check_each(cosine, {randn({4}, 3), randn({4}, 4), values({}, {-1})});
}

TEST_CASE("triplet margins") {
  check_each(reduced({"torch.triplet_margin_loss(x, y, z, reduction=$r)",
                      "torch.triplet_margin_loss(x, y, z, 0.5, 1.0, reduction=$r)",
                      "torch.triplet_margin_loss(x, y, z, 2.0, 3.0, 0.1, True, $r)"}),
             {kX, kY, randn({3, 4}, 5)});
}

TEST_CASE("binary cross entropy, of probabilities and of logits") {
  const ir::Tensor p = uniform({3, 4}, 0.01, 0.99, 6), t = uniform({3, 4}, 0, 1, 7);
  check_each(reduced({"torch.binary_cross_entropy(x, y, None, $r)",
                      "torch.binary_cross_entropy(x, y, z, $r)"}),
             {p, t, uniform({3, 4}, 0, 2, 8)});
  check_each(reduced({"torch.binary_cross_entropy(x, y, None, $r)"}),
             {values({4}, {0, 1, 0, 1}), values({4}, {0, 1, 1, 0})});
  check_each(reduced({"torch.binary_cross_entropy_with_logits(x, y, None, None, $r)",
                      "torch.binary_cross_entropy_with_logits(x, y, z, None, $r)",
                      "torch.binary_cross_entropy_with_logits(x, y, None, z, $r)",
                      "torch.binary_cross_entropy_with_logits(x, y, z, z + 1, $r)"}),
             {randn({3, 4}, 9), t, uniform({4}, 0.5, 2, 10)});
  check_each({"torch.binary_cross_entropy_with_logits(x, y, None, None, 0)"},
             {values({4}, {200, -200, 90, -90}), values({4}, {0, 1, 1, 0})});
}

TEST_CASE("divergence and Poisson") {
  check_each(reduced({"torch.kl_div(x, y, $r)", "torch.kl_div(x, y, $r, log_target=True)"}),
             {uniform({2, 3}, -3, 0, 11), values({2, 3}, {0, 0.2, 0.8, 1, 0, 0.5})});
  check_each(reduced({"torch.poisson_nll_loss(x, y, True, False, 1e-8, $r)",
                      "torch.poisson_nll_loss(x, y, True, True, 1e-8, $r)",
                      "torch.poisson_nll_loss(x.abs(), y, False, False, 1e-2, $r)",
                      "torch.poisson_nll_loss(x.abs(), y, False, True, 1e-2, $r)"}),
             {randn({2, 3}, 12), values({2, 3}, {0, 1, 2, 3, 7, 20})});
}

TEST_CASE("negative log likelihood of classes") {
  const std::vector<std::string> forms =
      reduced({"torch.nll_loss(x, y, None, $r)", "torch.nll_loss(x, y, None, $r, 2)",
               "torch.nll_loss(x, y, z, $r)", "torch.nll_loss(x, y, z, $r, 0)",
               "torch.nll_loss_nd(x, y, z, $r, -100)"});
  const ir::Tensor weight = uniform({4}, 0.2, 2, 13);
  check_each(forms, {kX, values({3}, {0, 2, 3}, DType::i64), weight});
  check_each(forms, {randn({4}, 14), values({}, {2}, DType::i64), weight});
  check_each({"torch.nll_loss(x, y)", "torch.nll_loss(x, y, z, 0)"},
             {kX, values({3}, {0, -100, 3}, DType::i64), weight});
  check_each(reduced({"torch.nll_loss2d(x, y, z, $r, 1)", "torch.nll_loss_nd(x, y, z, $r, 1)"}),
             {randn({2, 4, 3, 2}, 15), randint({2, 3, 2}, 0, 4, 16), weight});
  check_each(
      {"torch.nll_loss2d_forward(x, y, z, 1, 1)", "torch.nll_loss2d_forward(x, y, z, 2, -100)",
       "torch.nll_loss2d_forward(x, y, None, 0, 1)[0]"},
      {randn({2, 4, 3, 2}, 15), randint({2, 3, 2}, 0, 4, 16), weight});
  check_each(reduced({"torch.nll_loss_nd(x, y, z, $r, 1)"}),
             {randn({2, 4, 3}, 15), randint({2, 3}, 0, 4, 16), weight});
  check_each({"torch.nll_loss_forward(x, y, z, 1, -100)", "torch.nll_loss_forward(x, y, z, 2, 0)",
              "torch.nll_loss_forward(x, y, z, 0, 0)[0]"},
             {kX, values({3}, {0, 2, 3}, DType::i64), weight});
}

TEST_CASE("cross entropy of classes") {
  const std::vector<std::string> forms = reduced(
      {"torch.cross_entropy_loss(x, y, None, $r)", "torch.cross_entropy_loss(x, y, z, $r)",
       "torch.cross_entropy_loss(x, y, None, $r, 1)", "torch.cross_entropy_loss(x, y, z, $r, 1)",
       "torch.cross_entropy_loss(x, y, None, $r, -100, 0.1)",
       "torch.cross_entropy_loss(x, y, z, $r, 1, 0.3)"});
  const ir::Tensor weight = uniform({4}, 0.2, 2, 17);
  check_each(forms, {kX, values({3}, {0, 1, 3}, DType::i64), weight});
  check_each(forms, {randn({4}, 18), values({}, {2}, DType::i64), weight});
  check_each(forms, {randn({2, 4, 3, 2}, 19), randint({2, 3, 2}, 0, 4, 20), weight});
  check_each({"torch.cross_entropy_loss(x, y, None, 1)"},
             {randn({2, 4}, 18, DType::f16), values({2}, {1, 3}, DType::i64)}, 4e-3);
  check_each({"torch.cross_entropy_loss(x, y, None, 1)"},
             {randn({2, 4}, 18, DType::f64), values({2}, {1, 3}, DType::i64)}, 1e-12);
}

TEST_CASE("cross entropy of probabilities") {
  const std::vector<std::string> forms =
      reduced({"torch.cross_entropy_loss(x, y, None, $r)", "torch.cross_entropy_loss(x, y, z, $r)",
               "torch.cross_entropy_loss(x, y, z, $r, -100, 0.2)"});
  const ir::Tensor weight = uniform({4}, 0.2, 2, 21);
  check_each(forms, {kX, uniform({3, 4}, 0, 1, 22), weight});
  check_each(forms, {randn({4}, 23), uniform({4}, 0, 1, 24), weight});
  check_each(forms, {randn({2, 4, 3}, 25), uniform({2, 4, 3}, 0, 1, 26), weight});
}

TEST_CASE("margins of one class and of several") {
  const ir::Tensor weight = uniform({4}, 0.2, 2, 27);
  const std::vector<std::string> one = reduced({"torch.multi_margin_loss(x, y, 1, 1.0, None, $r)",
                                                "torch.multi_margin_loss(x, y, 2, 0.5, z, $r)"});
  check_each(one, {kX, values({3}, {0, 2, 3}, DType::i64), weight});
  check_each(one, {randn({4}, 28), values({}, {2}, DType::i64), weight});
  const std::vector<std::string> several = reduced(
      {"torch.multilabel_margin_loss(x, y, $r)", "torch.multilabel_margin_loss_forward(x, y, $r)"});
  check_each(several, {kX, values({3, 4}, {3, 0, -1, 1, -1, 1, 2, 3, 0, 1, 2, 3}, DType::i64)});
  check_each(several, {randn({4}, 29), values({4}, {1, 2, -1, 3}, DType::i64)});
}

TEST_CASE("losses without a translation are refused") {
  const std::vector<ir::Tensor> inputs = {randn({3, 2, 4}, 30), randint({2, 2}, 1, 3, 31),
                                          values({2}, {3, 3}, DType::i64)};
  const auto refused = [&](const std::string& op, const std::string& expression) {
    check_refused(
        expression, inputs,
        "error[unsupported-op]: aten::" + op +
            " has no translation for TARGET\n"
            "  --> the model (Model)\n"
            "  why:  it sums over alignments whose number depends on the lengths in the data\n"
            "  help: export the model without its loss\n");
  };
  refused("ctc_loss.IntList", "torch.ctc_loss(x, y, [3, 3], [2, 2])");
  refused("ctc_loss.IntList", "torch.ctc_loss(x, y, [3, 3], [2, 2], 3, 2, True)");
  refused("ctc_loss.Tensor", "torch.ctc_loss(x, y, z, z - 1, 3, 2, True)");
  refused("_ctc_loss", "torch._ctc_loss(x, y, [3, 3], [2, 2], 3, True)[0]");
  refused("_ctc_loss.Tensor", "torch._ctc_loss(x, y, z, z - 1, 3, True)[0]");
}

}  // namespace
}  // namespace t2n::test::loss_tests

// SPDX-License-Identifier: Apache-2.0
// Einsums, Fourier transforms, resampling and attention, against values worked out by hand.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/interp/agree.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using ir::DType;

void check_einsum(const std::string& expression, const std::vector<ir::Tensor>& inputs,
                  const ir::Tensor& expected, const std::string& acc = "f32") {
  const std::string names = inputs.size() == 1 ? "x" : inputs.size() == 2 ? "x, y" : "x, y, z";
  check_agree({"out = tract_core_einsum([" + names + "], expr = '" + expression + "', acc = '" +
                   acc + "');",
               inputs},
              {expected});
}

TEST_CASE("einsums of one, two and three tensors") {
  const ir::Tensor a = f32({2, 2}, {1, 2, 3, 4}), b = f32({2, 2}, {1, 0, 2, 1});
  check_einsum("ij,jk->ik", {a, b}, f32({2, 2}, {5, 2, 11, 4}));
  check_einsum("Ij , kj -> kI", {a, b}, f32({2, 2}, {1, 3, 4, 10}));
  check_einsum("ij->ji", {a}, f32({2, 2}, {1, 3, 2, 4}));
  check_einsum("ij->i", {a}, f32({2}, {3, 7}));
  check_einsum("ii->i", {a}, f32({2}, {1, 4}));
  check_einsum("ij->kij", {a}, f32({1, 2, 2}, {1, 2, 3, 4}));
  check_einsum("ij,jk,k->i", {a, b, f32({2}, {1, 10})}, f32({2}, {25, 51}));
  check_einsum("ij,ij->", {a, b}, f32({}, {11}));
  check_einsum("ij,j->ij", {a, f32({1}, {2})}, f32({2, 2}, {2, 4, 6, 8}));
}

TEST_CASE("an einsum has the type that it adds up in") {
  const ir::Tensor a = values({1, 2}, {100, 100}, DType::i8);
  check_einsum("ij,kj->ik", {a, a}, values({1, 1}, {20000}, DType::i32), "i32");
  check_einsum("ij,kj->ik", {a, a}, values({1, 1}, {32}, DType::i8), "i8");
  const ir::Tensor h = values({1, 2}, {1, 2}, DType::f16);
  check_einsum("ij,kj->ik", {h, h}, f32({1, 1}, {5}), "f32");
  check_einsum("ij,kj->ik", {h, h}, values({1, 1}, {5}, DType::f16), "f16");
  check_einsum("ij->i", {values({1, 2}, {1, 9007199254740992}, DType::i64)},
               ir::tensor_of<int64_t>(DType::i64, {1}, {9007199254740993}), "i64");
  check_refused_here(
      {"out = tract_core_einsum([x], expr = 'i...->i', acc = 'f32');", {f32({1}, {1})}},
      "only letters");
}

TEST_CASE("Fourier transforms of pairs are not divided") {
  const ir::Tensor x = f32({3, 2}, {0, 1, 2, 3, 4, 5});
  check_agree({"out = tract_core_fft(x, axis = 0, inverse = false);", {x}},
              {f32({3, 2}, {6, 9, -4.7320508, -1.2679492, -1.2679492, -4.7320508})}, 1e-5);
  check_agree({"out = tract_core_fft(x, axis = 0, inverse = true);", {x}},
              {f32({3, 2}, {6, 9, -1.2679492, -4.7320508, -4.7320508, -1.2679492})}, 1e-5);
  check_agree({"out = tract_core_stft(x, axis = 0, frame = 2, stride = 1);", {x}},
              {f32({2, 2, 2}, {2, 4, -2, -2, 6, 8, -2, -2})});
  check_agree({"out = tract_core_stft(x, axis = 0, frame = 3, stride = 1, window = [2.0]);", {x}},
              {f32({1, 3, 2}, {4, 6, 3.1961524, -6.4641016, -7.1961524, 0.4641016})}, 1e-5);
}

void check_resize(const std::string& arguments, const ir::Tensor& x,
                  const std::vector<double>& expected) {
  const auto size = static_cast<int64_t>(expected.size());
  check_agree({"out = tract_core_resize(x, " + arguments + ");", {x}},
              {f32({1, 1, size}, expected)}, 1e-5);
}

TEST_CASE("resize by scales and sizes") {
  const ir::Tensor x = f32({1, 1, 3}, {0, 1, 2});
  check_resize("scales = [1.0, 1.0, 2.0], interpolator = 'linear'", x,
               {0, 0.25, 0.75, 1.25, 1.75, 2});
  check_resize("sizes = [1, 1, 5], interpolator = 'linear', coord_transformer = 'align_corners'", x,
               {0, 0.5, 1, 1.5, 2});
  check_resize("sizes = [1, 1, 5], interpolator = 'cubic', coord_transformer = 'align_corners'", x,
               {0, 0.40625, 1, 1.59375, 2});
  check_resize("sizes = [1, 1, 6], coord_transformer = 'asymmetric'", x, {0, 0, 1, 1, 2, 2});
  check_resize("sizes = [1, 1, 2], nearest_mode = 'round_prefer_ceil'", x, {0, 2});
  check_resize(
      "sizes = [1, 1, 1], coord_transformer = 'pytorch_half_pixel', interpolator = "
      "'linear'",
      x, {0});
  check_resize(
      "sizes = [1, 1, 2], coord_transformer = 'tf_half_pixel_for_nn', interpolator = "
      "'linear'",
      x, {0.75, 2});
  check_same({"out = tract_core_resize(x, sizes = [1, 2, 7, 5], interpolator = 'cubic');",
              {randn({1, 2, 4, 6}, 1)}});
  check_same(
      {"out = tract_core_resize(x, scales = [1.0, 1.0, 0.6, 1.7], interpolator = 'linear', "
       "coord_transformer = 'half_pixel_symmetric');",
       {randn({1, 2, 5, 6}, 1)}});
}

TEST_CASE("the resize of ONNX") {
  const std::string start = "out = tract_onnx_resize(x, scales = [1.0, 1.0, 0.5, 1.5], ";
  const ir::Tensor x = randn({1, 2, 6, 4}, 3);
  for (const char* arguments :
       {"interpolator = 'linear');", "interpolator = 'nearest', nearest_mode = 'ceil');",
        "interpolator = 'nearest', nearest_mode = 'round_prefer_floor');",
        "interpolator = 'cubic', cubic_coeff_a = -0.5);",
        "interpolator = 'cubic', exclude_outside = true);",
        "interpolator = 'linear', antialias = true);",
        "interpolator = 'cubic', antialias = true);"})
    check_same({start + arguments, {x}});
}

TEST_CASE("grid_sample in one, two and three dimensions") {
  const ir::Tensor x = f32({1, 1, 2, 2}, {1, 2, 3, 4});
  const ir::Tensor grid = f32({1, 1, 2, 2}, {0, 0, 1, -1});
  check_agree({"out = tract_core_grid_sample(x, y);", {x, grid}}, {f32({1, 1, 1, 2}, {2.5, 0.5})});
  check_agree({"out = tract_core_grid_sample(x, y, align_corners = true);", {x, grid}},
              {f32({1, 1, 1, 2}, {2.5, 2})});
  const ir::Tensor picture = randn({2, 3, 5, 4}, 5), places = uniform({2, 4, 6, 2}, -1.3, 1.3, 6);
  for (const char* mode : {"bilinear", "nearest", "bicubic"})
    for (const char* padding : {"zeros", "border", "reflection"})
      for (const char* align : {"true", "false"}) {
        if (std::string(mode) == "bicubic" && std::string(padding) != "zeros") continue;
        check_same({cat("out = tract_core_grid_sample(x, y, mode = '", mode, "', padding_mode = '",
                        padding, "', align_corners = ", align, ");"),
                    {picture, places}});
      }
  check_same({"out = tract_core_grid_sample(x, y);",
              {randn({1, 2, 3, 4, 5}, 7), uniform({1, 2, 2, 3, 3}, -1.2, 1.2, 8)}});
  check_same(
      {"out = tract_core_grid_sample(x, y);",
       {randn({1, 2, 3, 4}, 7, DType::f64), uniform({1, 2, 3, 2}, -1.2, 1.2, 8, DType::f64)}});
  check_same({"out = tract_core_grid_sample(x, y);",
              {randn({1, 2, 5}, 7), uniform({1, 4, 1}, -1.2, 1.2, 8)}});
}

TEST_CASE("rotary embeddings turn the halves of the last axis") {
  check_agree(
      {"out = tract_transformers_apply_rope(x, y, z);",
       {f32({1, 4}, {0, 1, 2, 3}), f32({1, 4}, {1, 2, 3, 4}), f32({1, 4}, {10, 20, 30, 40})}},
      {f32({1, 4}, {-20, -58, 6, 52})});
  const ir::Tensor row = f32({4}, {1, 2, 3, 4}), rows = f32({1, 4}, {1, 2, 3, 4});
  check_refused_here({"out = tract_transformers_apply_rope(x, y, z);", {rows, row, rows}},
                     "the ranks are 2, 1 and 2");
  check_refused_here({"out = tract_transformers_apply_rope(x, y, z);", {rows, rows, row}},
                     "the ranks are 2, 2 and 1");
}

TEST_CASE("a softmax of scaled and masked scores") {
  const std::string call = "out = tract_transformers_scaled_masked_softmax(x, y, scale = 2.0);";
  check_agree({call, {f32({1, 3}, {1, 1, 1}), f32({1, 3}, {0, 1, -1})}},
              {f32({1, 3}, {0.2447284711, 0.6652409558, 0.0900305732})});
  check_agree({call, {f32({1, 3}, {0, 5, 0}), values({1, 3}, {1, 0, 1}, DType::boolean)}},
              {f32({1, 3}, {0.5, 0, 0.5})});
  check_agree({"out = tract_transformers_scaled_masked_softmax(x, y, scale = 1.0, "
               "post_softmax_mask = true);",
               {f32({1, 2}, {3, 1}), values({1, 2}, {1, 0}, DType::boolean)}},
              {f32({1, 2}, {1, 0})});
}

std::string sdpa(const std::string& inputs, const std::string& arguments = "is_causal = false") {
  return "out = tract_transformers_sdpa(" + inputs +
         ", datum_type = 'f32', acc_datum_type = 'f32', " + arguments + ");";
}

TEST_CASE("attention") {
  const ir::Tensor zero = f32({1, 2, 1}, {0, 0}), v = f32({1, 2, 1}, {2, 4});
  check_agree({sdpa("x, y, z"), {zero, zero, v}}, {f32({1, 2, 1}, {3, 3})});
  check_agree({sdpa("x, y, z", "is_causal = true"), {zero, zero, v}}, {f32({1, 2, 1}, {2, 3})});
  check_agree({sdpa("x, y, z", "is_causal = true"), {f32({1, 1, 1}, {0}), zero, v}},
              {f32({1, 1, 1}, {3})});
  check_agree(
      {sdpa("x, y, z, w"), {zero, zero, v, f32({2, 2}, {0, 1.0986122887, 0, 1.0986122887})}},
      {f32({1, 2, 1}, {3.5, 3.5})});
  const ir::Tensor q = randn({2, 4, 3, 8}, 1), k = randn({2, 2, 5, 8}, 2),
                   values = randn({2, 2, 5, 8}, 3);
  check_same({sdpa("x, y, z"), {q, k, values}});
  check_same({sdpa("x, y, z", "is_causal = true, scale = 0.25"), {q, k, values}});
  check_same({sdpa("x, y, z, w"), {q, k, values, randn({2, 1, 3, 5}, 4)}});
}

}  // namespace
}  // namespace t2n::test

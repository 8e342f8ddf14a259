// SPDX-License-Identifier: Apache-2.0
// Products with weights of 8 and 4 bits that bring their scales along.
#include "tests/ops/check_script.h"

namespace t2n::test::packed_matrices_tests {
namespace {

using ir::DType;

/// Rows for each kind of block that LibTorch packs in, and some that are left over.
constexpr int64_t kRows = 112;
const Parameters kInt4 = {{"w", randint({kRows, 64}, 0, 16, 1, DType::i32)},
                          {"s", randn({2, kRows, 2}, 2)},
                          {"h", randn({2, kRows, 2}, 2, DType::f16)}};
const std::string kPacked = "torch._convert_weight_to_int4pack_for_cpu(self.w, 2)";

TEST_CASE("weights of 4 bits have a scale and a zero for each group") {
  check_with(kInt4, {"torch._weight_int4pack_mm_for_cpu(x, " + kPacked + ", 32, self.s)"},
             {randn({5, 64}, 3)}, 1e-4);
  check_with(kInt4, {"torch._weight_int4pack_mm_for_cpu(x, " + kPacked + ", 32, self.h)"},
             {randn({5, 64}, 3, DType::f16)}, 4e-3);
}

TEST_CASE("weights of 8 bits have a scale for each row") {
  const Parameters parameters = {{"w", randint({7, 24}, -128, 128, 1, DType::i8)},
                                 {"s", uniform({7}, 0.01, 0.1, 2)},
                                 {"h", uniform({7}, 0.01, 0.1, 2, DType::f16)}};
  check_with(parameters, {"torch._weight_int8pack_mm(x, self.w, self.s)"}, {randn({5, 24}, 3)},
             1e-5);
  check_with(parameters, {"torch._weight_int8pack_mm(x, self.w, self.h)"},
             {randn({5, 24}, 3, DType::f16)}, 4e-3);
  check_each({"torch._weight_int8pack_mm(x, y, z)"},
             {randn({5, 24}, 3), randint({7, 24}, -128, 128, 1, DType::i8), uniform({7}, 0, 1, 2)});
}

TEST_CASE("weights of 4 bits take rows that are quantised by their own range") {
  const Parameters parameters = {{"w", randint({6, 32}, 0, 256, 1, DType::u8)},
                                 {"whole", uniform({6, 1}, 0.01, 0.1, 2)},
                                 {"blocks", uniform({6, 2}, 0.01, 0.1, 3)},
                                 {"b", randn({6}, 4)}};
  std::vector<std::string> forms;
  for (const std::string bias : {"None", "self.b"}) {
    for (const std::string& sizes :
         {std::string("self.whole, 64"), std::string("self.blocks, 32")}) {
      const std::string block = sizes.substr(sizes.size() - 2);
      const std::string scales = sizes.substr(0, sizes.size() - 4);
      forms.push_back("torch._dyn_quant_matmul_4bit(x, torch._dyn_quant_pack_4bit_weight(self.w, " +
                      scales + ", " + bias + ", " + block + ", 64, 6), " + block + ", 64, 6)");
    }
  }
  // Rows of one sign, of zeros, and with halves to round.
  const ir::Tensor halves = values({1, 64}, [] {
    std::vector<double> out(64, 0.5);
    for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(i) / 2 - 10.5;
    out[0] = -128;
    out[1] = 127;
    return out;
  }());
  for (const ir::Tensor& x :
       {randn({5, 64}, 5), uniform({3, 64}, 1, 2, 6), uniform({3, 64}, -2, -1, 7),
        values({1, 64}, std::vector<double>(64, 0)), halves})
    check_with(parameters, forms, {x});
}

TEST_CASE("packed weights that are no constants are refused") {
  const Script model = with_parameters(
      "torch._weight_int4pack_mm_for_cpu(x, torch._convert_weight_to_int4pack_for_cpu(y, 2), 32, "
      "self.s)",
      2, kInt4);
  const std::vector<ir::Tensor> inputs = {randn({5, 64}, 3),
                                          randint({kRows, 64}, 0, 16, 1, DType::i32)};
  for (const target::Target& target : test_targets())
    CHECK_NE(export_error(model, inputs, target).find("its weight depends on inputs"),
             std::string::npos);
}

}  // namespace
}  // namespace t2n::test::packed_matrices_tests

// SPDX-License-Identifier: Apache-2.0
// Guards of operators: what fits passes, what LibTorch would trust is refused.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

/// Id and reason with which tracing an expression of x [4] ends; "" where it is recorded.
std::string end_of(const std::string& expression) {
  const auto session =
      torch_module().compile({cat("def forward(self, x):\n  return ", expression, "\n"), {}});
  try {
    torch_module().trace(*session, {{.path = {"x"}, .value = randn({4}, 1)}}, {});
  } catch (const Error& error) {
    return cat(error.diagnostic().id, ": ", error.diagnostic().why);
  }
  return {};
}

const std::string kScales = "unsafe-argument: there is not one scale for each channel";

TEST_CASE("a tensor has as many scales as channels") {
  const auto quantised = [](int count) {
    return end_of(script("torch.quantize_per_channel(x, torch.ones([$n]), torch.zeros([$n]), 0, "
                         "13).dequantize()",
                         count)
                      .source);
  };
  CHECK_EQ(quantised(4).substr(0, 17), "unsupported-dtype");
  CHECK_EQ(quantised(1), kScales);
  CHECK_EQ(quantised(5), kScales);
}

TEST_CASE("an observer of rows has a scale for each row; one that is on is refused") {
  const auto observed = [](bool by_row) {
    return end_of(
        script("torch.fused_moving_avg_obs_fake_quant(x, torch.tensor([0 if $by_row else 1]), "
               "torch.ones([1]),"
               " torch.zeros([1]), torch.ones([1]), torch.ones([1]), "
               "torch.zeros([1], dtype=3), 0.1, 0, 255, 0, $by_row, False)",
               by_row)
            .source);
  };
  CHECK_EQ(observed(true), kScales);
  CHECK_EQ(observed(false).substr(0, 19), "unsupported-inplace");
}

TEST_CASE("indices of bags are whole numbers of rows") {
  const auto bag = [](const char* indices) {
    return end_of(
        script("torch.embedding_bag(torch.ones([2, 4]), torch.tensor($i), torch.tensor([0]))[0]",
               indices)
            .source);
  };
  CHECK_EQ(bag("[0, 1]"), "");
  for (const char* indices : {"[2]", "[0, -1]", "[True]"})
    CHECK_EQ(bag(indices), "unsafe-argument: an index is beyond the rows");
}

TEST_CASE("rows with their scales have the length that their operator reads") {
  const auto bag = [](const char* table, const char* rest) {
    return end_of(script("ops.quantized.embedding_bag_byte_rowwise_offsets(torch.ones($table), "
                         "torch.tensor([0, 1]), torch.tensor([0])$rest)",
                         table, rest)
                      .source);
  };
  const std::string kNoRows =
      "unsafe-argument: its table has no rows of bytes that end with a scale";
  CHECK_EQ(bag("[2, 12], dtype=0", ""), "");
  CHECK_EQ(bag("[2, 8], dtype=0", ""), kNoRows);
  CHECK_EQ(bag("[2, 12]", ""), kNoRows);
  CHECK_EQ(bag("[24], dtype=0", ""), kNoRows);
  CHECK_EQ(bag("[1, 12], dtype=0", ""), "unsafe-argument: an index is beyond the rows");
  CHECK_EQ(
      bag("[2, 12], dtype=0", ", False, 0, True, None, torch.tensor([0, 9], dtype=3)"),
      "unsafe-argument: rows of its table were pruned, and LibTorch does not check the list of "
      "pruned rows");
  CHECK_EQ(bag("[2, 12], dtype=0", ", False, 0, False, torch.ones([1])"),
           "unsafe-argument: there is not one weight for each index");
  CHECK_EQ(end_of("ops.quantized.embedding_bag_4bit_unpack(torch.ones([2, 4], dtype=0))"), kNoRows);
  CHECK_EQ(end_of("ops.quantized.embedding_bag_2bit_prepack(torch.ones([2, 6]))"),
           "unsafe-argument: the rows of its table do not fill whole bytes");
  CHECK_EQ(end_of("ops.quantized.embedding_bag_4bit_prepack(torch.ones([2, 6]), True, 100000000)"),
           "unsafe-argument: its number of bins is out of range");
}

TEST_CASE("packed matrices have the scales that their operators read") {
  const auto int4 = [](const char* x, const char* scales) {
    return end_of(script("torch._weight_int4pack_mm_for_cpu(torch.ones($x), torch.ones([16, 32], "
                         "dtype=0), 32, torch.ones($scales))",
                         x, scales)
                      .source);
  };
  CHECK_EQ(int4("[1, 64]", "[2, 16, 2]"), "");
  for (const char* scales : {"[1, 16, 2]", "[2, 15, 2]", "[2, 16, 1]", "[2, 16, 2], dtype=7"})
    CHECK_EQ(int4("[1, 64]", scales),
             "unsafe-argument: there is not one scale and zero point for each group of each row "
             "of its weight");
  CHECK_EQ(int4("[1, 32]", "[1, 16, 2]"), "unsafe-argument: its weight does not fit its operand");
  const auto int8 = [](const char* scales) {
    return end_of(script("torch._weight_int8pack_mm(torch.ones([1, 8]), torch.ones([3, 8], "
                         "dtype=1), $scales)",
                         scales)
                      .source);
  };
  CHECK_EQ(int8("torch.ones([3])"), "");
  for (const char* scales : {"torch.ones([2])", "torch.ones([1]).expand([3])"})
    CHECK_EQ(int8(scales), "unsafe-argument: there is not one scale for each row of its weight");
  const auto own = [](const char* packed, const char* sizes) {
    return end_of(script("torch._dyn_quant_matmul_4bit(torch.ones([1, 64]), torch.ones($packed), "
                         "$sizes)",
                         packed, sizes)
                      .source);
  };
  CHECK_EQ(own("[66]", "64, 64, 2"), "");
  CHECK_EQ(own("[65]", "64, 64, 2"),
           "unsafe-argument: its weights are not packed for these features");
  CHECK_EQ(own("[66]", "0, 64, 2"), "unsafe-argument: its columns do not fill blocks of 32");
  CHECK_EQ(own("[66]", "64, 64, 4611686018427387904"),
           "unsafe-argument: its numbers of features are not those of a matrix");
  CHECK_EQ(end_of("torch._convert_weight_to_int4pack_for_cpu(torch.ones([8, 4], dtype=3), 1)"),
           "unsafe-argument: its weight is not i32, or does not fill blocks of 16 rows");
}

TEST_CASE("quantised dtypes are only allowed where quantised tensors are made") {
  CHECK_EQ(end_of("torch.ones([2], dtype=6)"), "");
  for (const char* dtype : {"12", "13", "-2", "14", "1000"})
    CHECK_EQ(end_of(script("torch.ones([2], dtype=$dtype)", dtype).source).substr(0, 15),
             "unsafe-argument");
  CHECK_EQ(end_of("torch.quantize_per_tensor(x, 1., 0, -2)").substr(0, 15), "unsafe-argument");
}

TEST_CASE("a cast that changes nothing returns the tensor, or a copy on request") {
  const auto both = [](const char* arguments) {
    const auto session = torch_module().compile(
        {script("def forward(self, x):\n  y = x * 1\n  z = y.to($arguments)\n  z.add_(1)\n"
                "  return y, z\n",
                arguments)
             .source,
         {}});
    const auto out = torch_module().run(*session, {{.path = {"x"}, .value = randn({4}, 1)}});
    return ir::same_values(out.at(0), out.at(1));
  };
  for (const char* arguments : {"copy=False", "False, False", "True, False"})
    CHECK(both(arguments));
  for (const char* arguments : {"copy=True", "False, True"}) CHECK_FALSE(both(arguments));
}

TEST_CASE("the text of a value is bounded by everything in it") {
  const std::string limit = "trace-limit: no model needs that";
  const auto shown = [](const std::string& value) {
    return end_of(cat("x + len('{}'.format(", value, "))"));
  };
  CHECK_EQ(shown("{'a': 1, 'b': 2}"), "");
  for (const std::string holder : {"{'a': $}", "[$]", "(1, $)"}) {
    CAPTURE(holder);
    std::string large = holder;
    CHECK_EQ(shown(large.replace(large.find('$'), 1, "torch.ones([3000000])")), limit);
  }
}

}  // namespace
}  // namespace t2n::test

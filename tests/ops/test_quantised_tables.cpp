// SPDX-License-Identifier: Apache-2.0
// Tables of small integers: packed by LibTorch or as rows of bytes, one row or bags of rows.
#include "tests/ops/check_script.h"

namespace t2n::test::quantised_tables_tests {
namespace {

using ir::DType;

const Parameters kTable = {{"w", randn({10, 8}, 1)},
                           {"s", uniform({10}, 0.05, 0.2, 2)},
                           {"z", uniform({10}, 1, 9, 3)},
                           {"i", values({2, 3}, {4, 9, 0, 1, 1, 7}, DType::i64)},
                           {"o", values({3}, {0, 2, 2}, DType::i64)}};
const ir::Tensor kIds = values({7}, {4, 4, 1, 9, 2, 0, 7}, DType::i64);
const ir::Tensor kOffsets = values({4}, {0, 2, 2, 6}, DType::i64);
const ir::Tensor kEnds = values({4}, {0, 2, 2, 7}, DType::i64);
const ir::Tensor kWeights = randn({7}, 4);

/// LibTorch's object for tables of 8 and 4 bits.
std::string packed(const std::string& type) {
  return "ops.quantized.embedding_bag_prepack(torch.quantize_per_channel(self.w, self.s, self.z, "
         "0, " +
         std::string(type == "byte" ? "13" : "16") + "))";
}

TEST_CASE("one row for each index") {
  for (const std::string type : {"byte", "4bit"}) {
    const std::string call = "ops.quantized.embedding_" + type + "(" + packed(type) + ", ";
    check_with(kTable, {call + "x)", call + "x, False)", call + "x.reshape([7, 1]), False)"},
               {kIds});
    check_with(kTable, {call + "self.i)"}, {kIds});
    check_with(kTable, {call + "x)"}, {values({2}, {9, 0}, DType::i32)});
  }
}

/// What every bag of a table can be given, behind the table.
std::vector<std::string> bags(const std::string& begin) {
  std::vector<std::string> out;
  for (const char* rest :
       {"x, y)", "x, y, False, 0, False, z)", "x, y, True, 1, False, None, None, False)",
        "x, y, False, 2, False, z, None, False)", "x, self.o)", "x, self.o, False, 0, False, z)",
        "self.i)", "self.i, None, False, 0, False, None, None, False)"})
    out.push_back(begin + rest);
  return out;
}

void check_bags_of(const Parameters& parameters, const std::string& begin) {
  check_with(parameters, bags(begin), {kIds, kOffsets, kWeights});
  check_with(parameters, {begin + "x, y, False, 0, False, z, None, True)"},
             {kIds, kEnds, kWeights});
  check_with(
      parameters, {begin + "x, y)"},
      {values({7}, {4, 4, 1, 9, 2, 0, 7}, DType::i32), values({4}, {0, 2, 2, 6}, DType::i32)});
}

TEST_CASE("sums of rows of a packed table") {
  for (const std::string type : {"byte", "4bit"})
    check_bags_of(kTable, "ops.quantized.embedding_bag_" + type + "(" + packed(type) + ", ");
}

TEST_CASE("sums of rows that are bytes, which the model packs or holds") {
  for (const std::string type : {"byte", "4bit", "2bit"}) {
    const std::string prefix = "ops.quantized.embedding_bag_" + type;
    check_bags_of(kTable, prefix + "_rowwise_offsets(" + prefix + "_prepack(self.w), ");
    const std::string unpacked = prefix + "_unpack(" + prefix + "_prepack(self.w))";
    check_with(kTable, {unpacked + " + x", "torch.embedding(" + unpacked + ", y)"},
               {randn({10, 8}, 5), kIds});
  }
  // 0.5 and -1 behind the codes, as f32 or f16.
  const Parameters bytes = {{"t", values({2, 11}, {3, 200, 7,   0, 0, 0, 63, 0, 0, 128, 191,  //
                                                   1, 2,   255, 0, 0, 0, 63, 0, 0, 128, 191},
                                         DType::u8)}};
  check_with(bytes, {"ops.quantized.embedding_bag_byte_rowwise_offsets(self.t, x, y)"},
             {values({3}, {1, 0, 1}, DType::i64), values({2}, {0, 1}, DType::i64)});
  const Parameters halves = {
      {"t",
       values({2, 6}, {0x21, 0xF3, 0, 0x38, 0, 0xBC, 0x0F, 0x70, 0, 0x38, 0, 0xBC}, DType::u8)}};
  for (const std::string type : {"4bit", "2bit"})
    check_with(halves, {"ops.quantized.embedding_bag_" + type + "_rowwise_offsets(self.t, x, y)"},
               {values({3}, {1, 0, 1}, DType::i64), values({2}, {0, 1}, DType::i64)});
}

TEST_CASE("a table keeps one byte for each code in the file") {
  const Script model = with_parameters(
      "ops.quantized.embedding_bag_4bit_rowwise_offsets(ops.quantized.embedding_bag_4bit_prepack("
      "self.w), x, y)",
      2, kTable);
  const Run run = export_and_run(model, {kIds, kOffsets}, target::parse_target("tract"));
  CHECK_CLOSE(run, rel(1e-5));
  CHECK(run.nnef.find("tract_core_cast") != std::string::npos);
}

TEST_CASE("tables that are no constants, and pruned ones, are refused") {
  const auto check_error = [&](const std::string& expression, const std::vector<ir::Tensor>& inputs,
                               const char* text) {
    const Script model = with_parameters(expression, inputs.size(), kTable);
    for (const target::Target& target : test_targets())
      CHECK_NE(export_error(model, inputs, target).find(text), std::string::npos);
  };
  const std::string bag = "ops.quantized.embedding_bag_byte_rowwise_offsets(";
  check_error(bag + "ops.quantized.embedding_bag_byte_prepack(z), x, y)",
              {kIds, kOffsets, randn({10, 8}, 6)}, "its table depends on inputs");
  const std::string pruned = ", x, y, False, 0, True)";
  const std::string mapped = ", x, y, False, 0, False, None, torch.arange(10, dtype=3))";
  for (const std::string type : {"2bit", "4bit", "byte"}) {
    const std::string prefix = "ops.quantized.embedding_bag_" + type;
    const std::string rows = prefix + "_rowwise_offsets(" + prefix + "_prepack(self.w)";
    check_error(rows + pruned, {kIds, kOffsets}, "rows of its table were pruned");
    check_error(rows + mapped, {kIds, kOffsets}, "rows of its table were pruned");
    if (type == "2bit") continue;
    check_error(prefix + "(" + packed(type) + pruned, {kIds, kOffsets},
                "rows of its table were pruned");
    check_error(prefix + "(" + packed(type) + mapped, {kIds, kOffsets},
                "rows of its table were pruned");
    check_error("ops.quantized.embedding_" + type + "(" + packed(type) + ", x, True)", {kIds},
                "rows of its table were pruned");
  }
}

}  // namespace
}  // namespace t2n::test::quantised_tables_tests

// SPDX-License-Identifier: Apache-2.0
// Integers that strict NNEF computes: which may leave the exact ones of f32, said with the inputs.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "src/export/pipeline.h"
#include "src/model/torch_module.h"
#include "src/translate/integer_range.h"
#include "tests/support/script.h"

namespace t2n::test::integers_tests {
namespace {

using ir::DType;

/// What an export of `forward(self, x, y, t)` says, of inputs with these ranges: "warning: …", or
/// the error. x and y are i64[2,3] or of `dtype`, t f32[4,3].
std::string said(const std::string& result, const ops::InputRanges& ranges = {},
                 DType dtype = DType::i64, const std::string& target = "khronos") {
  const std::string source = cat("def forward(self, x, y, t):\n  return ", result);
  const auto session = torch_module().compile({source, {}});
  const std::vector<trace::SampleInput> inputs = {{{"x"}, randint({2, 3}, 0, 3, 1, dtype)},
                                                  {{"y"}, randint({2, 3}, 1, 3, 2, dtype)},
                                                  {{"t"}, randn({4, 3}, 3)}};
  trace::Traced traced = torch_module().trace(*session, inputs, {});
  traced.graph.attributes[ops::kInputRanges] = ranges;
  std::string out;
  const Report report = [&](const Diagnostic& diagnostic) {
    if (diagnostic.id != "integer-range") return;
    out +=
        cat(diagnostic.severity == Severity::warning ? "warning: " : "note: ", diagnostic.message);
  };
  try {
    to_nnef(traced.graph, target::parse_target(target), {}, report);
  } catch (const Error& error) {
    out += cat(error.diagnostic().id, ": ", error.diagnostic().message);
  }
  return out;
}

/// The warning of integers that are exact up to `limit`.
std::string exact(const std::string& sources, int64_t limit, const std::string& op) {
  return cat(limit < 8388608 ? "warning: " : "note: ", "integers are exact only for ", sources,
             " within ", -limit, "..", limit, ": ", op, " goes beyond 2^24");
}

}  // namespace

TEST_CASE("counts, indices and small integers cause no message") {
  for (const char* result : {"x.reshape(3, 2), torch.cat([x, y])",
                             "x > y",
                             "t.argmax(1) * 3 + 1",
                             "t.sort(1)[1] + 2",
                             "t.topk(2, 1)[1] * 4",
                             "torch.arange(3) + (t > 0).sum()",
                             "(x != y).cumsum(1) * 2 + 1",
                             "(t > 0).to(4) * 1000",
                             "x // 2",
                             "x % 1000 * 16000",
                             "x.clamp(0, 100) * x.clamp(-9, 9)",
                             "torch.where(t[0] > 0, 1, 0) + 1",
                             "x.to(6) * y.to(6)",
                             "torch.abs(x)",
                             "torch.maximum(x, y)",
                             "x & 255",
                             "((x & 4095) | (y & 4095)) * 4097",
                             "((x & 4095) ^ (y & 7)) * 4097",
                             "torch.zeros_like(x) + 1000",
                             "torch.one_hot(x % 3, 3).sum(0)",
                             "x.to(0).to(4) * 65536"}) {
    CAPTURE(result);
    CHECK_EQ(said(result), "");
  }
  for (const DType dtype : {DType::u8, DType::i8, DType::i16})
    CHECK_EQ(said("x * y + x", {}, dtype), "");
}

TEST_CASE("a single sum or difference is a note") {
  CHECK_EQ(said("x + 1"), exact("'x'", 8388608, "aten::add.Scalar"));
  CHECK_EQ(said("x - y"), exact("'x' and 'y'", 8388608, "aten::sub.Tensor"));
}

TEST_CASE("messages on products, sums and shifts state the range of their inputs") {
  CHECK_EQ(said("x * y"), exact("'x' and 'y'", 4096, "aten::mul.Tensor"));
  CHECK_EQ(said("x * y > 0"), exact("'x' and 'y'", 4096, "aten::mul.Tensor"));
  CHECK_EQ(said("x * y", {}, DType::i32), exact("'x' and 'y'", 4096, "aten::mul.Tensor"));
  CHECK_EQ(said("(x * y).to(6)"), exact("'x' and 'y'", 4096, "aten::mul.Tensor"));
  CHECK_EQ(said("x * x * x"), exact("'x'", 256, "aten::mul.Tensor"));
  CHECK_EQ(said("x ** 3"), exact("'x'", 256, "aten::pow.Tensor_Scalar"));
  CHECK_EQ(said("x.sum()"), exact("'x'", 2097152, "aten::sum"));
  CHECK_EQ(said("x.cumsum(1)"), exact("'x'", 4194304, "aten::cumsum"));
  CHECK_EQ(said("x.prod()"), exact("'x'", 16, "aten::prod"));
  CHECK_EQ(said("x << 8"), exact("'x'", 65536, "aten::__lshift__.Scalar"));
  CHECK_EQ(said("x * 73856 ^ y * 19349"), exact("'x'", 128, "aten::mul.Scalar"));
  CHECK_EQ(said("x @ y.t()"), exact("'x' and 'y'", 2048, "aten::matmul"));
  CHECK_EQ(said("x.max(1)[0] * 4"), exact("'x'", 4194304, "aten::mul.Scalar"));
}

TEST_CASE("floats that become integers count like inputs") {
  CHECK_EQ(said("(t * 10).to(4) * 100"),
           exact("the result of a conversion from floats", 131072, "aten::mul.Scalar"));
}

TEST_CASE("known ranges are used") {
  CHECK_EQ(said("x * y", {{"x", {0, 1000}}, {"y", {-1000, 1000}}}), "");
  CHECK_EQ(said("x * y", {{"x", {0, 3}}}), exact("'y'", 8388608, "aten::mul.Tensor"));
  CHECK_EQ(said("x * y", {{"x", {0, 20000}}, {"y", {-1000, 1000}}}),
           "warning: aten::mul.Tensor may compute integers beyond 2^24, which are not exact");
}

TEST_CASE("bits fit below the next power of two") {
  const ops::InputRanges ranges = {{"x", {0, 4000}}, {"y", {0, 4000}}};
  CHECK_EQ(said("(x | y) * 4097", ranges), "");
  CHECK_EQ(said("(x | y) * 4098", ranges),
           "warning: aten::mul.Scalar may compute integers beyond 2^24, which are not exact");
}

TEST_CASE("what wraps around may be anything that its type holds") {
  const std::string inexact =
      "warning: aten::mul.Scalar may compute integers beyond 2^24, which are not exact";
  CHECK_EQ(said("x.to(0).to(4) * 70000", {{"x", {-5, 10}}}), inexact);
  CHECK_EQ(said("x.to(0).to(4) * 70000", {{"x", {0, 300}}}), inexact);
  CHECK_EQ(said("x.to(0).to(4) * 70000", {{"x", {0, 200}}}), "");
}

TEST_CASE("factors of a sum of products count") {
  const ops::InputRanges ranges = {{"x", {-10, 10}}, {"y", {-10, 10}}};
  CHECK_EQ(said("torch.addmm(x[:, :2], x, y.t(), alpha=10)", ranges), "");
  CHECK_EQ(said("torch.addmm(x[:, :2], x, y.t(), alpha=2000)", ranges),
           "warning: aten::addmm may compute integers beyond 2^24, which are not exact");
}

TEST_CASE("integers that certainly exceed 2^24 are refused") {
  CHECK_EQ(said("x + 1", {{"x", {20000000, 20000010}}}),
           "unsupported-argument: aten::add.Scalar: integers beyond 2^24 have no translation for "
           "khronos@1.0.5");
  CHECK_EQ(said("x * 4000 * y", {{"x", {1000, 2000}}, {"y", {10, 20}}}),
           "unsupported-argument: aten::mul.Tensor: integers beyond 2^24 have no translation for "
           "khronos@1.0.5");
}

TEST_CASE("tract has integers of 64 bits: no message") {
  CHECK_EQ(said("x * y", {}, DType::i64, "tract"), "");
  CHECK_EQ(said("x + 1", {{"x", {20000000, 20000010}}}, DType::i64, "tract"), "");
}

}  // namespace t2n::test::integers_tests

// The table that a check prints, letter by letter.
#include <doctest/doctest.h>

#include "src/check/verdict_table.h"

namespace t2n::test {
namespace {

using check::OutputRow;
using check::Verdict;

ir::Tensor f32(const ir::Ints& shape, const std::vector<float>& values) {
  return ir::tensor_of(ir::DType::f32, shape, values);
}

TEST_CASE("one line per output, columns aligned") {
  const ir::Tensor reference = f32({2, 2}, {1, 2, 3, 4});
  const std::vector<OutputRow> rows = {
      {"y", check::compare(reference, f32({2, 2}, {1, 2, 3, 4.0001F}), {}), 21000.0, ""},
      {"größe", check::compare(f32({}, {1}), f32({}, {1}), {}), 19.9, ""},
      {"logits", check::compare(reference, f32({2, 2}, {1, 2.5F, 3, 4}), {}), 5.0, ""},
      {"shape", check::compare(reference, f32({4}, {1, 2, 3, 4}), {}), std::nullopt, ""},
      {"unmeasured", check::compare(reference, reference, {}), std::nullopt, ""},
  };
  CHECK_EQ(check::verdict_table(rows),
           "  output      shape   max|Δ|   max rel  SNR dB  outliers  response  verdict\n"
           "  y           2,2     1.0e-04  2.5e-05  94.8    0         2.1e+04   ok\n"
           "  größe       scalar  0        0        inf     0         2.0e+01   inconclusive\n"
           "  logits      2,2     5.0e-01  2.5e-01  20.8    1         5.0e+00   DIFFERS\n"
           "  shape       2,2     -        -        -       -         -         DIFFERS: shape "
           "[4], expected [2,2]\n"
           "  unmeasured  2,2     0        0        inf     0         -         ok\n");
}

TEST_CASE("values that agree are inconclusive where the output hardly reacts") {
  const ir::Tensor value = f32({1}, {1});
  const auto with = [&](double response) {
    return check::verdict({"y", check::compare(value, value, {}), response, ""});
  };
  CHECK_EQ(with(0), Verdict::inconclusive);
  CHECK_EQ(with(19.999), Verdict::inconclusive);
  CHECK_EQ(with(20), Verdict::ok);
  CHECK_EQ(check::verdict({"y", check::compare(value, f32({1}, {2}), {}), 0.0, ""}),
           Verdict::differs);
}

}  // namespace
}  // namespace t2n::test

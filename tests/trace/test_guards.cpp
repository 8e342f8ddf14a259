// Guards of operators: what fits passes, what LibTorch would trust is refused.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "src/export/torch_module.h"
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

TEST_CASE("types of quantised tensors are for operators that make these") {
  CHECK_EQ(end_of("torch.ones([2], dtype=6)"), "");
  for (const char* dtype : {"12", "13", "-2", "14", "1000"})
    CHECK_EQ(end_of(script("torch.ones([2], dtype=$dtype)", dtype).source).substr(0, 15),
             "unsafe-argument");
  CHECK_EQ(end_of("torch.quantize_per_tensor(x, 1., 0, -2)").substr(0, 15), "unsafe-argument");
}

TEST_CASE("a cast to nothing else is the tensor itself, and a copy where one is asked for") {
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

TEST_CASE("the text of a value is bounded by all that it holds") {
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

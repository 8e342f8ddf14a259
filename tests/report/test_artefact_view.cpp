// What operations do with numbers, as the lint of artefacts sees it.
#include <doctest/doctest.h>

#include <string>

#include "src/nnef/parser.h"
#include "src/report/artefact_view.h"

namespace t2n::report {
namespace {

/// "moves", "layer", "rounds", or "".
std::string kind_of(const char* text) {
  const nnef::Value call = nnef::parse_value(text);
  const Statement statement{"y", &call, {"x"}};
  return only_moves_data(statement) ? "moves"
         : is_layer(statement)      ? "layer"
         : rounds(statement)        ? "rounds"
                                    : "";
}

TEST_CASE("operations that move data, layers, and operations that round") {
  for (const char* call : {"transpose(x, axes = [1, 0])", "tract_core_gather(x, i, axis = 0)",
                           "gather(x, i)", "relu(x)", "pad(x, padding = [])"})
    CHECK_EQ(kind_of(call), "moves");
  for (const char* call : {"conv(x, w)", "deconv(x, w)", "matmul(x, w)", "linear(x, w)"})
    CHECK_EQ(kind_of(call), "layer");
  for (const char* call : {"tract_core_round_even(x)", "tract_core_cast(x, to = 'i8')"})
    CHECK_EQ(kind_of(call), "rounds");
  for (const char* call : {"add(x, y)", "softmax(x)", "f(x)"}) CHECK_EQ(kind_of(call), "");
}

}  // namespace
}  // namespace t2n::report

// SPDX-License-Identifier: Apache-2.0
// The table of --localize always: its columns, and its width.
#include <doctest/doctest.h>

#include "src/check/localisation_table.h"
#include "src/diag/printable.h"

namespace t2n::test {
namespace {

TensorRow tensor_row(std::string tensor, std::string operation, int line, std::string module) {
  TensorRow out;
  out.location.tensor = std::move(tensor);
  out.location.operation = std::move(operation);
  out.location.line = line;
  if (!module.empty()) out.location.where.module_class = "Linear";
  out.location.where.module = std::move(module);
  out.distance = 0;
  return out;
}

Localisation example() {
  Localisation out;
  out.reference = "torch";
  out.table = {tensor_row("layers_0_y", "linear", 9, "layers.0"),
               tensor_row("layers_0_z", "relu", 10, "layers.0"),
               tensor_row("größe", "select", 100, "")};
  out.table[1].distance = 2.5e-7;
  out.table[2].distance = 1.5;
  out.table[2].is_wrong = true;
  return out;
}

}  // namespace

TEST_CASE("tensors stand below their module, with numbers aligned to the right") {
  CHECK_EQ(check::localisation_table({}, 80), "");
  Localisation found = example();
  CHECK_EQ(check::localisation_table(found, 80),
           "tensors, with their relative distance from\n"
           "  torch\n"
           "         distance  line  operation  tensor\n"
           "  layers.0 (Linear)\n"
           "                0     9  linear     layers_0_y\n"
           "          2.5e-07    10  relu       layers_0_z\n"
           "  of no known line\n"
           "  DIFFERS 1.5e+00   100  select     größe\n");
  found.inputs = "at S=3";
  found.table = {tensor_row("y", "relu", 0, "")};
  found.table[0].distance = {};
  CHECK_EQ(check::localisation_table(found, 80),
           "tensors, with their relative distance from\n"
           "  torch, at S=3\n"
           "  distance  line  operation  tensor\n"
           "         -     -  relu       y\n");
}

TEST_CASE("lines keep to the width, and names to their ends") {
  Localisation found = example();
  const std::string path = std::string(90, 'm') + ".last";
  found.table[0] = tensor_row(std::string(90, 'n') + "_attention_y",
                              "tract_transformers_scaled_masked_softmax_of_everything", 9, path);
  for (const size_t width : {60, 80, 100, 140}) {
    CAPTURE(width);
    const std::string table = check::localisation_table(found, width);
    for (size_t at = 0; at < table.size(); at = table.find('\n', at) + 1)
      CHECK_LE(text_width(table.substr(at, table.find('\n', at) - at)), width);
    for (const char* end : {"_attention_y\n", "m.last (Linear)\n", "of_everything"})
      CHECK_NE(table.find(end), std::string::npos);
  }
}

}  // namespace t2n::test

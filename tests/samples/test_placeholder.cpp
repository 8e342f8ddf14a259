// SPDX-License-Identifier: Apache-2.0
// The line that `t2nnef inspect` offers for inputs that a file does not know.
#include <doctest/doctest.h>

#include "src/samples/input_spec.h"
#include "src/samples/placeholder.h"

namespace t2n {
namespace {

using Specs = std::vector<std::string>;

Specs specs(const std::string& type) {
  return placeholders({.name = "x", .type = type, .has_default = false});
}

}  // namespace

TEST_CASE("leaves") {
  CHECK_EQ(specs("Tensor"), Specs{"x=SHAPE,f32"});
  CHECK_EQ(specs("int"), Specs{"x=int:1"});
  CHECK_EQ(specs("float"), Specs{"x=float:1.0"});
  CHECK_EQ(specs("bool"), Specs{"x=bool:true"});
  CHECK_EQ(specs("str"), Specs{"x=str:text"});
}

TEST_CASE("nested types") {
  CHECK_EQ(specs("List[Tensor]"), Specs{"x_0=SHAPE,f32"});
  CHECK_EQ(specs("Dict[str, Tensor]"), Specs{"x_KEY=SHAPE,f32"});
  CHECK_EQ(specs("Tuple[Tensor, Tuple[int, Dict[str, List[bool]]], float]"),
           Specs{"x_0=SHAPE,f32", "x_1_0=int:1", "x_1_1_KEY_0=bool:true", "x_2=float:1.0"});
}

TEST_CASE("placeholders with sizes are specs") {
  for (const char* type : {"Tensor", "Tuple[int, float, bool, str]", "Dict[str, List[Tensor]]"}) {
    CAPTURE(type);
    Specs filled = specs(type);
    for (std::string& spec : filled)
      if (const size_t at = spec.find("SHAPE"); at != spec.npos) spec.replace(at, 5, "1,16");
    CHECK_EQ(parse_inputs(filled).size(), filled.size());
  }
}

TEST_CASE("optional arguments and unknown types") {
  CHECK(specs("Optional[Tensor]").empty());
  CHECK(placeholders({.name = "x", .type = "Tensor", .has_default = true}).empty());
  CHECK_EQ(specs("__torch__.Pair"), Specs{"x=…"});
}

}  // namespace t2n

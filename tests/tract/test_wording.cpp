// SPDX-License-Identifier: Apache-2.0
// tract's error chains and panics, as users get to read them.
#include <doctest/doctest.h>

#include "src/tract/wording.h"

namespace t2n::test {
namespace {

using Lines = std::vector<std::string>;

TEST_CASE("the root cause comes first, the way to it after") {
  const auto reason = tract::reason_of_error(
      "opening file \"/some/where\"\n\nCaused by:\n    0: In ModelBuilder::translate\n"
      "    1: Resolving invocation Identifier(\"wibble\")\n"
      "    2: No definition for operator Identifier(\"wibble\")\n\nStack backtrace:\n   0: main\n");
  CHECK_EQ(reason.headline, "No definition for operator 'wibble'");
  CHECK_EQ(reason.details, Lines{"In ModelBuilder::translate", "Resolving invocation 'wibble'"});
}

TEST_CASE("a cause of several lines stays together") {
  const auto reason = tract::reason_of_error(
      "opening file \"model\"\n\nCaused by:\n    0: at line 5, in Tag:\n     y = relu(x;\n"
      "     ^\n    \n    \n");
  CHECK_EQ(reason.headline, "at line 5, in Tag:");
  CHECK_EQ(reason.details, Lines{" y = relu(x;", " ^"});
}

TEST_CASE("chains without numbers, and no chain") {
  const auto single = tract::reason_of_error(
      "Evaluating #2 \"y_1\" Add\n\nCaused by:\n    Can not broadcast 5 against 3");
  CHECK_EQ(single.headline, "Can not broadcast 5 against 3");
  CHECK_EQ(single.details, Lines{"Evaluating #2 \"y_1\" Add"});
  CHECK_EQ(tract::reason_of_error("Invalid input").headline, "Invalid input");
  CHECK_EQ(tract::reason_of_error("opening file \"x\"").headline, "opening file \"x\"");
  CHECK_EQ(tract::reason_of_error("").headline, "no reason given");
  CHECK_EQ(tract::reason_of_error("one\n\nCaused by:\n").headline, "no reason given");
}

TEST_CASE("the first panic counts, without backtrace") {
  const auto reason = tract::reason_of_crash(
      "some warning\n\nthread '<unnamed>' (8320) panicked at core/src/ops/nn/reduce.rs:462:18:\n"
      "index out of bounds\nthe len is 2\n"
      "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\n"
      "thread '<unnamed>' (8320) panicked at library/core/src/panicking.rs:225:5:\n"
      "panic in a function that cannot unwind\nstack backtrace:\n   0: main\n"
      "thread caused non-unwinding panic. aborting.\n");
  CHECK_EQ(reason.headline, "index out of bounds");
  CHECK_EQ(reason.details, Lines{"the len is 2", "at core/src/ops/nn/reduce.rs:462:18"});
}

TEST_CASE("an end without a panic is described by the last line") {
  CHECK_EQ(tract::reason_of_crash(
               "loading\nmemory allocation of 24 bytes failed\n"
               "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n")
               .headline,
           "memory allocation of 24 bytes failed");
  CHECK_EQ(tract::reason_of_crash("").headline, "");
  CHECK_EQ(tract::reason_of_crash("thread 'main' panicked at a.rs:1:1:").headline, "panic");
}

}  // namespace
}  // namespace t2n::test

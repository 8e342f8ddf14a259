// SPDX-License-Identifier: Apache-2.0
// The main function of every test program; engine workers are the same program started again.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

#include "src/tract/worker.h"
#include "tests/support/coverage.h"
#include "tests/support/strict_case.h"

int main(int argc, char** argv) {
  ::setenv("RC_PARAMS", "seed=4", 0);  // properties are tried on the same values every time
  int exit_code = 0;
  if (t2n::tract::maybe_run_worker(argc, argv, &exit_code)) return exit_code;
  t2n::test::start_recording();
  t2n::test::start_strict_cases();
  return doctest::Context(argc, argv).run();
}

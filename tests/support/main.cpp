// The main function of every test program; engine workers are the same program started again.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

#include "src/tract/worker.h"

int main(int argc, char** argv) {
  ::setenv("RC_PARAMS", "seed=4", 0);  // properties are tried on the same values every time
  int exit_code = 0;
  if (t2n::tract::maybe_run_worker(argc, argv, &exit_code)) return exit_code;
  return doctest::Context(argc, argv).run();
}

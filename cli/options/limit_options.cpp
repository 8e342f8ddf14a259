// SPDX-License-Identifier: Apache-2.0
#include "cli/options/limit_options.h"

#include <CLI/CLI.hpp>

#include "src/diag/error.h"
#include "src/limits/limits.h"
#include "src/limits/watch.h"

namespace t2n::cli {
namespace {

void check_timeout(double seconds) {
  constexpr double kShortest = 1e-3;
  constexpr double kLongest = 1e6;
  // False for NaN as well.
  if (seconds >= kShortest && seconds <= kLongest) return;
  throw Error("usage",
              cat("--timeout is ", seconds, ", not a number of seconds from 0.001 to 1000000"));
}

}  // namespace

void add_limit_options(CLI::App& command, LimitOptions& options) {
  command
      .add_option("--timeout", options.timeout,
                  "Time limit in seconds, exit 124 [none]\n"
                  "Without it, loading and reading may take 60 s and more by size, and each answer "
                  "of an engine 300.")
      ->type_name("S");
  command
      .add_option("--max-memory", options.max_memory,
                  "Memory limit, exit 3 if exceeded: 800M, 2G\n"
                  "Of the command and its engine. Default: the machine's memory minus a margin.")
      ->type_name("SIZE");
}

void start_limits(const LimitOptions& options) {
  if (options.timeout) check_timeout(*options.timeout);
  if (!options.max_memory.empty())
    limits::set_max_memory(limits::parse_bytes(options.max_memory, "--max-memory"));
  limits::start_watch(options.timeout);
}

}  // namespace t2n::cli

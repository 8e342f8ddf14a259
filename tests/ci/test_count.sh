#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# .ci/count on what ctest prints: lines of failed tests begin with a tab, or with blanks.
set -euo pipefail
count="$(dirname "$0")/../../.ci/count"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

expect() {
  local said
  said=$("$count" "$log") || true
  [ "$said" = "$1" ] || { echo "expected '$1', got '$said'"; exit 1; }
}

printf '86%% tests passed, 6 tests failed out of 7\n\nThe following tests FAILED:\n' >"$log"
printf '\t  1 - test_a (Failed)\n\t  2 - test_b (Timeout)\n\t  3 - test_c (SEGFAULT)\n' >>"$log"
printf '\t  4 - test_d (Not Run)\n\t  5 - test_e (Subprocess aborted Exception: Child aborted)\n' >>"$log"
printf '         12 - test_f (Failed)   label\n' >>"$log"
expect '1 passed, 6 failed'

printf '100%% tests passed, 0 tests failed out of 73\n' >"$log"
expect '73 passed, 0 failed'

printf 'ninja: build stopped\n' >"$log"
expect '0 passed, 0 failed'
if "$count" "$log" >/dev/null; then echo 'a log without a result must fail'; exit 1; fi

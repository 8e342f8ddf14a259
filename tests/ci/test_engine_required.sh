#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Under ctest, a test that needs tract fails where there is none; it is not skipped. $1: test_check
set -eu
if said=$(env -i T2NNEF_REQUIRE_ENGINE="${T2NNEF_REQUIRE_ENGINE:-}" "$1" --no-colors=true); then
  echo "$1 passed without an engine"
  exit 1
fi
case $said in
  *"ERROR: CHECK( !engines_required() )"*"no tract 0.23 on this machine"*) ;;
  *) echo "$said"; exit 1 ;;
esac

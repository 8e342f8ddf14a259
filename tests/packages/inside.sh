# SPDX-License-Identifier: Apache-2.0
# What the scripts have that run in a clean root.
set -euo pipefail
work=/tmp/work
mkdir -p "$work"
chown nobody:nogroup "$work"
cd "$work"

# As the user nobody, without network; further variables by `as_nobody env NAME=VALUE COMMAND…`.
as_nobody() {
  unshare --net setpriv --reuid=nobody --regid=nogroup --clear-groups --no-new-privs \
    env -i PATH="$PATH" HOME="$work" LANG=C.UTF-8 "$@"
}

fail() { echo "failed: $*" >&2; exit 1; }

install_debian() {
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@" >/dev/null 2>&1
}

# exported COMMAND…: the command exports a fixture to digits.nnef.tgz, and its check agrees in the engine.
exported() {
  rm -f digits.nnef.tgz
  "$@" export /source/fixtures/digits_cnn/model.pt --target tract --check -o digits.nnef.tgz >log 2>&1 || { cat log; fail "the export"; }
  grep -q '^check: tract 0\.[0-9.]* vs LibTorch' log || { cat log; fail "the check was not in tract"; }
  [ -s digits.nnef.tgz ] || fail "there is no artefact"
  echo "  $(grep '^wrote' log)"
}

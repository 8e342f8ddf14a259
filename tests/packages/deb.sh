# SPDX-License-Identifier: Apache-2.0
# Installs the .deb by apt, uses it as nobody, and removes it again.
install_debian /source/build/packages/t2nnef_*.deb
[ "$(as_nobody t2nnef --version | head -n 1)" = "t2nnef $(dpkg-query -W -f '${Version}' t2nnef)" ] || fail "the version"
exported as_nobody env T2NNEF_TORCH=/torch T2NNEF_TRACT_LIB="$T2NNEF_TRACT_LIB" t2nnef
if as_nobody t2nnef export /source/fixtures/digits_cnn/model.pt -t tract -o other.nnef.tgz >log 2>&1; then
  fail "it found a LibTorch where there is none"
fi
grep -q 'torch-not-found' log || { cat log; fail "it does not name the missing LibTorch"; }
apt-get purge -qq -y -o Dpkg::Use-Pty=0 t2nnef >/dev/null
[ -z "$(find /usr /etc -name '*t2nnef*')" ] || fail "it leaves $(find /usr /etc -name '*t2nnef*')"

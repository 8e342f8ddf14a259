#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Builds the module for each LibTorch of build/torches, installs all next to one program, and exports and checks the
# fixtures with each. Prints a row of the table in docs/install.md for each.
set -euo pipefail
cd "$(dirname "$0")/../.."
prefix=$PWD/build/torches/t2nnef
built_with=$(cmake/find_libtorch.sh | head -n 1)

minor_of() { T2NNEF_TORCH=$1 cmake/find_libtorch.sh | tail -n 1; }

# The module alone: it is linked with the library that is installed, which knows no LibTorch.
build_module() {
  local torch=$1 minor=$2 tree=build/torches/build-$2
  cmake -G Ninja -S . -B "$tree" -DCMAKE_BUILD_TYPE=Release -DT2N_TESTS=OFF "-DT2NNEF_TORCH=$torch" \
    "-DT2N_MODULE_OF=$prefix/lib/t2nnef/libt2nnef.so" >"$tree.log" 2>&1 || { tail -n 20 "$tree.log"; exit 1; }
  cmake --build "$tree" --target libt2nnef_torch -- --quiet >>"$tree.log" 2>&1 || { tail -n 40 "$tree.log"; exit 1; }
  cp "$tree/libt2nnef_torch.so" "$prefix/lib/t2nnef/libt2nnef_torch-$minor.so"
}

# Those that are exported without further options, with their inputs.
check_fixtures() {
  local torch=$1 count=0 model inputs
  for model in fixtures/*/*.pt; do
    case $model in */foreign/* | */variable_length/*) continue ;; esac
    inputs=()
    for file in "${model%.pt}.npz" "${model%_scripted.pt}.npz" "$(dirname "$model")/input.npz"; do
      [ ! -e "$file" ] || { inputs=(-i "@$file"); break; }
    done
    T2NNEF_TORCH=$torch "$prefix/bin/t2nnef" export "$model" -t tract --check --engine tract "${inputs[@]}" \
      -o build/torches/out.nnef.tgz >build/torches/log 2>&1 || { echo "$model:"; tail -n 20 build/torches/log; return 1; }
    count=$((count + 1))
  done
  [ $count -gt 20 ] || { echo "only $count fixtures"; return 1; }
  echo $count
}

row() {
  local torch=$1 module=$2 version count
  version=$(T2NNEF_TORCH=$torch "$prefix/bin/t2nnef" env | sed -n 's/^ *LibTorch *\([0-9.]*\).*/\1/p')
  count=$(check_fixtures "$torch") || { echo "$count"; exit 1; }
  echo "| $version | \`$module\` | $count |"
}

rm -rf "$prefix"
cmake --install build/release --prefix "$prefix" >/dev/null
echo "| LibTorch | module | fixtures that export and pass their check |"
echo "|---|---|---|"
row "$built_with" libt2nnef_torch.so
for torch in "$PWD"/build/torches/torch-*/torch; do
  minor=$(minor_of "$torch")
  build_module "$torch" "$minor"
  row "$torch" "libt2nnef_torch-$minor.so"
done

# SPDX-License-Identifier: Apache-2.0
# A library of torch operators, with their translations and the shape rule of one. T2NNEF_EXAMPLE_PLUGIN: it is built already.
plugin=${T2NNEF_EXAMPLE_PLUGIN:-$PWD/libsignals.so}
torch=$(python -c 'import os, torch; print(os.path.dirname(torch.__file__))')
# t2nnef_plugin.h is in include/t2nnef of an installed t2nnef.
[ -e "$plugin" ] || c++ -std=c++20 -O1 -shared -fPIC -I"${T2NNEF_INCLUDE:-/usr/include/t2nnef}" -I"$torch/include" \
  -I"$torch/include/torch/csrc/api/include" -o "$plugin" plugin.cpp -L"$torch/lib" -ltorch_cpu -lc10
python model.py "$plugin"
t2nnef export net.pt -t tract -i x=2,7 --dynamic x:0=B --dynamic x:1=S --check --plugin "$plugin" -o net.nnef.tgz
t2nnef export net.pt -t khronos -i x=2,7 --check --plugin "$plugin" -o strict.nnef.tgz

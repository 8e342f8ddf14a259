# SPDX-License-Identifier: Apache-2.0
# A fragment takes the place of modules; the check compares it with them.
python model.py
t2nnef export net.pt -t tract -i x=2,5,8 --dynamic x:1=S --check \
  --fragment norm.nnef --module-op 'blocks.*.norm=my_norm' -o net.nnef.tgz
t2nnef export net.pt -t khronos -i x=2,5,8 --check \
  --fragment norm.nnef --module-op 'blocks.*.norm=my_norm' -o strict.nnef.tgz

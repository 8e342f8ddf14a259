# SPDX-License-Identifier: Apache-2.0
# A fragment defines an operator that t2nnef and its LibTorch do not know.
python model.py
t2nnef export net.pt -t tract --check --fragment swish.nnef -o net.nnef.tgz
t2nnef export net.pt -t khronos --check --fragment swish.nnef -o strict.nnef.tgz

"""Archives that only look like models: TorchScript code and pickles that are written by hand."""

import struct
import zipfile

HEAD = """class M(Module):
  __parameters__ = ["w", ]
  __buffers__ = []
  w : Tensor
  training : bool
"""
FORWARD = """  def forward(self: __torch__.M,
    x: Tensor) -> Tensor:
"""
PLAIN = FORWARD + "    return torch.mul(x, self.w)\n"
SETSTATE = """  def __setstate__(self: __torch__.M,
    state: Tuple[Tensor, bool]) -> NoneType:
    self.w = (state)[0]
    self.training = False
"""
LESS = """class L:
  a : int
  def __init__(self: __torch__.L,
    a: int) -> NoneType:
    self.a = a
    return None
  def __lt__(self: __torch__.L,
    other: __torch__.L) -> bool:
    v = {}
    return torch.lt(torch.add(self.a, torch.len(torch.format("{{}}", v))), other.a)
"""
PAIR = """    p = __torch__.L.__new__(__torch__.L)
    _1 = (p).__init__(2, )
    q = __torch__.L.__new__(__torch__.L)
    _2 = (q).__init__(1, )
    l = [p, q]
"""
SAVE = 'torch.save(torch.ones([2]), "marker_saved")'
MAP = 'torch.from_file("marker_mapped", True, 31, dtype=0)'


# Pickles.


def text(string):
    data = string.encode()
    return b"X" + struct.pack("<I", len(data)) + data


def name(module, word):
    return f"c{module}\n{word}\n".encode()


def integer(value):
    return b"J" + struct.pack("<i", value)


TENSOR = (
    name("torch._utils", "_rebuild_tensor_v2")
    + b"(("
    + text("storage")
    + name("torch", "FloatStorage")
    + text("0")
    + text("cpu")
    + integer(4)
    + b"tQ"
    + integer(0)
    + b"("
    + integer(4)
    + b"t("
    + integer(1)
    + b"t\x89"
    + name("collections", "OrderedDict")
    + b")RtR"
)


def an_object(word, state, module="__torch__"):
    return name(module, word) + b")\x81" + state + b"b"


def attributes(**values):
    return b"}(" + b"".join(text(key) + value for key, value in values.items()) + b"u"


def pickle(value):
    return b"\x80\x02" + value + b"."


MODULE = an_object("M", attributes(w=TENSOR, training=b"\x89"))
STATE = an_object("M", b"(" + TENSOR + b"\x89t")


# Archives.


def archive(path, code, data=MODULE, more=(), compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as out:
        out.writestr("a/data.pkl", pickle(data))
        for record, content in {"__torch__": code}.items() if isinstance(code, str) else code.items():
            out.writestr(f"a/code/{record}.py", content)
        out.writestr("a/data/0", struct.pack("<4f", 1, 2, 3, 4))
        out.writestr("a/constants.pkl", pickle(b")"))
        out.writestr("a/version", "3\n")
        out.writestr("a/byteorder", "little")
        for record, content in more:
            out.writestr(record, content)


def forward(*lines):
    return HEAD + FORWARD + "".join(f"    {line}\n" for line in lines)
# SPDX-License-Identifier: Apache-2.0

"""Writes TorchScript files that were made to break t2nnef, by hand: hostile_files.py OUTDIR.

A name says how the file has to end: 34_NAME.pt with exit code 3 or 4, under every command that loads
it. Whatever would show that code of the file ran is called marker_…. No PyTorch is needed.
"""

import struct
import sys
import zipfile
from pathlib import Path

from hostile_archive import (
    HEAD, FORWARD, PLAIN, SETSTATE, LESS, PAIR, SAVE, MAP, text, name, integer, TENSOR, an_object, attributes,
    pickle, MODULE, STATE, archive, forward,
)


def denied():
    """Ways to a file operator."""
    yield "3_forward_save", forward(SAVE, "return x"), MODULE
    yield "3_forward_from_file", forward(f"return torch.add(x, {MAP})"), MODULE
    yield "3_setstate", HEAD + PLAIN + SETSTATE + f"    {SAVE}\n    return None\n", STATE
    yield "3_default_argument", HEAD + PLAIN + (
        f"  def other(self: __torch__.M,\n    y: Tensor={MAP}) -> Tensor:\n    return y\n"
    ), MODULE
    yield "3_default_of_forward", HEAD + (
        f"  def forward(self: __torch__.M,\n    x: Tensor,\n    y: Tensor={MAP}) -> Tensor:\n    return y\n"
    ), MODULE
    yield "3_unreachable_method", HEAD + PLAIN + (
        f"  def other(self: __torch__.M) -> NoneType:\n    {SAVE}\n    return None\n"
    ), MODULE
    yield "3_nested_block", forward(
        "for i in range(1):", "  if torch.gt(i, 0):", f"    {SAVE}", "  else:", "    pass", "return x"
    ), MODULE
    yield "3_untaken_in_function", (
        f"def g(x: Tensor) -> Tensor:\n  if torch.gt(torch.dim(x), 7):\n    {SAVE}\n  else:\n    pass\n  return x\n"
    ) + forward("return __torch__.g(x, )"), MODULE
    yield "3_fork", f"def g(x: Tensor) -> Tensor:\n  {SAVE}\n  return x\n" + forward(
        "_1 = fork(__torch__.g, x)", "return torch.wait(_1)"
    ), MODULE
    yield "3_awaitable", f"def g(x: Tensor) -> Tensor:\n  {SAVE}\n  return x\n" + forward(
        "_1 = awaitable(__torch__.g, x)", "return ops.prim.awaitable_wait(_1)"
    ), MODULE
    for word in ("sort", "sorted"):
        yield f"3_{word}_lt", LESS.format(SAVE).replace("v = torch.save", "torch.save").replace("v))", "self.a))") + HEAD + FORWARD + PAIR + (
            f"    torch.{word}(l)\n    t0 = l[0]\n    return torch.add(x, t0.a)\n"
        ), MODULE
        yield f"3_setstate_{word}", LESS.format(MAP) + HEAD + PLAIN + SETSTATE + PAIR + (
            f"    l2 = torch.{'sorted(l)' if word == 'sorted' else 'list(l)'}\n"
            + ("" if word == "sorted" else "    torch.sort(l2)\n")
            + "    t0 = l2[0]\n    self.w = torch.mul(self.w, t0.a)\n    return None\n"
        ), STATE
    yield "4_sort_objects", LESS.format("1") + HEAD + FORWARD + PAIR + (
        "    torch.sort(l)\n    t0 = l[0]\n    return torch.add(x, t0.a)\n"
    ), MODULE
    context = (
        "class C:\n  a : int\n"
        "  def __init__(self: __torch__.C) -> NoneType:\n    self.a = 1\n    return None\n"
        "  def __enter__(self: __torch__.C) -> NoneType:\n    return None\n"
        "  def __exit__(self: __torch__.C,\n    type: Any,\n    value: Any,\n    traceback: Any) -> NoneType:\n"
        f"    {SAVE}\n    return None\n"
    )
    yield "3_with", context + HEAD + FORWARD + (
        "    c = __torch__.C.__new__(__torch__.C)\n    _1 = (c).__init__()\n"
        "    with c:\n      y = x\n    return y\n"
    ), MODULE
    implementation = (
        "class I(Interface):\n  def go(self, x: Tensor) -> NoneType:\n    pass\n"
        "class H(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
        f"  def go(self: __torch__.H,\n    x: Tensor) -> NoneType:\n    ops.aten.save(x, \"marker_i\")\n    return None\n"
    )
    yield "3_interface", implementation + HEAD + PLAIN + (
        "  def __setstate__(self: __torch__.M,\n    state: Tuple[Tensor, __torch__.I]) -> NoneType:\n"
        "    self.w = (state)[0]\n    self.training = False\n    h = (state)[1]\n"
        "    _1 = (h).go(self.w, )\n    return None\n"
    ), an_object("M", b"(" + TENSOR + an_object("H", attributes(training=b"\x89")) + b"t")
    hooked = HEAD.replace('  w :', '  __forward_hooks__ = ["post", ]\n  w :') + PLAIN + (
        "  def post(self: __torch__.M,\n    x: Tuple[Tensor],\n    y: Tensor) -> Tensor:\n"
        f"    {SAVE}\n    return y\n"
    )
    yield "3_hook", hooked, MODULE
    for label, call in {
        "print_time": "ops.prim.TimePoint()",
        "identity": "ops.prim.id(self)",
        "hash": "torch.hash(x)",
        "reinterpret": "ops.inductor._reinterpret_tensor(x, [1000000], [1], 0)",
        "symm_mem": 'ops.symm_mem._rendezvous(x, "g")',
        "c10d": 'ops._c10d_functional.all_reduce(x, "sum", "g")',
        "debug_load": 'ops.debugprims.load_tensor("marker_x", [1], [1], dtype=6, device=torch.device("cpu"))',
        "mkldnn_pointer": "ops.mkldnn.data_ptr(x)",
        "fbgemm": "torch.fbgemm_linear_fp16_weight(x, x, x)",
        "segment": 'torch.segment_reduce(x, "sum", lengths=torch.tensor([1000000]), unsafe=True)',
        "profiler": 'ops.profiler._call_end_callbacks_on_jit_fut(x, fork(__torch__.g, x))',
    }.items():
        # Only Python registers the operators for debugging: they are unknown, not denied.
        yield f"{4 if label == 'debug_load' else 3}_{label}", "def g(x: Tensor) -> Tensor:\n  return x\n" + forward(
            f"y = {call}", 'return torch.add(x, torch.len(torch.format("{}", y)))'
        ), MODULE
    yield "3_native_class", HEAD + PLAIN, an_object(
        "M", attributes(w=an_object("EventTracer", b")", "__torch__.torch.classes.profiler"), training=b"\x89")
    )


def memory_unsafe():
    """Arguments that kernels trust."""
    least = "-9223372036854775807-1"
    calls = {
        "int_floordiv": f"torch.add(x, torch.floordiv({least}, -1))",
        "int_remainder": f"torch.add(x, torch.remainder({least}, -1))",
        "int_divmod": f"torch.add(x, (torch.divmod({least}, -1))[0])",
        "div_trunc": f'torch.div(torch.tensor([{least}], dtype=4), torch.tensor([-1], dtype=4), rounding_mode="trunc")',
        "div_floor": f'torch.div(torch.tensor([{least}], dtype=4), -1, rounding_mode="floor")',
        "floor_divide": f"torch.floor_divide(torch.tensor([{least}], dtype=4), -1)",
        "remainder": f"torch.remainder(torch.tensor([{least}], dtype=4), -1)",
        "fmod": f"torch.fmod(torch.tensor([{least}], dtype=4), -1)",
        "div_inplace": f'torch.div_(torch.tensor([{least}], dtype=4), -1, rounding_mode="trunc")',
        "alias": "torch._reshape_alias(x, [1000000], [1])",
        "alias_far": "torch._reshape_alias(x, [2], [4611686018427387904])",
        "strided": "torch.as_strided(x, [1000000], [1], 0)",
        "ctc": "torch.ctc_loss(torch.ones([5, 1, 4]), torch.tensor([[1000000]], dtype=4), [5], [1])",
        "ctc_lengths": "torch.ctc_loss(torch.ones([5, 1, 4]), torch.tensor([[1]], dtype=4), [500000], [1])",
        "csr": "torch.to_dense(torch._sparse_csr_tensor_unsafe(torch.tensor([0, 1000000, 2], dtype=4), "
        "torch.tensor([1000000000, 2], dtype=4), torch.ones([2]), [2, 4], dtype=None, layout=None, "
        "device=None, pin_memory=None))",
        "packed": "(torch._pad_packed_sequence(torch.ones([2, 4]), torch.tensor([1000000], dtype=4), False, 0., 1))[0]",
        "bag": "(torch.embedding_bag(torch.ones([2, 4]), torch.tensor([100000000], dtype=4), torch.tensor([0], dtype=4)))[0]",
        "norm": "(torch.native_batch_norm(torch.ones([1, 1000, 9]), x, None, None, None, True, 0.1, 0.1))[0]",
        "group": "(torch.native_group_norm(x, None, None, 1000, 1000, 1000, 1, 0.1))[0]",
        "lu": "(torch.lu_unpack(torch.ones([3, 3]), torch.tensor([1000000, 2, 3], dtype=3)))[0]",
        "fft": "torch._fft_c2c(torch.complex(x, x), [1000000], 0, True)",
        "dtype": "torch.ones([2], dtype=-2)",
        "dtype_far": "torch.to(x, 1000000)",
        "dtype_of_bits": "torch.view(x, dtype=20)",
        "memory_format": "torch.contiguous(x, memory_format=77)",
        "layout": "torch.zeros([2], dtype=6, layout=3)",
        "weight_norm": "(torch._weight_norm_interface(x, torch.ones([1]), 0))[0]",
        "eigenvalues": "torch.linalg_eigvals(torch.mul(torch.ones([3, 3]), inf))",
        "stack": "torch._stack([], 5)",
        "power": "torch.matrix_power(torch.ones([2, 2]), -9223372036854775807-1)",
        "channel": "torch.quantize_per_channel(x, torch.ones([1]), torch.zeros([1]), 1000, 12)",
    }
    for label, call in calls.items():
        yield f"34_unsafe_{label}", forward(f"return {call}"), MODULE
    yield "34_unsafe_setstate", HEAD + PLAIN + SETSTATE + (
        "    self.w = torch._reshape_alias(self.w, [1000000], [1])\n    return None\n"
    ), STATE
    yield "34_unsafe_in_lt", LESS.format("torch._reshape_alias(torch.ones([2]), [1000000000], [1])") + (
        HEAD + FORWARD + PAIR + "    torch.sort(l)\n    t0 = l[0]\n    return torch.add(x, t0.a)\n"
    ), MODULE
    yield "34_address_in_text", LESS.format("1") + HEAD + FORWARD + PAIR + (
        "    return torch.add(x, torch.len(torch.str(p)))\n"
    ), MODULE
    yield "3_cast", forward("t = unchecked_cast(Tuple[int, int, int], (1, ))", "(a, b, c) = t",
                            "return torch.add(x, c)"), MODULE


def limits():
    """Too much of something."""
    calls = {
        "expand_sum": "torch.add(x, torch.sum(torch.expand(torch.zeros([1]), [1000000000000])))",
        "zeros": "torch.add(x, torch.sum(torch.zeros([2000000000])))",
        "text_width": 'torch.add(x, torch.len(torch.ljust("a", 1000000000000)))',
        "text_replace": 'torch.add(x, torch.len(torch.replace("aaaaaaaaaa", "a", torch.ljust("a", 60000000))))',
        "list_times": "torch.add(x, torch.len(torch.mul([1, 2], 1000000000000)))",
        "factorial": "torch.add(x, torch.factorial(1000000000000000000))",
        "ones_chain": "torch.matmul(torch.ones([100000, 1]), torch.ones([1, 100000]))",
    }
    for label, call in calls.items():
        yield f"3_much_{label}", forward(f"return {call}"), MODULE
    yield "4_much_output", forward("return torch.expand(torch.mul(x, 1)[0:1], [1000000000000])"), MODULE
    yield "3_much_at_once", forward("return torch.add(x, torch.numel(torch.empty([300000000])))"), MODULE
    yield "3_much_doubling", forward(
        's = "aaaaaaaa"', "for i in range(60):", "  s = torch.add(s, s)", "return torch.add(x, torch.len(s))"
    ), MODULE
    yield "3_much_depth_in_text", forward(
        "l = annotate(List[Any], [])", "for i in range(200):", "  l = annotate(List[Any], [l])",
        'return torch.add(x, torch.len(torch.format("{}", l)))'
    ), MODULE
    yield "3_much_extending", forward(
        "l = [1, 2]", "for i in range(60):", "  torch.extend(l, l)", "return torch.add(x, torch.len(l))"
    ), MODULE
    yield "3_endless_setstate", HEAD + PLAIN + SETSTATE + (
        "    c = True\n    while c:\n      self.w = torch.add(self.w, 1)\n    return None\n"
    ), STATE
    yield "3_endless_forward", forward("c = True", "y = x", "while c:", "  y = torch.add(y, 1)", "return y"), MODULE
    yield "3_contains_itself", forward(
        "l = annotate(List[Any], [])", "for i in range(3):", "  torch.append(l, l)", "return x"
    ), MODULE
    yield "3_nested_deeper", forward(
        "l = annotate(List[Any], [])", "for i in range(100000):", "  l = annotate(List[Any], [l])", "return x"
    ), MODULE
    yield "3_module_in_itself", (
        "class J(ModuleInterface):\n  def forward(self, x: Tensor) -> Tensor:\n    pass\n"
        + HEAD + "  t : __torch__.J\n" + PLAIN + SETSTATE + "    self.t = self\n    return None\n"
    ), STATE


def depth():
    """Structures that would overflow the stack."""
    anything = HEAD + "  t : Any\n" + PLAIN

    def holds(value):
        return an_object("M", attributes(w=TENSOR, training=b"\x89", t=value))

    many = 100_000
    yield "3_deep_parentheses", forward("return " + "(" * many + "x" + ")" * many), MODULE
    yield "3_deep_not", forward("return torch.add(x, int(" + "not " * many + "True))"), MODULE
    yield "3_deep_sum", forward("return x" + " + x" * many), MODULE
    yield "3_deep_dots", forward("return x" + ".T" * many), MODULE
    yield "3_deep_lists", forward("l = " + "[" * many + "x" + "]" * many, "return x"), MODULE
    yield "3_deep_blocks", HEAD + FORWARD + "".join(
        " " * (4 + i) + "if True:\n" for i in range(2000)
    ) + " " * 2004 + "pass\n    return x\n", MODULE
    yield "3_deep_types", forward("l = annotate(" + "List[" * 5000 + "int" + "]" * 5000 + ", [])", "return x"), MODULE
    chain = "".join(
        f"class C{i}:\n  a : __torch__.C{i + 1}\n  def f(self: __torch__.C{i}) -> int:\n    return 1\n"
        for i in range(20000)
    ) + "class C20000:\n  a : int\n  def f(self: __torch__.C20000) -> int:\n    return 1\n"
    yield "3_deep_classes", chain + HEAD + "  t : Optional[__torch__.C0]\n" + PLAIN, holds(b"N")
    calls = "def f20000(x: Tensor) -> Tensor:\n  return x\n" + "".join(
        f"def f{i}(x: Tensor) -> Tensor:\n  return __torch__.f{i + 1}(x, )\n" for i in range(20000)
    )
    yield "3_deep_functions", calls + forward("return __torch__.f0(x, )"), MODULE
    yield "3_pickled_lists", anything, holds(b"]" * many + b"a" * (many - 1))
    yield "3_pickled_tuples", anything, holds(b"N" + b"\x85" * many)
    yield "3_pickled_circle", anything, holds(b"]q\x05h\x05a")
    yield "3_pickled_doubling", anything, holds(
        b"]" + b"".join(b"q" + bytes([i]) + b"0](h" + bytes([i]) + b"h" + bytes([i]) + b"e" for i in range(40))
    )
    yield "3_pickled_type", anything, holds(
        name("torch.jit._pickle", "restore_type_tag") + b"(]" + text("List[" * many + "int" + "]" * many) + b"tR"
    )
    yield "3_slot_of_other_type", anything.replace("Any", "__torch__.S") + (
        "class S(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n"
        "  def forward(self: __torch__.S,\n    x: Tensor) -> Tensor:\n    return x\n"
    ), holds(integer(3))
    yield "3_root_is_number", HEAD + PLAIN, integer(3)
    yield "3_root_is_tensor", HEAD + PLAIN, TENSOR


def damaged(folder):
    """Archives whose parts do not fit."""
    whole = folder / "0_plain.pt"
    archive(whole, HEAD + PLAIN)
    data = bytearray(whole.read_bytes())
    end = data.rindex(b"PK\x05\x06")
    directory = struct.unpack_from("<I", data, end + 16)[0]

    def changed(label, at, value):
        out = bytearray(data)
        out[at : at + len(value)] = value
        (folder / f"3_{label}.pt").write_bytes(out)

    changed("directory_far", end + 16, struct.pack("<I", 0x7FFFFFFF))
    changed("directory_count", end + 10, struct.pack("<H", 0xFFF0))
    changed("record_far", directory + 42, struct.pack("<I", 0x7FFFFFFF))
    changed("record_long", directory + 20, struct.pack("<II", 0x7FFFFFFF, 0x7FFFFFFF))
    changed("record_method", directory + 10, struct.pack("<H", 8))
    weights = data.index(struct.pack("<4f", 1, 2, 3, 4))
    changed("weight_flipped", weights + 1, b"\x42")
    code = data.index(b"torch.mul(x")
    changed("code_flipped", code + 6, b"a")
    # A local header 2^64 - 20 bytes into the file.
    name_size = struct.unpack_from("<H", data, directory + 28)[0]
    extra = struct.pack("<HHQ", 1, 8, 2**64 - 20)
    entry = bytearray(data[directory : directory + 46 + name_size])
    struct.pack_into("<H", entry, 30, len(extra))
    struct.pack_into("<I", entry, 42, 0xFFFFFFFF)
    rest = data[directory + 46 + name_size : end]
    tail = bytearray(data[end:])
    struct.pack_into("<I", tail, 12, len(entry) + len(extra) + len(rest))
    (folder / "3_record_wraps.pt").write_bytes(data[:directory] + entry + extra + rest + tail)
    # A megabyte of zeros that says it is a terabyte.
    bomb = folder / "3_inflates.pt"
    archive(bomb, HEAD + PLAIN, more=[("a/code/big.py", b"\0" * 1_000_000)], compression=zipfile.ZIP_DEFLATED)
    blown = bytearray(bomb.read_bytes())
    at = blown.rindex(b"a/code/big.py") - 46
    struct.pack_into("<I", blown, at + 24, 0xFFFFFFF0)
    bomb.write_bytes(blown)
    # Deflated weights that are shorter than their tensor.
    short = folder / "3_short_storage.pt"
    archive(short, HEAD + PLAIN, compression=zipfile.ZIP_DEFLATED)
    longer = MODULE.replace(integer(4) + b"tQ", integer(400_000_000) + b"tQ").replace(
        b"(" + integer(4) + b"t(", b"(" + integer(400_000_000) + b"t("
    )
    archive(short, HEAD + PLAIN, longer, compression=zipfile.ZIP_DEFLATED)
    archive(folder / "0_deflated.pt", HEAD + PLAIN, compression=zipfile.ZIP_DEFLATED)
    unused = folder / "0_unused_storage.pt"  # half a gibibyte of zeros that no pickle names
    archive(unused, HEAD + PLAIN)
    with zipfile.ZipFile(unused, "a", zipfile.ZIP_DEFLATED) as out:
        out.writestr("a/data/99", bytes(1 << 29))
    strings = folder / "3_many_records.pt"  # each record times each byte of a pickle would take minutes
    with zipfile.ZipFile(strings, "w", zipfile.ZIP_DEFLATED) as out:
        for record, content in {"data.pkl": pickle(b"\x8c\x00" * (1 << 23)), "code/__torch__.py": HEAD + PLAIN,
                                "constants.pkl": pickle(b")"), "version": "3\n"}.items():
            out.writestr(f"a/{record}", content)
        for number in range(200):
            out.writestr(f"a/data/{number:0100}", b"")


def saved_samples(folder):
    """Sample files, as torch.save writes them."""
    for label, value in {
        "itself": b"]q\x05h\x05a",
        "deep": b"]" * 100_000 + b"a" * 99_999,
    }.items():
        with zipfile.ZipFile(folder / f"sample_{label}.pt", "w") as out:
            out.writestr("s/data.pkl", pickle(value))
            out.writestr("s/version", "3\n")
            out.writestr("s/byteorder", "little")


def write_all(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for family in (denied, memory_unsafe, limits, depth):
        for label, code, data in family():
            archive(folder / f"{label}.pt", code, data)
    damaged(folder)
    saved_samples(folder)


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
# SPDX-License-Identifier: Apache-2.0

# SPDX-License-Identifier: Apache-2.0
"""Submodules, functions and methods, attributes, flags of torch; scripted and traced parts."""

MODULES = {
    "int": [
        "self.k", "len(self.names)", "self.sizes[<#0:1>]", "self.sizes[<int>]", "self.table['a']", "helper(<int>, <$T>)", "helper(<int>, <$T>)",
        "self.count(<$T>, <int>)", "self.count(<$T>, <int>)", "int(self.flag)", "len(self.parts)", "self.part.k", "self.buf.size(0)",
        "int(self.training)", "sum(self.sizes)", "int(self.buf[<#0:2>])", "self.table.get(<str>, <int>)",
    ],
    "float": ["self.w", "self.w * <int>", "float(self.buf.sum())"],
    "bool": ["self.flag", "self.training", "self.names[0] == <str>", "self.part.training", "<$T>.requires_grad", "torch.is_grad_enabled()"],
    "str": ["self.names[<#0:1>]"],
    "T": ["self.part(<$T>, <int>)", "self.part(<T>, <int>)", "self.plain(<$T>)", "self.plain(<T>)", "self.buf", "self.buf * <int>", "self.parts[<#0:1>](<$T>, <int>)"],
    "Li": ["self.sizes", "self.sizes + [<int>]"],
    "statements": [
        "<t=$T> = self.part(<t>, <int>)", "<+t:T> = self.part(<$T>, <int>)", "<+t:T> = self.plain(<$T>)", "<+n:int> = helper(<int>, <$T>)", "<+n:int> = self.count(<$T>, <int>)",
        "<+t:T> = <$T>\nfor <~m> in self.parts:\n    <t> = <m>(<t>, <int>)", "<+t:T> = <$T>\nfor <~i>, <~m> in enumerate(self.parts):\n    <t> = <m>(<t>, <i> + <int>)",
        "<+n:int> = 0\nfor <~q> in self.sizes:\n    <n> += <q> * <int>", "<+n:int> = 0\nfor <~k>, <~v> in self.table.items():\n    <n> += <v> + len(<k>)",
        "<+n:int> = helper(helper(<int>, <$T>), <$T>)", "<+t:T> = self.part(self.plain(<$T>), <int>)", "<@l:Li> = self.sizes", "<@l:Li> = [helper(<int>, <$T>), self.k]",
    ],
    "data statements": ["self.last = <int>\n<+n:int> = self.last"],
}

# What the main module is made with; `{plain}` is traced, scripted, or left to torch.
MAIN = '''class M(torch.nn.Module):
    names: List[str]
    sizes: List[int]
    table: Dict[str, int]
    def __init__(self):
        super().__init__()
        self.k = 3
        self.last = 0
        self.w = 0.5
        self.flag = True
        self.names = ['a', 'b']
        self.sizes = [2, 3]
        self.table = {{'a': 1, 'b': 4}}
        self.register_buffer('buf', torch.tensor([1.0, 2.0, 3.0]))
        self.part = {part}
        self.parts = torch.nn.ModuleList([Part(1), Part(2)])
        self.plain = {plain}
'''
PART = '''class Part(torch.nn.Module):
    def __init__(self, k: int):
        super().__init__()
        self.k = k
    def forward(self, t: Tensor, n: int):
'''
PLAIN = '''class Plain(torch.nn.Module):
    def forward(self, t: Tensor):
'''
HELPER = "def helper(n: int, t: Tensor) -> int:\n"
COUNT = "    def count(self, t: Tensor, n: int) -> int:\n"

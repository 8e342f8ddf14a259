# SPDX-License-Identifier: Apache-2.0
"""Lists, dictionaries, tuples, optionals and classes: expressions that read them, statements that change them."""

LISTS = {
    "int": [
        "<$Li>[<#-1:1>]", "<$Li>[<int>]", "len(<$Li>)", "sum(<$Li>)", "min(<$Li>)", "max(<$Li>)", "<$Li>.count(<int>)",
        "<l=$Li>.index(<l>[-1])", "len(<$Li>[<int>:])", "len(<$Li>[:<int>])", "<$Li>[::-1][0]", "<$Li>[::2][0]",
        "<$Li>[-2:][0]", "<$Li>[2:0:-1][0]", "sorted(<$Li>)[<#-1:0>]", "<$Li>.copy()[0]", "([<int>] + <$Li>)[<#-1:1>]",
        "([<int>, <int>] * <int>)[-1]", "len([<#0:2>] * <int>)", "len(<$Lf>)", "len(<$Ls>)", "int(<$Ls>[0])", "len(<$LLi>)",
        "<$LLi>[<#-1:0>][0]", "len(<$LLi>[-1])", "sum(<$LLi>[0])", "len(<$Lb>)", "int(<$Lb>[<#-1:0>])",
        "sum([<~q> * 2 for <q> in <$Li>])", "len([<~q> for <q> in range(<int>)])", "int(<$LLf>[0][<#0:1>])",
        "list(range(<int>))[-1]", "len(<$LT>)", "<$LT>[<#-1:0>].size(0)", "int(<$Lf>[-1])", "int(sum(<$Lf>))",
        "len(<$Li> + <$Li>)", "<$LTup>[<#-1:0>][0]", "len(sorted(<$Ls>)[0])", "int(<$Lf>[::-1][0])",
    ],
    "float": [
        "<$Lf>[<#-1:1>]", "sum(<$Lf>)", "max(<$Lf>)", "min(<$Lf>)", "<$Lf>[::-1][0]", "sorted(<$Lf>)[0]",
        "<$LLf>[<#-1:0>][<#0:1>]", "sum(<$LLf>[0])", "<$Lf>[<int>]", "sum([<~q> + 1 for <q> in <$Lf>])",
    ],
    "bool": [
        "<int> in <$Li>", "<$Li> == <$Li>", "<$Li> == [<int>, <int>]", "any(<$Lb>)", "all(<$Lb>)", "<$Lb>[<#-1:0>]",
        "<str> in <$Ls>", "<$Li> != [<int>]", "<float> in <$Lf>", "len(<$Li>) > <#1:3>", "<int> not in <$Li>",
    ],
    "str": ["<$Ls>[<#-1:0>]", "'-'.join(<$Ls>)", "sorted(<$Ls>)[0]", "str(<$Li>)", "<$Ls>[<int>]"],
    "T": [
        "<$LT>[<#-1:0>]", "<$LT>[<int>]", "torch.cat(<$LT>)", "torch.stack(<$LT>)", "torch.tensor(<$Li>)",
        "torch.tensor(<$Lf>)", "torch.tensor(<$Lb>)", "torch.zeros(<$Li>)", "<$LTup>[<#-1:0>][1]", "torch.cat(<$LT>[<int>:])",
        "torch.stack([<$T> * <~q> for <q> in <$Li>])", "torch.cat([<~u> * <int> for <u> in <$LT>])",
        "<$LT>[::-1][0]", "<$T> * <$Li>[<int>]", "torch.tensor(<$LLi>)", "torch.tensor(<$LLf>)",
    ],
    "Li": [
        "<$Li>", "[<int>, <int>]", "[<int>]", "[<int>, <int>, <int>]", "<$Li>[<#0:1>:]", "<$Li>[::-1]", "sorted(<$Li>)",
        "[<~q> + <int> for <q> in <$Li>]", "<$Li> + [<int>]", "<$Li>.copy()", "[<int>] * <int>", "list(range(<int>))",
        "<$Li>[:<int>]", "<$T>.shape[:2]", "list(<$T>.size())", "[<~q> * <int> for <q> in range(<int>)]",
        "[<~u>.size(0) for <u> in <$LT>]",
    ],
    "Lf": ["[<float>, <float>]", "<$Lf>", "sorted(<$Lf>)", "[<float>] * <int>", "<$Lf> + [<float>]", "[float(<~q>) for <q> in <$Li>]"],
    "Lb": ["[<bool>, <bool>]", "[<~q> > <int> for <q> in <$Li>]", "<$Lb>[::-1]"],
    "Ls": ["[<str>, <str>]", "sorted(<$Ls>)", "[str(<~q>) for <q> in <$Li>]", "<$Ls>[1:]"],
    "LT": [
        "[<T>, <T>]", "[<$T>, <$T>]", "[<$T>]", "<$LT>[::-1]", "<$LT> + [<T>]", "<$LT>[<#0:1>:]", "[<$T>] * <int>",
        "[<$T> * <~q> for <q> in range(<int>)]", "[<~u> + <int> for <u> in <$LT>]", "list(<$T>.unbind(0))",
        "<$T>.split(<int>)", "[<T>, <$T>, <$T>]", "list(torch.chunk(<$T>, <int>))",
    ],
    "LLi": ["[<Li>, <Li>]", "[[<int>], [<int>, <int>]]", "[<$Li>, <$Li>]", "[[<~q>, <int>] for <q> in <$Li>]"],
    "LTup": ["[(<int>, <T>), (<int>, <T>)]", "list(enumerate(<$LT>))", "list(zip(<$Li>, <$LT>))"],
    "statements": [
        *["<@l:Li> = <Li>"] * 4, "<@l:Lf> = <Lf>", "<@l:Lb> = <Lb>", "<@l:Ls> = <Ls>", *["<@l:LT> = <LT>"] * 3, "<@l:LLi> = <LLi>",
        "<@l:LTup> = <LTup>", "<@l:Li> = []", "<@l:LT> = []",
        "<$Li>.append(<int>)", "<$Li>.append(<int>)", "<$Li>.insert(<#0:1>, <int>)", "<$Li>.insert(<int>, <int>)",
        "<$Li>.extend(<Li>)", "<$Li> += [<int>]", "<$Li> *= <#0:2>", "<$Li> *= <int>", "<$Li>.sort()", "<$Li>.sort(reverse=True)",
        "<$Li>.reverse()", "del <$Li>[<#-1:0>]", "del <$Li>[<int>]", "<+n:int> = <$Li>.pop()", "<+n:int> = <$Li>.pop(0)",
        "<+n:int> = <$Li>.pop(-1)", "<+n:int> = <$Li>.pop(<int>)", "<l=$Li>.remove(<l>[-1])", "<$Li>.clear()",
        "<$Li>[<#-1:1>] = <int>", "<$Li>[<int>] = <int>", "<$Li>[0] += <int>", "<@l:Li> = <$Li>", "<+a:int>, <+b:int> = <$Li>",
        "<$Lf>.append(<float>)", "<$Lf>.insert(0, <float>)", "<$Lf>.extend(<Lf>)", "<$Lf>.reverse()", "<$Lf>.sort()",
        "<+f:float> = <$Lf>.pop(0)", "<$Lf>[0] = <float>", "<$Ls>.append(<str>)", "<$Ls>.sort()", "<$Ls>.reverse()",
        "<+s:str> = <$Ls>.pop(0)", "<$Lb>.append(<bool>)", "<$Lb>.reverse()", "<$LT>.append(<T>)", "<$LT>.append(<T>)",
        "<$LT>.insert(0, <T>)", "<$LT>.reverse()", "<+t:T> = <$LT>.pop(0)", "<+t:T> = <$LT>.pop(<int>)", "<$LT>[<#-1:0>] = <T>",
        "<$LT>[<int>] = <T>", "del <$LT>[0]", "<$LT>.extend(<LT>)", "<$LT> += <LT>", "<$LLi>[0].append(<int>)",
        "<$LLi>.append(<Li>)", "<$LLi>[-1][0] = <int>", "<@l:Li> = <$LLi>[0]", "<$LTup>.append((<int>, <T>))",
        "<$LT>[<#-1:0>].add_(<int>)", "<$LT>[0][<#0:1>] = <float>",
    ],
    "data statements": [
        "<@l:Li> = <$T>.long().flatten().tolist()", "<@l:Lf> = <$T>.float().flatten().tolist()",
        "<@l:LLf> = <$T>.float().tolist()", "<@l:LLi> = <$T>.long().tolist()", "<@l:Li> = [int(<$T>.sum()), <int>]",
        "<@l:Li> = [1] * abs(int(<$T>.sum()))", "<@l:LT> = list(<t=$T>[<t> > 0].unbind(0))",
        "<@l:Li> = [int(<~u>.sum()) for <u> in <$T>.unbind(0)]", "<$Li>.extend(torch.jit.annotate(List[int], <$T>.long().flatten().tolist()))",
        "<@l:Lf> = [float(<$T>.max()), <float>]",
    ],
}

DICTS = {
    "int": [
        "<$Dsi>['a']", "<$Dsi>['b']", "len(<$Dsi>)", "<$Dsi>.get('c', <int>)", "<$Dsi>.get('a', 2)", "list(<$Dsi>.values())[<#-1:0>]",
        "<d=$Dii>[list(<d>.keys())[0]]", "list(<$Dii>.keys())[<#-1:0>]", "<$Dii>.get(<int>, <int>)", "len(<$Dii>)",
        "sum(list(<$Dsi>.values()))", "max(list(<$Dii>.keys()))", "<$DsLi>['a'][<#-1:0>]", "len(<$DsLi>['a'])", "len(<$DsT>)",
        "<$DsT>['a'].size(0)", "list(<$Dsi>.items())[0][1]", "len(list(<$Dsi>.keys())[-1])", "list(<$DiT>.keys())[<#-1:0>]",
        "<$Dsi>[<str>]", "<$Dii>[<int>]", "len({<~q>: 1 for <q> in [<int>, <int>]})", "<$Dsi>.copy()['a']",
        "sum([<~q> for <q> in <$Dsi>.values()])", "int(<$Dis>[<int>])", "len(list(<$Dis>.values())[0])",
    ],
    "float": ["<$Dsf>['a']", "<$Dsf>.get('b', <float>)", "sum(list(<$Dsf>.values()))", "list(<$DfT>.keys())[0]"],
    "bool": ["<str> in <$Dsi>", "<int> in <$Dii>", "'a' in <$DsT>", "<int> in <$DiT>", "len(<$Dii>) == 2", "<float> in <$DfT>"],
    "str": ["list(<$Dsi>.keys())[<#-1:0>]", "<$Dis>[<int>]", "list(<$DsT>.keys())[-1]"],
    "T": ["<$DsT>['a']", "<$DsT>['b']", "<$DiT>[<int>]", "<$DiT>.get(<int>, <$T>)", "list(<$DsT>.values())[<#-1:0>]", "torch.stack(list(<$DiT>.values()))",
          "<$DsT>[<str>]", "<$DfT>[<float>]", "list(<$DfT>.values())[-1]"],
    "Li": ["list(<$Dsi>.values())", "list(<$Dii>.keys())", "<$DsLi>['a']"],
    "statements": [
        *["<@d:Dsi> = {'a': <int>, 'b': <int>}"] * 3, "<@d:Dii> = {<int>: <int>, <int>: <int>}", "<@d:Dii> = {<int>: <int>, 7: <int>}",
        "<@d:Dsf> = {'a': <float>}", "<@d:DsT> = {'a': <T>, 'b': <T>}", "<@d:DsT> = {'a': <$T>, 'b': <$T>}",
        "<@d:DiT> = {0: <T>, 1: <T>, 2: <$T>}", "<@d:DsLi> = {'a': <Li>}", "<@d:DiT> = {<int>: <$T>, <int>: <T>}", "<@d:Dsi> = {<str>: <int>, 'a': <int>}",
        "<@d:Dii> = {<~q>: <q> + <int> for <q> in range(<int>)}", "<@d:Dsi> = {}", "<@d:Dis> = {<int>: <str>, <int>: <str>}", "<@d:DfT> = {<float>: <$T>, <float>: <T>}",
        "<@d:Dsi> = dict([('a', <int>)])",
        "<$Dsi>['c'] = <int>", "<$Dsi>['a'] = <int>", "<$Dsi>['a'] += <int>", "<$Dsi>.update({'b': <int>})", "del <$Dsi>['a']",
        "<+n:int> = <$Dsi>.pop('a')", "<+n:int> = <$Dsi>.pop('z', <int>)", "<+n:int> = <$Dsi>.setdefault('c', <int>)",
        "<+n:int> = <$Dsi>.popitem()[1]", "<$Dsi>.clear()", "<$Dii>[<int>] = <int>", "<$Dii>.update({<int>: <int>})",
        "<+n:int> = <$Dii>.setdefault(<int>, <int>)", "<+n:int> = <$Dii>.pop(<int>, <int>)", "<$Dsf>['b'] = <float>",
        "<$DsT>['c'] = <T>", "<$DsT>['a'] = <T>", "<$DsT>['a'] += <int>", "<+t:T> = <$DsT>.pop('a')", "<$DiT>[<int>] = <T>",
        "<$DsLi>['a'].append(<int>)", "<$DsLi>['b'] = <Li>", "<$Dsi>[<str>] = <int>", "<@d:Dsi> = <$Dsi>", "<@d:Dsi> = <$Dsi>.copy()",
        "<+k:int>, <+v:int> = <$Dii>.popitem()", "<$DsT>['a'].mul_(<int>)",
        "<+n:int> = 0\nfor <~k>, <~v> in <$Dsi>.items():\n    <n> += <v> * len(<k>)", "<+n:int> = 0\nfor <~k> in <d=$Dii>:\n    <n> += <k> - <d>[<k>]",
        "<+n:int> = 0\nfor <~k> in <$Dii>.keys():\n    <n> += <k>", "<+n:int> = 0\nfor <~v> in <$DsLi>.values():\n    <n> += sum(<v>)",
    ],
}

OBJECTS = {
    "int": [
        "<$Box>.n", "<$Box>.n", "<$Box>.get()", "<$Box>.total()", "len(<$Box>.l)", "<$Box>.l[-1]", "<$Box>.d['a']", "<$Box>.twice", "len(<$Box>)",
        "<$Box>.t.size(0)", "<$Pair>.n", "<$Pair>[0]", "<$Pair>.t.size(0)", "<$Tif>[0]", "<$TiT>[0]", "len(<$Acc>.v)", "<$LBox>[<#-1:0>].n", "<$LBox>[0].total()",
        "Box(<int>, <$T>).get()", "Pair(<int>, <$T>, <float>).n", "<$Box>.least(<int>)",
    ],
    "float": ["<$Box>.w", "<$Pair>.f", "<$Tif>[1]", "<$Acc>.mean()", "sum(<$Acc>.v)"],
    "bool": ["<$Box>.has(<int>)", "<$Box>.b", "<int> in <$Box>.l", "<$Acc>.m is None", "<$Oi> is None", "<$OT> is not None"],
    "T": ["<$Box>.scaled(<T>)", "<$Box>.t", "<$Pair>.t", "<$TiT>[1]"],
    "statements": [
        *["<+b:Box> = Box(<int>, <$T>)"] * 4, "<+p:Pair> = Pair(<int>, <T>, <float>)", "<+p:Tif> = (<int>, <float>)", "<+p:TiT> = (<int>, <$T>)",
        "<+a:Acc> = Acc()", "<+b:Box> = <$Box>", "<@l:LBox> = [Box(<int>, <$T>), <$Box>]", "<@l:LBox> = [Box(<int>, <T>)]",
        "<$Box>.n = <int>", "<$Box>.n += <int>", "<$Box>.put(<int>)", "<+n:int> = <$Box>.push(<int>)", "<$Box>.l.append(<int>)", "<$Box>.l = <Li>", "<$Box>.d['a'] = <int>",
        "<$Box>.w = <float>", "<$Box>.b = <bool>", "<$Box>.t = <T>", "<$Box>.t += <int>", "<$Box>.t[<#0:1>] = <float>", "<$Box>.flip()", "<$Acc>.add(<float>)", "<$Acc>.add(<float>)",
        "<$LBox>[0].n = <int>", "<$LBox>[<#-1:0>].put(<int>)", "<$LBox>.append(<$Box>)", "<+n:int>, <+f:float> = <$Tif>", "<+n:int>, <+t:T>, <+f:float> = <$Pair>",
        "<+n:int>, <+t:T> = <$TiT>", "<+f:float> = 1.0\n<+m:Of> = <$Acc>.m\nif <m> is not None:\n    <f> = <m>",
        "<@o:Oi> = <int> if <bool> else None", "<@o:Oi> = None\nif <bool>:\n    <o> = <int>", "<@o:OT> = <$T> if <bool> else None",
        "<@o:Of> = <float>\nif <bool>:\n    <o> = None",
        "<+n:int> = <#0:3>\nif <o=$Oi> is not None:\n    <n> = <o>", "<+t:T> = <$T>\nif <o=$OT> is not None:\n    <t> = <o> * <int>",
        "<+f:float> = 0.5\nif <o=$Of> is not None:\n    <f> = <o>",
        "<@o:Oi> = <$Dsi>.get('c')", "<@o:Oi> = <$Dii>.get(<int>)", "<@o:OT> = <$DsT>.get('b')",
    ],
}

# Definitions that OBJECTS speaks of.
CLASSES = {
    "Pair": '''class Pair(NamedTuple):
    n: int
    t: Tensor
    f: float
''',
    "Box": '''@torch.jit.script
class Box:
    def __init__(self, n: int, t: Tensor):
        self.n = n
        self.w = 0.5
        self.b = False
        self.t = t
        self.l: List[int] = []
        self.d: Dict[str, int] = {'a': n}
    def get(self) -> int:
        return self.n
    def put(self, n: int):
        self.n = n
    def push(self, n: int) -> int:
        self.l.append(n)
        return len(self.l)
    def total(self) -> int:
        s = self.n
        for q in self.l:
            s += q
        return s
    def least(self, n: int) -> int:
        if self.n < n:
            return self.n
        return n
    def has(self, n: int) -> bool:
        return n in self.l or n == self.n
    def flip(self):
        self.b = not self.b
        self.l.reverse()
    def scaled(self, t: Tensor) -> Tensor:
        return t * self.n
    @property
    def twice(self) -> int:
        return self.n * 2
    def __len__(self) -> int:
        return len(self.l) + self.n
''',
    "Acc": '''@torch.jit.script
class Acc:
    def __init__(self):
        self.v: List[float] = []
        self.m = torch.jit.annotate(Optional[float], None)
    def add(self, f: float):
        self.v.append(f)
        self.m = f
    def mean(self) -> float:
        return sum(self.v) / max(len(self.v), 1)
''',
}

# SPDX-License-Identifier: Apache-2.0
"""Expressions of numbers, booleans and strings; how the templates are read stands in grammar.py."""

# Numbers of the program and of sizes.
PLAIN = {
    "int": [
        "<#-2:5>", "<$int>", "<$int>", "<$int>", "<$T>.size(<#0:1>)", "<$T>.size(0)", "<$T>.shape[-1]", "len(<$T>)",
        "<$T>.numel()", "<$T>.dim()", "(<int> + <int>)", "(<int> - <int>)", "<int> * <int>", "(<int> // <int>)",
        "(<int> % <int>)", "-<$int>", "abs(<int>)", "min(<int>, <int>)", "max(<int>, <int>)", "min(<int>, <#1:5>)",
        "max(<int>, <#1:5>)", "divmod(<int>, <#2:4>)[<#0:1>]", "math.ceil(<float>)", "math.floor(<float>)",
        "int(<float>)", "int(round(<float>))", "int(math.sqrt(abs(<int>)))", "int(<bool>)", "(<int> if <bool> else <int>)",
        "(<int> & 3)", "(<int> | 1)", "(<int> << 1)", "(<int> ^ 2)", "sum([<int>, <int>])", "math.gcd(<int>, 6)",
        "-(-<int> // 2)", "(<int>, <int>)[<#0:1>]", "min(<$T>.size(0), <#2:6>)", "max(<$T>.size(0), <#1:3>)",
        "abs(<$T>.size(0) - <#2:6>)", "(<$T>.size(0) // 2)", "(<$T>.size(0) % 2)", "(<$T>.size(0) + 1)",
        "(<$T>.size(0) - <$T>.size(0))", "(2 if <$T>.size(0) > <#1:5> else 3)",
    ],
    "float": [
        "0.5", "1.5", "-2.0", "<$float>", "<$float>", "float(<int>)", "<int> / <#1:4>", "<int> / <int>",
        "(<float> + <float>)", "<float> * <int>", "(<float> - <int>)", "min(<float>, <float>)", "max(<float>, <float>)",
        "abs(<float>)", "math.sqrt(abs(<int>))", "<int> ** 2", "float(<bool>)", "(<float> if <bool> else <float>)",
        "round(<float>)", "(<float> // 2)", "(<float> % 2)", "math.pow(<int>, 2)", "math.fmod(<int>, 3)",
    ],
    "bool": [
        "<int> > <int>", "<int> < <int>", "<int> >= <#1:6>", "<int> == <#0:5>", "<int> == <int>", "<int> != <#0:5>",
        "<int> % 2 == 0", "not (<bool>)", "(<bool> and <bool>)", "(<bool> or <bool>)", "<$bool>", "<$bool>", "bool(<int>)",
        "<float> > <float>", "<int> in [1, 3, 5]", "<int> not in (2, 4)", "1 < <int> < 5", "any([<bool>, <bool>])",
        "all([<bool>, <bool>])", "(<bool>) != (<bool>)", "<$T>.dim() == 2", "<$T>.is_floating_point()",
        "<$T>.dtype == torch.int64", "(<$T>.shape == <$T>.shape)", "(<$T>.size() == [<int>, 3])",
        "<$T>.is_contiguous()", "<$T>.size(0) == <#1:5>", "<$T>.size(0) > <#1:6>", "<$T>.size(0) % 2 == 0",
        "<$T>.size(0) != <#1:3>", "<$T>.size(0) < <$T>.size(0)", "<$T>.size(0) == <$T>.size(-1)", "<$T>.size(0) in [1, 2, 4, 8]",
    ],
}

# Numbers that tensors hold, and sizes that follow from what they hold.
DATA = {
    "int": [
        "int(<$T>.sum())", "int(<$T>.max())", "int(<$T>.flatten()[<#0:2>])", "int(<$T>.sum().item())",
        "<t=$T>[<t> > 0].numel()", "len(<t=$T>[<t> > 0.5])", "<$T>.nonzero().size(0)", "torch.unique(<$T>).numel()",
        "len(torch.where(<$T> > 0)[0])", "torch.bincount(<$T>.long().flatten().abs()).numel()",
        "torch.repeat_interleave(<t=$T>.flatten(), <t>.flatten().long().abs()).numel()",
        "torch.masked_select(<t=$T>, <t> > 0).size(0)", "torch.argwhere(<$T> > 0).shape[0]", "int(<$T>.argmax())",
        "int((<$T> > 0).sum())", "abs(int(<$T>.sum())) % 3", "len(torch.unique(<$T>))",
        "torch.jit.annotate(List[int], <$T>.long().flatten().tolist())[<#0:1>]",
        "torch.jit.annotate(List[List[float]], <$T>.float().tolist())[0].index(<float>)",
        "int(torch.tensor([<int>, <int>]).max())", "int(<$T>.any())",
    ],
    "float": ["float(<$T>.sum())", "float(<$T>.max())", "float(<$T>.sum().item())", "float(<$T>.flatten()[<#0:2>])"],
    "bool": [
        "bool((<$T> > 0).any())", "bool(<$T>.sum() > <#-1:2>)", "torch.equal(<$T>, <$T>)", "bool(<$T>.sum() == 0)",
        "<t=$T>[<t> > 0].numel() > <#1:5>", "bool(torch.all(<$T> > -1))", "torch.allclose(<$T>, <$T>)",
    ],
}

STRINGS = {
    "str": [
        "'a'", "'b'", "<$str>", "<$str>", "str(<int>)", "str(<int>)", "str(<bool>)", "str(<float>)", "'{}'.format(<int>)",
        "'n{}-{}'.format(<int>, <str>)", "f'{<$int>}-{<$int>}'", "'%d' % <int>", "('n' + <str>)", "<$str>[<#0:1>]",
        "<$str>[:<int>]", "<$str>[::-1]", "<$str>.upper()", "<$str>.replace('1', '22')", "<$str>.zfill(<int>)",
        "'-'.join([<str>, <str>])", "<$str>.split('-')[0]", "<$str>.strip('0')", "('a' if <bool> else 'b')",
        "chr(<int> + 60)", "hex(<int>)",
    ],
    "int": [
        "len(<str>)", "len(<$str>)", "int(str(<int>))", "<str>.find('1')", "<$str>.count('1')", "ord(<$str>[0]) % 5",
        "len(<$str>.split('1'))", "int(<$str>[0])", "len(str(<int>))", "int(<$str>)",
    ],
    "float": ["float(str(<int>))", "float('1.5')"],
    "bool": [
        "<str> == <str>", "<$str> == <str>", "<str> in <$str>", "<$str> in ['a', '4', '5']", "<str> < <str>",
        "<$str>.startswith('1')", "<$str>.endswith('5')", "<$str>.isdigit()", "str(<int>) == '5'", "<$str> != <str>",
    ],
    "Ls": ["<$str>.split('-')", "'a-b-c'.split('-')", "[str(<int>), <str>]"],
    "statements": [
        "<+s:str> = <str>", "<+s:str> = str(<int>)", "<s=$str> = <s> + <str>", "<s=$str> += str(<int>)",
        "<+n:int> = 0\nfor <~c> in <$str>:\n    <n> += ord(<c>) % 3", "<+s:str> = '-'.join([str(<int>), <str>])",
    ],
}

# SPDX-License-Identifier: Apache-2.0
"""Statements that hold blocks, and programs' ends."""

CONTROL = [
    *["if <bool>:\n    <block>"] * 3, *["if <bool>:\n    <block>\nelse:\n    <block>"] * 3,
    "if <bool>:\n    <block>\nelif <bool>:\n    <block>\nelse:\n    <block>",
    *["for <*i:int> in range(<int>):\n    <block>"] * 3, "for <*i:int> in range(<$T>.size(0)):\n    <block>",
    "for <*i:int> in range(<int>):\n    if <i> >= <#1:4>:\n        break\n    <block>",
    "for <*i:int> in range(<int>):\n    if <i> == <int>:\n        continue\n    <block>",
    "for <*i:int> in range(<int>, <int>):\n    <block>", "for <*i:int> in range(<int>, 0, -1):\n    <block>",
    "for <*i:int> in range(<int>):\n    if <bool>:\n        <block>", "for <*i:int> in range(<#2:3>):\n    <block>\n    if <bool>:\n        break",
    "for <*v:int> in <$Li>:\n    <block>", "for <*v:float> in <$Lf>:\n    <block>", "for <*u:T> in <$LT>:\n    <block>", "for <*s:str> in <$Ls>:\n    <block>",
    "for <*i:int>, <*v:int> in enumerate(<$Li>):\n    <block>", "for <*i:int>, <*u:T> in enumerate(<$LT>):\n    <block>",
    "for <*i:int>, <*u:T> in enumerate(<$T>.unbind(0)):\n    <block>", "for <*v:int>, <*u:T> in zip(<$Li>, <$LT>):\n    <block>",
    "for <*u:T>, <*e:T> in zip(<$T>.unbind(0), <$T>.unbind(0)):\n    <block>", "for <*u:T> in <$T>:\n    <block>",
    "for <*u:T> in <$T>.split(<#1:2>):\n    <block>", "for <*k:str>, <*v:int> in <$Dsi>.items():\n    <block>",
    "for <*k:int>, <*v:int> in <$Dii>.items():\n    <block>", "for <*k:str> in <$DsT>:\n    <block>", "for <*u:T> in <$DsT>.values():\n    <block>",
    "for <*k:int> in <$DiT>.keys():\n    <block>", "for <*b:Box> in <$LBox>:\n    <block>", "for <*q:Li> in <$LLi>:\n    <block>",
    "<+w:int> = 0\nwhile <w> < min(<int>, 9):\n    <w> += 1\n    <block>", "<+w:int> = <int>\nwhile <w> > 0:\n    <w> -= 2\n    <block>",
    "<+w:int> = 0\nwhile <w> < 5 and <bool>:\n    <w> += 1\n    <block>",
    "<+w:int> = 0\nwhile True:\n    <w> += 1\n    <block>\n    if <w> >= min(<int>, 9):\n        break",
    "with torch.no_grad():\n    <block>", "assert <bool>", "if <bool>:\n    raise ValueError('no')",
    *["if <bool>:\n    return <return>"] * 3,
    "<+t:T> = <$T>\nif <bool>:\n    <t> = <T>\nelse:\n    <t> = <T>", "<+n:int> = 1\nif <bool>:\n    <n> = <int>",
]

# Where the numbers of a program end up: <a> and <b> read its last variables, <t> is a tensor.
TENSOR_ENDS = [
    *["{t} * {a}"] * 4, *["{t} + {a}"] * 2, "{t} * {a} + {b}", "{t} * ({a} - {b})", "torch.tensor([{a}, {b}])", "{t}[:{a}]", "{t}.sum(0, keepdim={a} > {b})",
    "torch.zeros([{a}, 2]) + {t}.sum()", "{t} / max({a}, 1)", "{t}.roll({a}, 0)", "torch.full([2], {a}) * {t}.sum()", "{t} * {a} if {b} > 2 else {t} - {a}",
    "{t}.clamp(max={a})", "{t}[{a}]", "{t} * (2 if {a} > {b} else 3)", "torch.cat([{t}] * {a})", "{t}",
    "torch.tensor(float({a})) + {t}.mean()", "{t} * torch.tensor([{a}])", "{t}.flatten() * float({a})",
]
ENDS = {"T": TENSOR_ENDS, "TT": [f"{end}, {other}" for end in ("{t} * {a}", "{t} + {a}", "{t}")
                                 for other in ("torch.tensor([{a}, {b}])", "torch.zeros({b}) + {t}.sum()", "{t} * {b}", "torch.tensor({b})", "{u}", "{u} * {a}")]}

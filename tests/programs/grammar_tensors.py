# SPDX-License-Identifier: Apache-2.0
"""Tensors: expressions that take numbers, views of views, and writes through them."""

TENSORS = {
    "T": [
        *["<$T>"] * 6, "<T> * <int>", "<T> * <int>", "(<T> + <float>)", "(<T> - <int>)", "(<T> + <T>)", "<T> * <T>", "-<$T>",
        "<T> / <#1:4>", "<$T>.sum(<#0:1>, keepdim=<bool>)", "<$T>.sum(<int> % 2)", "<$T>.sum()", "<$T>.max()", "<$T>.amax(<#0:1>)",
        "torch.zeros(<int>, 3)", "torch.full([<int>, 2], <float>)", "torch.arange(<int>)", "torch.ones([<int>, <int>])",
        "<$T>[:<int>]", "<$T>[<int>:]", "<$T>[<int>]", "<$T>[::<#1:3>]", "<$T>[:, <int>:]", "<$T>[-<#1:2>]", "<$T>[..., <#0:1>]",
        "<$T>.select(0, <int>)", "<$T>.narrow(0, <#0:1>, <int>)", "<$T>.roll(<int>, 0)", "<$T>.repeat(<int>, 1)",
        "F.pad(<$T>, [0, <int>])", "torch.tensor([<int>, <int>])", "torch.tensor(<int>)", "torch.tensor(<float>)",
        "torch.where(<$T> > <int>, <T>, <T>)", "<T>.clamp(min=<int>)", "<$T>.to(torch.int64 if <bool> else torch.float32)",
        "<$T>.long()", "<$T>.float()", "<$T>.flip([<int> % 2])", "<$T>.cumsum(<int> % 2)", "torch.cat([<$T>, <$T>])",
        "torch.cat([<T>, <T>], <int> % 2)", "torch.stack([<T>, <T>])", "<$T>.matmul(<$T>.t())", "torch.ones_like(<$T>)",
        "<$T>.new_full([<int>], <int>)", "<$T>.tril(<int>)", "<t=$T>.masked_fill(<t> > 0, <float>)", "(<T> if <bool> else <T>)",
        "torch.add(<$T>, <$T>, alpha=<int>)", "<$T>.split(<#1:3>)[0]", "<$T>.chunk(2)[0]", "<$T>.abs()", "<$T>.relu()", "(<$T> > <int>)",
        "<$T>.clone()", "<T> ** <#1:2>", "<T>.unsqueeze(<int> % 2)", "<$T>.reshape(-1)", "<$T>.t()", "<$T>.reshape(<int>, -1)",
        "<$T>.flatten(<#0:1>)", "<$T>.expand(<int>, -1)", "<$T>.mean(<#0:1>)", "<$T>.index_select(0, torch.tensor([<int>, 0]))",
        "<$T>.unflatten(0, [<int>, -1])", "<$T>.argmax(<#0:1>)", "torch.einsum('ij,kj->ik', <$T>, <$T>)", "<$T>.diff(dim=0)",
    ],
    "statements": ["<+t:T> = <T>", "<+t:T> = <T>", "<+n:int> = <int>", "<+n:int> = <int>", "<+f:float> = <float>", "<+b:bool> = <bool>",
                   "<n=$int> += <int>", "<n=$int> = <n> - <int>", "<t=$T> = <t> * <int>", "<t=$T> = <t> + <T>"],
}

VIEWS = {
    "T": ["<$T>.view(-1)", "<$T>[0]", "<$T>[:, <#0:1>]", "<$T>.t()", "<$T>.transpose(0, 1)", "<$T>.unsqueeze(0)", "<$T>.expand(2, -1, -1)",
          "<$T>.contiguous()", "<$T>.squeeze()", "<$T>.unbind(<#0:1>)[0]", "<$T>.detach()", "<$T>.diagonal()", "<$T>.permute(1, 0)",
          "<t=$T>.view_as(<t>)", "<$T>.t().contiguous()", "<$T>.chunk(2)[1]", "<$T>.narrow(1, <#0:1>, <#1:2>)", "<$T>.reshape(-1)"],
    "statements": [
        *["<+m:T> = <$T>.clone()"] * 3, "<+m:T> = <$T> * 1", "<+v:T> = <$T>.view(-1)", "<+v:T> = <$T>[<#0:1>]", "<+v:T> = <$T>[:, <#0:1>]",
        "<+v:T> = <$T>.t()", "<+v:T> = <$T>.transpose(0, 1)", "<+v:T> = <$T>[<int>:]", "<+v:T> = <$T>.select(<#0:1>, <int>)",
        "<+v:T> = <$T>.unsqueeze(<#0:1>)", "<+v:T> = <$T>.expand(2, -1, -1)", "<+v:T> = <$T>.contiguous()", "<+v:T> = <$T>.t().contiguous()",
        "<+v:T> = <$T>.reshape(-1)", "<+v:T> = <$T>.squeeze(0)", "<+v:T> = <$T>.detach()", "<+v:T> = <$T>.diagonal()", "<+v:T> = <$T>",
        "<+v:T> = <$T>.flatten()", "<+v:T> = <$T>.narrow(0, <#0:1>, <int>)", "<+v:T>, <+e:T> = <$T>.chunk(2)", "<+v:T> = <$T>.unbind(0)[<#-1:0>]",
        "<+v:T> = <$T>[::2]", "<t=$T>.add_(<int>)", "<$T>.mul_(<int>)", "<$T>.add_(<T>)", "<$T>.copy_(<T>)", "<$T>.fill_(<float>)", "<$T>.zero_()",
        "<$T>[<int>] = <float>", "<$T>[<#0:1>] = <T>", "<$T>[<#0:1>] += <T>", "<$T>[:, <#0:1>] = <float>", "<$T>[:, <#0:1>] *= <int>",
        "<$T>[<int>:] = <T>", "<$T>[0, <#0:1>] = <int>", "<t=$T>[<t> > 0] = <float>", "<t=$T>.masked_fill_(<t> < 0, <float>)", "<$T> += <int>",
        "<$T> *= <T>", "<$T>.view(-1)[<#0:2>] = <float>", "<$T>.t()[0] = <float>", "<$T>.select(0, <int>).fill_(<float>)", "<$T>[::2].add_(<int>)",
        "torch.add(<$T>, <T>, out=<$T>)", "torch.mul(<$T>, <int>, out=<$T>)", "<t=$T>.view_as(<t>)[0] = <float>",
        "<$T>.index_put_([torch.tensor([0, <int>])], torch.tensor(<float>))", "<$T>.index_fill_(0, torch.tensor([0]), <float>)",
        "<$T>.clamp_(min=<int>)", "<$T>.relu_()", "<$T>.unbind(0)[<#-1:0>].mul_(<int>)", "<$T>.narrow(0, 0, <#1:2>).sub_(<T>)", "<$T>.t_()", "<$T>.unsqueeze_(0)",
        "<$T>.diagonal().add_(<int>)", "<$T>.unsqueeze(0).mul_(2)", "<$T>.squeeze_(0)", "<$T>.neg_()", "<$T>[..., -1] -= <int>",
    ],
}

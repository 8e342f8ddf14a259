# SPDX-License-Identifier: Apache-2.0
"""Layers that mix, move, join and part; embeddings; what every network has. How rows are read: layers.py."""

EACH = [  # of every kind of tensor
    "F.{relu|gelu|silu|hardswish|mish|elu|softplus|leaky_relu|hardtanh|relu6}({x})", "torch.{tanh|sigmoid|sin|abs}({x})", "F.gelu({x}, approximate='tanh')", "{x} + {z}", "{x} * torch.sigmoid({z})", "torch.cat([{x}, {z}], {a})",
    "{x}.softmax({a})", "{x}.log_softmax({a})", "{x} * `nn.Parameter(torch.randn(1))` + {0.5|1}", "{x}.chunk(2, {a})[{0|1}]", "a{k}, b{k} = {x}.chunk(2, {a})\n{y} = a{k} * torch.sigmoid(b{k})", "torch.where({x} > 0, {x}, {x} * 0.1)",
    "{x}.clamp({-1, 1|min=0.25|max=2})", "F.dropout({x}, 0.5, training=self.training)", "{x} - {x}.mean({a}, keepdim=True)", "F.normalize({x}, dim={a})", "torch.maximum({x}, {z})", "{x} * 0.5 + {z} * 0.5", "{x} / {z}.abs().clamp(min=0.5)",
    "`nn.PReLU()`({x})", "{x}.narrow({a}, 0, {C} - 1)", "{x}.flip({a})", "torch.stack([{x}, {z}], -1).{mean|amax|sum}(-1)", "{x}.roll({1|-1}, {a})", "{x}.exp().clamp(max=5).log1p()", "{x}.float().softmax({a}).type_as({x})",
    "{x} * ({0} / ({0} + 1))", "{x} / math.sqrt({0})", "{x}.new_ones({C}).sum() * {x} / {C}", "torch.cat([{x}, torch.zeros_like({x}.narrow({a}, 0, 1))], {a})",
]

DENSE = {
    "S > S": ["`nn.Linear({C}, {O}{|, bias=False})`({x})", "`nn.Sequential(nn.Linear({C}, 8), nn.{ReLU|GELU|SiLU|Tanh}(), nn.Linear(8, {O}))`({x})", "{x} + `nn.Linear(8, {C})`(F.silu(`nn.Linear({C}, 8)`({x})) * `nn.Linear({C}, 8)`({x}))",
              "`nn.Bilinear({C}, {C}, {O})`({x}, {x})", "{x} @ `nn.Parameter(torch.randn({C}, {O}))`", "torch.einsum('btc,co->bto', {x}, `nn.Parameter(torch.randn({C}, {O}))`)", "torch.baddbmm({x}, {x} @ {x}.transpose(1, 2), {x}, alpha=0.25)"],
    "V > V": ["`nn.Linear({C}, {O})`({x})", "`nn.Sequential(nn.Linear({C}, 8), nn.ReLU(), nn.Linear(8, {O}))`({x})", "torch.addmm(`nn.Parameter(torch.randn({O}))`, {x}, `nn.Parameter(torch.randn({C}, {O}))`, alpha=0.5)", "{x} @ {x}.t() @ {x}",
              "torch.cdist({x}, {x}) @ {x}", "F.cosine_similarity({x}[:, None], {x}[None], dim=2) @ {x}", "torch.einsum('bi,bj->bij', {x}, {x}).flatten(1)[:, :8]", "(`nn.Linear({C}, 8)`({x}).view({0}, 2, 4) * {x}.view({0}, {C}, 1)[:, :2]).flatten(1)"],
    "Q > Q": ["`nn.Linear({C}, {O})`({x})", "{x} + `nn.Linear(8, {C})`(F.gelu(`nn.Linear({C}, 8)`({x})))", "torch.einsum('bijc,bkjc->bikc', {x}, {x})", "torch.einsum('bikc,bjkc->bijc', {x}, {x}) / {2}", "torch.matmul(`nn.Linear({C}, {O})`({x}).transpose(2, 3).softmax(-1), {x})"],
    "I > I": ["`nn.Conv2d({C}, {O}, 1)`({x})", "torch.einsum('bchw,oc->bohw', {x}, `nn.Parameter(torch.randn({O}, {C}))`)", "a{k} = {x}.flatten(2)\n{y} = ((a{k} @ a{k}.transpose(1, 2)).softmax(-1) @ a{k}).view_as({x})", "`nn.Linear({C}, {O})`({x}.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)"],
    "L > L": ["`nn.Conv1d({C}, {O}, 1)`({x})", "`nn.Linear({C}, {O})`({x}.transpose(1, 2)).transpose(1, 2)", "torch.einsum('bcl,oc->bol', {x}, `nn.Parameter(torch.randn({O}, {C}))`)"],
    "S > Q": ["{x}[:, :, None] + {x}[:, None]", "torch.cat([{x}[:, :, None].expand(-1, -1, {1}, -1), {x}[:, None].expand(-1, {1}, -1, -1)], -1)", "torch.einsum('bic,bjc->bijc', {x}, {x})", "(`nn.Linear({C}, {O})`({x})[:, :, None] * `nn.Linear({S.C}, {O})`({S})[:, None]).tanh()"],
    "Q > S": ["{x}.{mean|amax|sum}({1|2})", "{x}.flatten(1, 2)", "{x}.reshape({0} * {1}, {2}, {C})", "{x}.flatten(0, 1)", "{x}.reshape({0}, -1, {C})", "{x}[:, :, {0|-1}]", "{x}.diagonal(0, 1, 2).transpose(1, 2)", "{x}.reshape({0} * {1}, {2}, {C}).mean(1).view({0}, {1}, {C})", "{x}.transpose(1, 2).flatten(1, 2)"],
}

SHAPES = {
    "S > S": [
        "{x}[:, {1:|:-1|::2|1::2|1:-1|:{1} // 2|{1} // 2:|-2:|:{1} - 1}]", "{x}[{::2|1:|:{0} // 2|:-1}]", "a{k} = {1} // 2 * 2\n{y} = {x}[:, :a{k}].reshape({0}, {1} // 2, 2 * {C})", "{x}.repeat(1, {2|3}, 1)", "torch.cat([{x}, {x}.flip(1)], 1)",
        "{x}[:, 1:] - {x}[:, :-1]", "torch.cat([{x}[:, :1], {x}[:, 1:] - {x}[:, :-1]], 1)", "{x}.roll(1, 1)", "{x}.cumsum(1)", "{x}.cat([{x}], 1)", "torch.cat([{x}, {z}], 1)", "torch.cat([{x}[:, {1} // 2:], {x}[:, :{1} // 2]], 1)",
        "{x}.chunk(2, 1)[{0|1}]", "{x}.tensor_split(2, 1)[{0|1}]", "a{k}, b{k} = {x}.split([{1} // 2, {1} - {1} // 2], 1)\n{y} = torch.cat([b{k}, a{k}.tanh()], 1)", "{x}.unfold(1, {2|3}, {1|2}).{mean|amax}(-1)", "{x}.unfold(1, 2, {1|2}).flatten(2)",
        "torch.cat([{x}[0::2], {x}[1::2]], 0)", "{x}.reshape({0} * {1}, {C}).view({0}, {1}, {C})", "{x}.reshape(-1, {C}).softmax(0).view({0}, {1}, {C})", "{x}.sort(1)[0]", "{x}.topk({1|2}, 1)[0]", "{x}.index_select(1, torch.arange({1} - 1, -1, -1))",
        "{x} + torch.arange({1}).to({x}.dtype)[:, None] / {1}", "{x} * torch.linspace(0, 1, {1}).to({x}.dtype)[:, None]", "{x}.view({0}, {1}, {C} // 2, 2).{transpose(2, 3).flatten(2)|mean(3)|flatten(2, 3)}", "{x}.tril()", "{x}.triu()",
        "torch.stack([{x}, {x} * 2], 2).flatten(1, 2)", "{x}.transpose(1, 2).reshape({0}, {C} * {1}).view({0}, {C}, {1}).transpose(1, 2)", "a{k} = {x}.unsqueeze(2).expand(-1, -1, 2, -1)\n{y} = a{k}.reshape({0}, {1} * 2, {C})",
        "a{k} = {x}.clone()\na{k}[:, {0|1:|::2|:{1} // 2}] = {0.5|{x}[:, :1]}\n{y} = a{k}", "{x}.new_zeros({0}, {1}, {C} + 1).index_copy(2, torch.arange({C}), {x})", "{x}.median(1, keepdim=True)[0] - {x}", "{x}.diff(dim=1)", "{x}.cummax(1)[0]",
        "torch.cat([{x}.mean(1, keepdim=True), {x}], 1)", "{x}.std(1, keepdim=True{|, unbiased=False}) + {x}", "a{k} = {x}.abs().argmax(1, keepdim=True)\n{y} = {x}.gather(1, a{k})", "{x}.masked_fill({x} < {x}.mean(1, keepdim=True), 0.0)",
    ],
    "S > L": ["{x}.transpose(1, 2)", "{x}.permute(0, 2, 1).contiguous()", "{x}.mT"], "L > S": ["{x}.transpose(1, 2)", "{x}.permute(0, 2, 1)"],
    "L > L": ["{x}[:, :, {1:|:-1|::2|:{2} // 2|{2} // 2:|-3:}]", "torch.cat([{x}[:, :, 1:], {x}[:, :, :1]], 2)", "{x}.flip(2)", "torch.cat([{x}, {z}], 2)", "{x}.view({0}, {C} // 2, 2, {2}).transpose(1, 2).reshape({0}, {C}, {2})", "{x}[..., :{2} // 2 * 2].unflatten(2, (-1, 2)).mean(3)",
              "{x}.view({0} * {C}, 1, {2}).view({0}, {C}, {2})", "`nn.Conv1d(1, 1, 3, padding=1)`({x}.reshape({0} * {C}, 1, {2})).reshape({0}, {C}, {2})"],
    "I > I": ["{x}.transpose(2, 3)", "{x}.flip({2|3})", "{x}[:, :, {1:|::2|:{2} // 2|:-1}]", "{x}.rot90(1, [2, 3])", "{x}.view({0}, {C} // 2, 2, {2}, {3}).transpose(1, 2).flatten(1, 2)", "torch.cat([{x}, {x}.flip({2|3})], {2|3})", "{x}.roll((1, -1), (2, 3))",
              "`nn.Conv2d(1, 1, 3, padding=1)`({x}.reshape({0} * {C}, 1, {2}, {3})).view({0}, {C}, {2}, {3})", "{x}.reshape({0}, {C}, {2} * {3}).softmax(-1).view({0}, {C}, {2}, {3})", "{x} - {x}.flatten(1).mean(1)[:, None, None, None]"],
    "I > S": ["{x}.flatten(2).transpose(1, 2)", "{x}.flatten(2).permute(0, 2, 1)", "{x}.permute(0, 2, 3, 1).reshape({0}, -1, {C})", "{x}.permute(0, 2, 3, 1).flatten(0, 1)", "{x}.mean(2).transpose(1, 2)"],
    "I > Q": ["{x}.permute(0, 2, 3, 1)", "{x}.permute(0, 3, 2, 1)"], "Q > I": ["{x}.permute(0, 3, 1, 2)", "{x}.permute(0, 3, 1, 2).contiguous()"], "S > I": ["{x}.unsqueeze(1)", "{x}.transpose(1, 2).unsqueeze(3)", "{x}.transpose(1, 2).unflatten(2, (1, {1}))"],
    "Q > Q": ["{x}.transpose(1, 2)", "{x}[:, {1:|::2|:-1}]", "{x}.flip({1|2})", "torch.cat([{x}, {x}.flip(1)], {1|2|3})", "{x}.cumsum({1|2})", "{x} + {x}.mean({1|2}, keepdim=True)", "{x} + `nn.Parameter(torch.randn(64, {C}))`[:{2}]",
              "a{k} = F.pad({x}, [0, 0, 0, {2} % 2, 0, {1} % 2])\n{y} = torch.cat([a{k}[:, 0::2, 0::2], a{k}[:, 1::2, 0::2], a{k}[:, 0::2, 1::2], a{k}[:, 1::2, 1::2]], -1)",
              "a{k} = F.pad({x}, [0, 0, 0, (2 - {2} % 2) % 2, 0, (2 - {1} % 2) % 2])\nb{k} = a{k}.view({0}, a{k}.size(1) // 2, 2, a{k}.size(2) // 2, 2, {C}).permute(0, 1, 3, 2, 4, 5)\n{y} = b{k}.reshape(-1, 4, {C}).softmax(1).view(b{k}.shape).permute(0, 1, 3, 2, 4, 5).reshape({0}, a{k}.size(1), a{k}.size(2), {C})"],
    "V > S": ["{x}.unsqueeze(1)", "{x}[:, None].expand(-1, {3|{0}}, -1)", "{x}.unsqueeze(1).repeat(1, {S}.size(1), 1) + {S}[:, :, :1]", "{x}.view({0}, {C} // 2, 2)", "{S} + `nn.Linear({C}, {S.C})`({x}).unsqueeze(1)", "{S} * torch.sigmoid(`nn.Linear({C}, {S.C})`({x}))[:, None]",
              "torch.cat([{S}, {x}[:, None].expand(-1, {S}.size(1), -1)], 2)", "{x}.expand({2|3}, -1, -1).transpose(0, 1)", "{x}.unsqueeze(0)"],
    "V > V": ["{x}[:, :{C} // 2]", "torch.cat([{x}, {x}[:, :1]], 1)", "{x} - {x}.mean(0)", "{x}.cumsum(0)", "{x}.flip(0)", "torch.cat([{x}, {x}], 0)", "{x}[{1:|::2|:{0} // 2}]", "{x}.repeat_interleave(2, 0)", "{x}.view({0}, 1, {C}).mean(1)"],
    "V > L": ["{x}.unsqueeze(2)", "{x}.unsqueeze(-1).expand(-1, -1, {3|{0}})"],
}

EMBEDDINGS = {
    "D > S": ["`nn.Embedding({12|5}, {O}{||, padding_idx=0})`({x})", "F.one_hot({x}.clamp(0, 4), 5).to(`nn.Parameter(torch.randn(1))`.dtype)", "`nn.Embedding(9, {O})`({x}.clamp({0|1}, 8)) * math.sqrt({O})", "`nn.Embedding(9, {O})`({x}.abs()) + `nn.Embedding(64, {O})`(torch.arange({1}))",
              "F.embedding({x}, `nn.Parameter(torch.randn(12, {O}))`)", "`nn.Parameter(torch.randn(12, {O}))`[{x}]", "`nn.Embedding(12, {O})`({x}[:, {1:|:-1|::2}])", "`nn.Embedding(9, {O})`({x} % 9){| * ({x} != 0).unsqueeze(-1)}"],
    "D > V": ["`nn.EmbeddingBag(12, {O}, mode='{mean|sum|max}')`({x})", "`nn.Embedding(12, {O})`({x}).{mean|sum|amax}(1)"],
    "D > D": ["F.pad({x}, [{0|1}, 1], value={0|1|2})", "{x}.clamp(max=3)", "{x}.flip(1)", "torch.cat([{x}, torch.zeros_like({x}[:, :1])], 1)", "{x}.roll(1, 1)"],
    "S > D": ["{x}.argmax(-1)", "({x}.sum(-1) > 0).long()"],
}

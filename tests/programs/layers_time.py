# SPDX-License-Identifier: Apache-2.0
"""Layers over time: recurrent layers, loops over rows, attention, masks, spectra. How rows are read: layers.py."""

RECURRENT = {
    "S > S": [
        "`nn.{GRU|LSTM|RNN}({C}, {O}, {1|1|2}, batch_first=True, bidirectional={True|False})`({x})[0]",
        "`nn.LSTM({C}, 4, batch_first=True, proj_size=2, bias={True|False})`({x})[0]",
        "`nn.RNN({C}, {O}, nonlinearity='relu', batch_first=True)`({x})[0]",
        "`nn.{GRU|LSTM}({C}, {O}, bidirectional={True|False})`({x}.transpose(0, 1))[0].transpose(0, 1)",
        "`nn.GRU({C}, {O}, batch_first=True)`({x}, {x}.new_zeros(1, {0}, {O}))[0]",
        "`nn.{GRU|LSTM|RNN}({C}, {O}, batch_first=True)`({x}.flip(1))[0].flip(1)",
        "`nn.{GRU|LSTM}({C}, {O}, batch_first=True)`({x}[:, {::2|1:|:-1|:{1} // 2|{1} // 2:}])[0]",
        "`nn.GRU({C}, {O}, batch_first=True)`(F.pad({x}, [0, 0, {1|2}, {0|1}]))[0]{|[:, 1:]}",
        "`nn.{GRU|LSTM}({C}, {O}, batch_first=True)`(torch.cat([{x}, {x}.flip(1)], {0|1}))[0]",
        "a{k} = {x}.reshape({0} * {1}, 1, {C})\n{y} = `nn.{GRU|LSTM}({C}, {O}, batch_first=True)`(a{k})[0].view({0}, {1}, {O})",
        "a{k} = `nn.LSTM({C}, {O}, batch_first=True)`\nb{k}, c{k} = a{k}({x})\n{y} = a{k}({x}, c{k})[0]",
    ],
    "S > V": [
        "`nn.{GRU|RNN}({C}, {O}, {1|2}, batch_first=True, bidirectional={True|False})`({x})[1][-1]",
        "`nn.LSTM({C}, {O}, batch_first=True)`({x})[1][{0|1}][0]",
        "`nn.GRU({C}, {O}, 2, batch_first=True, bidirectional={True|False})`({x})[1].transpose(0, 1).flatten(1)",
        "a{k} = `nn.GRU({C}, {O}, batch_first=True, bidirectional=True)`({x})[1]\n{y} = torch.cat([a{k}[0], a{k}[1]], 1)",
    ],
    "V > V": [
        "`nn.GRUCell({C}, {O})`({x})", "`nn.LSTMCell({C}, {O})`({x})[0]", "`nn.RNNCell({C}, {O})`({x})",
        "`nn.GRUCell({C}, {V.C})`({x}, {V})",
    ],
    "Q > Q": [
        "`nn.{GRU|LSTM}({C}, {O}, batch_first=True{|, bidirectional=True})`({x}.flatten(0, 1))[0].reshape({0}, {1}, {2}, -1)",
        "`nn.GRU({C}, {O}, batch_first=True)`({x}.reshape({0} * {1}, {2}, {C}))[0].view({0}, {1}, {2}, {O})",
        "a{k} = {x}.transpose(1, 2).flatten(0, 1)\n{y} = `nn.{GRU|LSTM}({C}, {O}, batch_first=True)`(a{k})[0].view({0}, {2}, {1}, {O}).transpose(1, 2)",
        "{x} + `nn.LSTM({C}, {C}, batch_first=True)`({x}.flatten(0, 1))[0].view_as({x})",
    ],
    "data S > S": [
        "a{k} = nn.utils.rnn.pack_padded_sequence({x}, {n}.abs().clamp(1, {1}), batch_first=True, enforce_sorted=False)\n"
        "b{k}, c{k} = nn.utils.rnn.pad_packed_sequence(`nn.GRU({C}, {O}, batch_first=True)`(a{k})[0], batch_first=True)\n{y} = b{k}",
    ],
}

# Loops are scripted: a trace holds the sample's iterations.
LOOPS = {
    "script S > S": [
        "h{k} = {x}.new_zeros({0}, {O})\na{k}: List[Tensor] = []\nfor i in {range({1})|range({1} - 1, -1, -1)|range(0, {1}, 2)}:\n"
        "    h{k} = `nn.{GRUCell|RNNCell}({C}, {O})`({x}[:, i], h{k})\n    a{k}.append(h{k})\n{y} = torch.stack(a{k}, 1)",
        "h{k} = {x}.new_zeros({0}, {O})\nc{k} = {x}.new_zeros({0}, {O})\na{k}: List[Tensor] = []\nfor r in {x}.unbind(1):\n"
        "    h{k}, c{k} = `nn.LSTMCell({C}, {O})`(r, (h{k}, c{k}))\n    a{k}.append({h{k}|h{k} + c{k}})\n{y} = torch.stack(a{k}, 1)",
        "h{k} = {x}[:, 0]\na{k} = [h{k}]\nfor i in range(1, {1}):\n    h{k} = {0.5 * h{k} + {x}[:, i]|torch.maximum(h{k} - 0.5, {x}[:, i])|`nn.Linear({C}, {C})`(h{k}).tanh() + {x}[:, i]}\n"
        "    a{k}.append(h{k})\n{y} = torch.stack(a{k}, 1)",
        "{y} = torch.zeros_like({x})\nfor i in range({1}):\n    {y}[:, i] = `nn.Linear({C}, {C})`({x}[:, i]) + {x}[:, {0|i|max(i - 1, 0)}]",
        "h{k} = {x}.new_zeros({0}, {C})\na{k}: List[Tensor] = []\nfor i in range({1}):\n    if i % 2 == 0:\n        h{k} = h{k} + {x}[:, i]\n"
        "    else:\n        h{k} = h{k} * 0.5 - {x}[:, i]\n    a{k}.append(h{k})\n{y} = torch.stack(a{k}, 1)",
        "a{k}: List[Tensor] = []\nfor i in range({1} - 1):\n    a{k}.append(`nn.Linear(2 * {C}, {O})`(torch.cat([{x}[:, i], {x}[:, i + 1]], 1)))\n{y} = torch.stack(a{k}, 1)",
        "a{k}: List[Tensor] = []\nfor i in range({0}):\n    a{k}.append({{x}[i] @ {x}[i].t() @ {x}[i]|`nn.Linear({C}, {O})`({x}[i])|{x}[i].softmax(0)})\n{y} = torch.stack(a{k})",
        "a{k}: List[Tensor] = []\nfor r in {x}.split({1|2}, 1):\n    a{k}.append(r{ - r.mean(1, keepdim=True)|.cumsum(1)|.tanh()})\n{y} = torch.cat(a{k}, 1)",
        "h{k} = {x}\nfor i in range({3|4}):\n    h{k} = `nn.Linear({C}, {C})`(h{k}) / (i + 1) + {x}\n{y} = h{k}",
        "h{k} = `nn.Linear({C}, {O})`({x}[:, 0])\nfor i in range({1}):\n    a{k} = torch.softmax(torch.bmm(`nn.Linear({C}, {O})`({x}), h{k}.unsqueeze(2)), 1)\n"
        "    h{k} = `nn.GRUCell({C}, {O})`((a{k} * {x}).sum(1), h{k})\n{y} = h{k}.unsqueeze(1)",
    ],
    "script S > V": [
        "h{k} = {x}.new_zeros({0}, {O})\nfor i in range({1}):\n    h{k} = `nn.GRUCell({C}, {O})`({x}[:, i], h{k})\n{y} = h{k}",
        "h{k} = {x}[:, 0]\nfor i in range(1, {1}):\n    h{k} = {torch.maximum(h{k}, {x}[:, i])|h{k} * 0.5 + {x}[:, i]}\n{y} = h{k}",
    ],
    "script Q > Q": [
        "a{k}: List[Tensor] = []\nfor i in range({1}):\n    a{k}.append(`nn.GRU({C}, {O}, batch_first=True)`({x}[:, i])[0])\n{y} = torch.stack(a{k}, 1)",
    ],
}

CAUSAL = "torch.ones({1}, {1}, dtype=torch.bool).triu(1)"
HIDDEN = "torch.full(({1}, {1}), float('-inf')).triu(1)"
HEADS = "".join(f"{name}{{k}} = `nn.Linear({{C}}, 4)`({{x}}).{{view|reshape}}({{0}}, {{1}}, 2, 2).transpose(1, 2)\n" for name in "qkv")

ATTENTION = {
    "S > S": [
        "`nn.MultiheadAttention({C}, {1|2}, batch_first=True)`({x}, {x}, {x}{|, need_weights=False|, key_padding_mask=~{M}})[0]",
        f"`nn.MultiheadAttention({{C}}, {{1|2}}, batch_first=True)`({{x}}, {{x}}, {{x}}, attn_mask={{{CAUSAL}|{HIDDEN}}}{{|, need_weights=False}})[0]",
        "`nn.MultiheadAttention({C}, 1, batch_first=True{|, add_zero_attn=True|, add_bias_kv=True|, bias=False})`({x}, {x}, {x})[0]",
        "`nn.MultiheadAttention({C}, {1|2}, kdim={S.C}, vdim={S.C}, batch_first=True)`({x}, {S}, {S}{|, need_weights=False})[0]",
        "`nn.MultiheadAttention({C}, {1|2})`({x}.transpose(0, 1), {x}.transpose(0, 1), {x}.transpose(0, 1))[0].transpose(0, 1)",
        "a{k} = {x}.transpose(0, 1)\n{y} = {x} + `nn.MultiheadAttention({C}, {1|2})`(a{k}, a{k}, a{k}, need_weights=False)[0].transpose(0, 1)",
        "F.scaled_dot_product_attention(`nn.Linear({C}, {O})`({x}), `nn.Linear({C}, {O})`({x}), `nn.Linear({C}, 6)`({x}){|, is_causal=True|, scale=0.5})",
        f"F.scaled_dot_product_attention({{x}}, {{x}}, {{x}}, attn_mask={{~{CAUSAL}|~{CAUSAL}[None]|{{M}}[:, None]|torch.logical_or({{M}}[:, None], torch.eye({{1}}, dtype=torch.bool))}})",
        HEADS + "{y} = F.scaled_dot_product_attention(q{k}, k{k}, v{k}{|, is_causal=True|, attn_mask={M}[:, None, None]}).transpose(1, 2).reshape({0}, {1}, 4)",
        HEADS + "a{k} = q{k} @ k{k}.transpose(-2, -1) / math.sqrt(2)\n"
        f"a{{k}} = a{{k}}{{|.masked_fill({CAUSAL}, float('-inf'))|.masked_fill(~{{M}}[:, None, None], -10000.0)|.masked_fill(~{{M}}[:, None, None], float('-inf'))}}\n"
        "{y} = (torch.softmax(a{k}, -1) @ v{k}).transpose(1, 2).flatten(2)",
        "a{k} = `nn.Linear({C}, 12)`({x}).reshape({0}, {1}, 3, 2, 2).permute(2, 0, 3, 1, 4)\nq{k}, k{k}, v{k} = {a{k}.unbind(0)|a{k}[0], a{k}[1], a{k}[2]}\n"
        "{y} = ((q{k} @ k{k}.transpose(-2, -1) * 0.7).softmax(-1) @ v{k}).transpose(1, 2).reshape({0}, {1}, 4)",
        "a{k} = torch.einsum('bqc,bkc->bqk', `nn.Linear({C}, {O})`({x}), `nn.Linear({C}, {O})`({x})).softmax({2|-1|1})\n{y} = torch.einsum('bqk,bkc->bqc', a{k}, {x})",
        "a{k} = `nn.Linear({C}, 4)`({x}).softmax(1)\n{y} = `nn.Linear({C}, 4)`({x}).softmax(2) @ (a{k}.transpose(1, 2) @ {x})",
        "a{k} = torch.arange({1})\nb{k} = {x} @ {x}.transpose(1, 2) - (a{k}[None] - a{k}[:, None]).abs() * 0.25\n{y} = b{k}.softmax(-1) @ {x}",
        "a{k} = torch.arange({1})\nb{k} = `nn.Embedding(9, 1)`((a{k}[None] - a{k}[:, None]).clamp(-4, 4) + 4).squeeze(-1)\n{y} = ({x} @ {x}.transpose(1, 2) + b{k}).softmax(-1) @ {x}",
        "a{k} = torch.arange({1}).to({x}.dtype)[:, None] * torch.tensor([1.0, 0.1]).to({x}.dtype)\nb{k} = `nn.Linear({C}, 4)`({x})\n"
        "{y} = torch.cat([b{k}[..., :2] * a{k}.cos() - b{k}[..., 2:] * a{k}.sin(), b{k}[..., 2:] * a{k}.cos() + b{k}[..., :2] * a{k}.sin()], -1)",
        "p{k} = (4 - {1} % 4) % 4\na{k} = F.pad({x}, [0, 0, 0, p{k}])\na{k} = a{k}.reshape({0}, a{k}.size(1) // 4, 4, {C})\n"
        "a{k} = F.scaled_dot_product_attention(a{k}, a{k}, a{k})\n{y} = a{k}.reshape({0}, -1, {C})[:, :{1}]",
        "a{k} = torch.arange({1})\n{y} = F.scaled_dot_product_attention({x}, {x}, {x}, attn_mask=(a{k}[None] - a{k}[:, None]).abs() <= {1|2})",
        "`nn.TransformerEncoderLayer({C}, {1|2}, 8, batch_first=True, norm_first={True|False}, activation='{relu|gelu}')`({x}"
        f"{{||, src_key_padding_mask=~{{M}}|, src_mask={HIDDEN}|, src_mask={CAUSAL}}})",
        "`nn.TransformerEncoder(nn.TransformerEncoderLayer({C}, {1|2}, 8, batch_first=True), {1|2}, enable_nested_tensor={False|False|True})`({x}"
        f"{{||, src_key_padding_mask=~{{M}}|, mask={HIDDEN}|, mask={HIDDEN}, is_causal=True}})",
        "`nn.TransformerEncoder(nn.TransformerEncoderLayer({C}, 1, 8), 2)`({x}.transpose(0, 1)).transpose(0, 1)",
        f"`nn.TransformerDecoderLayer({{C}}, 1, 8, batch_first=True)`({{x}}, {{z}}{{|, tgt_mask={HIDDEN}|, memory_key_padding_mask=~{{M}}}})",
        "{x} + `nn.Embedding(64, {C})`(torch.arange({1}))", "{x} + `nn.Parameter(torch.randn(1, 64, {C}))`[:, :{1}]",
        "torch.cat([`nn.Parameter(torch.randn(1, 1, {C}))`.expand({0}, -1, -1), {x}], 1)",
        "{x} + `nn.Embedding(64, {C})`(torch.arange({1}).expand({0}, {1}))",
    ],
    "S > V": [
        "({x} * `nn.Linear({C}, 1)`({x}).softmax(1)).sum(1)",
        "a{k} = `nn.Linear({C}, 1)`({x}).squeeze(-1).masked_fill(~{M}, {-10000.0|float('-inf')})\n{y} = torch.bmm(a{k}.softmax(1).unsqueeze(1), {x}).squeeze(1)",
        "`nn.MultiheadAttention({C}, 1, batch_first=True)`(`nn.Parameter(torch.randn(1, 1, {C}))`.expand({0}, 1, {C}), {x}, {x})[0][:, 0]",
        "({x} * {M}.unsqueeze(-1)).sum(1) / {M}.sum(1, keepdim=True).clamp(min=1)", "{x}.masked_fill(~{M}.unsqueeze(2), {-100.0|0.0}).amax(1)",
    ],
    "Q > Q": [
        "F.scaled_dot_product_attention({x}, {x}, {x}{|, is_causal=True})", "a{k} = {x}.transpose(1, 2)\n{y} = F.scaled_dot_product_attention(a{k}, a{k}, a{k}).transpose(1, 2)",
        "a{k} = {x}.flatten(0, 1)\n{y} = `nn.MultiheadAttention({C}, 1, batch_first=True)`(a{k}, a{k}, a{k})[0].reshape({0}, {1}, {2}, {C})",
        "a{k} = {x}.reshape({0} * {1}, {2}, {C})\n{y} = `nn.TransformerEncoderLayer({C}, 1, 8, batch_first=True)`(a{k}).view({0}, {1}, {2}, {C})",
        "a{k} = {x}.permute(0, 2, 1, 3).reshape({0} * {2}, {1}, {C})\n{y} = {x} + F.scaled_dot_product_attention(a{k}, a{k}, a{k}).reshape({0}, {2}, {1}, {C}).permute(0, 2, 1, 3)",
    ],
}

MASKS = {
    "S > S": [
        "{x} * {M}.unsqueeze(-1)", "{x}.masked_fill(~{M}[:, :, None], {0.0|1.0})", "torch.where({M}[:, :, None], {x}, `nn.Parameter(torch.randn({C}))`)",
        "{x} * ((torch.arange({1}) % 2) == 0)[:, None]", "{x} * (torch.arange({1})[:, None] < {1} - {1|2})", "{x}[:, :, None].masked_fill(torch.eye({1}, dtype=torch.bool)[None, :, :, None], 0.0).amax(1)",
        "(torch.ones({1}, {1}).tril().to({x}.dtype) / torch.arange(1, {1} + 1).to({x}.dtype)[:, None]) @ {x}", "{x}.cumsum(1) / torch.arange(1, {1} + 1)[None, :, None]",
        "torch.ones_like({x}[..., :1]).triu() * {x}", "{x} - ({x} * {M}[..., None]).sum(1, keepdim=True) / {M}.sum(1)[:, None, None].clamp(min=1)",
    ],
    "data S > V": ["a{k} = ({n}.abs().clamp(1, {1}) - 1)[:, None, None].expand(-1, 1, {C})\n{y} = {x}.gather(1, a{k})[:, 0]",
                   "{x}[torch.arange({0}), {n}.abs().clamp(max={1} - 1)]"],
    "data S > S": ["{x}[:, :int({n}.abs().max().clamp(1, {1}))]", "{x} * (torch.arange(int({n}.abs().max().clamp(1, {1})))[None] < {n}[:, None]).any(1)[:, None, None]"],
}

SPECTRA = {
    "W > L": [
        "torch.stft({x}, {8|6}, {4|2|3}, window=`torch.hann_window({8|6})`, return_complex=True{|, center=False|, pad_mode='constant'|, normalized=True}).abs()",
        "torch.stft({x}, 8, 4, window=`torch.ones(8)`, return_complex=True).abs().pow(2).clamp(min=1e-5).log()", "{x}.unsqueeze(1)",
        "torch.view_as_real(torch.stft({x}, 8, 4, window=`torch.hann_window(8)`, return_complex=True)).permute(0, 1, 3, 2).flatten(1, 2)",
    ],
    "W > S": [
        "{x}.unfold(1, {4|6}, {2|3|4})", "torch.fft.rfft({x}.unfold(1, 8, {4|3}) * `torch.hann_window(8)`, dim={2|-1}).abs()", "{x}.unsqueeze(2)",
        "a{k} = F.pad({x}, [0, (4 - {1} % 4) % 4])\n{y} = a{k}.view({0}, -1, 4)",
    ],
    "W > W": [
        "torch.cat([{x}[:, :1], {x}[:, 1:] - 0.75 * {x}[:, :-1]], 1)", "F.pad({x}.unsqueeze(1), [{2|3}, {2|3}], mode='{reflect|constant}').squeeze(1)", "{x} / {x}.abs().amax(1, keepdim=True).clamp(min=0.5)",
        "a{k} = torch.stft({x}, 8, 2, window=`torch.hann_window(8)`, return_complex=True)\n{y} = torch.istft(a{k} * {0.5|`torch.rand(5, 1)`}, 8, 2, window=`torch.hann_window(8)`{|, length={1}})",
        "({x} - {x}.mean(1, keepdim=True)) / {x}.{var(1, keepdim=True, unbiased=False).add(1e-3).sqrt()|std(1, keepdim=True).add(1e-3)}",
    ],
    "L > W": ["`nn.Conv1d({C}, 1, 1)`({x}).squeeze(1)", "`nn.ConvTranspose1d({C}, 1, 4, {2|4})`({x})[:, 0]", "{x}.mean(1)"],
    "S > S": ["torch.fft.fft(torch.fft.fft({x}, dim=-1), dim=1).real", "torch.fft.rfft({x}, dim=2).abs()", "a{k} = torch.fft.rfft({x}, dim=1)\n{y} = torch.fft.irfft(a{k} * `torch.rand({C})`, n={1}, dim=1)",
              "torch.fft.irfft(torch.fft.rfft({x}, dim=2), n={C}, dim=2)"],
}

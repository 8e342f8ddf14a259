# SPDX-License-Identifier: Apache-2.0
"""Layers over space: convolutions, pools, resizing, norms, pads. How rows are read: layers.py."""

MODE = "{|||, padding_mode='reflect'|, padding_mode='replicate'|, padding_mode='circular'}"

CONVOLUTIONS = {
    "L > L": [
        f"`nn.Conv1d({{C}}, {{O}}, {{1|2|3|3|5}}, {{1|1|2|3}}, {{0|1|2}}, {{1|1|2}}, bias={{True|False}}{MODE})`({{x}})",
        f"`nn.Conv1d({{C}}, {{O}}, {{2|3|4}}, padding='same', dilation={{1|2}}{MODE})`({{x}})",
        "`nn.Conv1d({C}, {C}, 3, padding=1, groups={C})`({x})", "`nn.Conv1d({C}, 6, 3, {1|2}, padding=1, groups={2|3})`({x})",
        "`nn.ConvTranspose1d({C}, {O}, {2|3|4}, {1|2|2|3}, {0|1}{|, output_padding=1}, dilation={1|1|2})`({x})", "`nn.ConvTranspose1d({C}, {C}, 4, 2, 1, groups={C})`({x})",
        "`nn.Conv1d({C}, {O}, 3, dilation={1|2})`(F.pad({x}, [{2|4}, 0]))", "{x} + `nn.Conv1d({C}, {C}, 3, padding={1|2}, dilation={1|2})`({x})[:, :, :{2}]",
        "`nn.utils.parametrizations.weight_norm(nn.Conv1d({C}, {O}, 3, padding=1))`({x})", "F.glu(`nn.Conv1d({C}, 8, 3, padding=1)`({x}), 1)",
        "F.conv1d({x}, `nn.Parameter(torch.randn({O}, {C}, 3))`, padding=1)", "F.conv1d({x}, `torch.ones({C}, 1, 3)`, groups={C}, {padding|dilation}={1|2})",
        "a{k} = `nn.Conv1d({C}, 4, 3, 2, 1)`({x})\nb{k} = `nn.ConvTranspose1d(4, {O}, 3, 2, 1)`(a{k}, output_size=[{2}])\n{y} = torch.cat([{x}, b{k}], 1)",
        "a{k} = `nn.Conv1d({C}, 4, 3, 2, 1)`({x})\nb{k} = `nn.ConvTranspose1d(4, {O}, {2|4}, 2)`(a{k}){[:, :, :{2}]|[..., :{x}.size(-1)]}\n{y} = torch.cat([{x}, b{k}], 1)",
        "torch.tanh(`nn.Conv1d({C}, {O}, 3, padding=1)`({x})) * torch.sigmoid(`nn.Conv1d({C}, {O}, 3, padding=1)`({x}))",
    ],
    "I > I": [
        f"`nn.Conv2d({{C}}, {{O}}, {{1|2|3|3|(3, 2)}}, {{1|1|2|(2, 1)}}, {{0|1|(1, 0)}}, {{1|1|2|(1, 2)}}, bias={{True|False}}{MODE})`({{x}})",
        "`nn.Conv2d({C}, {O}, {2|3}, padding='same')`({x})", "`nn.Conv2d({C}, {C}, 3, {1|2}, padding=1, groups={C})`({x})", "`nn.Conv2d({C}, 6, 3, padding=1, groups={2|3})`({x})",
        "`nn.ConvTranspose2d({C}, {O}, {2|3|4}, {1|2|2|(1, 2)}, {0|1}{|, output_padding=1})`({x})", "`nn.Conv2d({C}, {O}, 2, 2)`({x})",
        "`nn.Conv2d({C}, {O}, {3|(1, 3)}, {1|2})`(F.pad({x}, [1, 1, {0|1}, 1]{|, mode='{reflect|replicate|circular}'}))",
        "{x} + `nn.Conv2d({C}, {C}, 1)`(F.relu6(`nn.Conv2d({C}, {C}, 3, padding=1, groups={C})`({x})))",
        "a{k} = `nn.Conv2d({C}, 4, 3, 2, 1)`({x})\nb{k} = `nn.ConvTranspose2d(4, {O}, 2, 2)`(a{k})\n{y} = torch.cat([{x}, b{k}[:, :, :{2}, :{3}]], 1)",
        "a{k} = `nn.Conv2d({C}, 4, 3, 2, 1)`({x})\nb{k} = `nn.ConvTranspose2d(4, {O}, 3, 2, 1)`(a{k}, output_size={[{2}, {3}]|{x}.size()[2:]})\n{y} = torch.cat([{x}, b{k}], 1)",
        "torch.cat([`nn.Conv2d({C}, 2, 1)`({x}), `nn.Conv2d({C}, 3, 3, padding=1)`({x}), `nn.Conv2d({C}, 2, 3, padding=2, dilation=2)`({x})], 1)",
        "F.fold(F.unfold({x}, {2|3}, padding={0|1}), [{2}, {3}], {2|3}, padding={0|1})",
    ],
    "L > S": ["F.unfold({x}.unsqueeze(2), (1, 3), padding=(0, 1)).transpose(1, 2)", "{x}.unfold(2, {3|4}, {1|2}).permute(0, 2, 1, 3).flatten(2)"],
    "I > S": ["F.unfold({x}, {2|(2, 1)}, {|stride=2|padding=1}).transpose(1, 2)", "`nn.Conv2d({C}, {O}, 2, 2)`({x}).flatten(2).transpose(1, 2)"],
    "S > S": ["`nn.Conv1d({C}, {O}, 3, padding={1|2})`({x}.transpose(1, 2)).transpose(1, 2)", "`nn.Conv1d({C}, {O}, 3, {1|2})`(F.pad({x}.transpose(1, 2), [2, 0])).transpose(1, 2)"],
    "W > L": ["`nn.Conv1d(1, {O}, {3|4|5}, {1|2|3}, {0|1|2})`({x}[:, None])"],
}

POOLS = {
    "L > L": [
        "F.max_pool1d({x}, {2|3}{|, {1|2}|, 2, 1}{|, ceil_mode=True})", "F.avg_pool1d({x}, {2|3}{|, {1|2}|, 2, 1}{|, ceil_mode=True|, count_include_pad=False})", "F.lp_pool1d({x}.abs() + 0.5, {2|3}, {2|3}{|, 1})",
        "F.adaptive_{avg|max}_pool1d({x}, {1|2|3})", "F.adaptive_avg_pool1d({x}, {{2} // 2|{z}.size(2)})", "{x} - F.avg_pool1d({x}, 3, 1, 1)", "`nn.MaxPool1d(2, dilation={1|2})`({x})",
    ],
    "I > I": [
        "F.max_pool2d({x}, {2|3|(2, 1)}{|, {1|2}|, 2, 1}{|, ceil_mode=True})", "F.avg_pool2d({x}, {2|3|(1, 2)}{|, {1|2}|, 2, 1}{|, ceil_mode=True|, count_include_pad=False|, divisor_override=3})",
        "F.adaptive_{avg|max}_pool2d({x}, {1|2|(1, 2)|(3, 2)})", "F.adaptive_avg_pool2d({x}, (None, {1|2}))", "F.lp_pool2d({x}.abs() + 0.5, 2, 2)", "F.avg_pool2d({x}, {x}.shape[2:])", "F.adaptive_avg_pool2d({x}, [{2} // 2, {3} // 2])",
        "{x} * torch.sigmoid(`nn.Conv2d({C}, {C}, 1)`({{x}.mean((2, 3), keepdim=True)|F.adaptive_avg_pool2d({x}, 1)}))",
        "torch.cat([F.interpolate(F.adaptive_avg_pool2d({x}, {1|2}), size=[{2}, {3}], mode='{nearest|bilinear}'), {x}], 1)",
    ],
    "L > V": ["{x}.{mean|amax|sum}(2)", "F.adaptive_{avg|max}_pool1d({x}, {1|2}).flatten(1)", "torch.cat([{x}.mean(2), {x}.std(2{|, unbiased=False})], 1)", "F.max_pool1d({x}, {2}).squeeze(2)"],
    "I > V": ["{x}.mean({(2, 3)|[-2, -1]})", "{x}.amax((2, 3))", "F.adaptive_{avg|max}_pool2d({x}, {1|2}).flatten(1)", "F.avg_pool2d({x}, [{2}, {3}])[:, :, 0, 0]", "{x}.flatten(2).{mean|amax|logsumexp}(-1)"],
    "S > V": ["{x}.{mean|amax|sum|amin}(1)", "{x}[:, {0|-1}]", "{x}.max(1)[0]", "{x}.norm(2, 1)", "{x}.topk(1, 1)[0].squeeze(1)", "{x}.logsumexp(1)", "({x}.sum(1) / {1}){|.tanh()}", "{x}.select(1, {1} // 2)"],
    "S > S": ["F.max_pool1d({x}.transpose(1, 2), 2{|, ceil_mode=True}).transpose(1, 2)", "F.avg_pool1d({x}, 2)", "F.adaptive_avg_pool1d({x}.transpose(1, 2), 2).transpose(1, 2)"],
    "I > L": ["{x}.mean({2|3})", "{x}.amax({2|3})", "F.adaptive_avg_pool2d({x}, (1, None)).squeeze(2)"],
}

RESIZING = {
    "L > L": [
        "F.interpolate({x}, scale_factor={2|2.0|0.5|1.5}, mode='{nearest|linear|area}')", "F.interpolate({x}, size={{2} * 2|{2} - 1|{2} // 2 + 1|7|{z}.size(2)}, mode='{nearest|linear|nearest-exact}')",
        "F.interpolate({x}, scale_factor=2{|.0}, mode='linear', align_corners=True)", "`nn.Upsample(scale_factor=2)`({x})", "{x}.repeat_interleave(2, 2)",
        "a{k} = F.max_pool1d({x}, 2)\n{y} = torch.cat([{x}, F.interpolate(a{k}, size={{2}|{x}.shape[2:]|{x}.shape[-1]}, mode='{nearest|linear}')], 1)",
        "a{k} = F.interpolate({{x}[:, :, ::2]|F.avg_pool1d({x}, 2)}, scale_factor=2)\n{y} = torch.cat([{x}, F.pad(a{k}, [0, {2} - a{k}.size(2)])], 1)",
        "a{k} = F.interpolate(`nn.Conv1d({C}, {C}, 3, 2, 1)`({x}), scale_factor=2.0)\n{y} = {x} + a{k}[:, :, :{2}]",
        "{x}.reshape({0}, {C} // 2, 2, {2}).permute(0, 1, 3, 2).reshape({0}, {C} // 2, {2} * 2)",
    ],
    "I > I": [
        "F.interpolate({x}, scale_factor={2|2.0|0.5|(1.0, 2.0)}, mode='{nearest|bilinear|area}')", "F.interpolate({x}, size={(5, 6)|{z}.shape[2:]|[{2} * 2, {3} * 2]|[{2} // 2 + 1, {3}]}, mode='{nearest|bilinear}')",
        "F.interpolate({x}, scale_factor=2{|.0}, mode='{bilinear|bicubic}', align_corners={True|False})", "`nn.Upsample(scale_factor=2, mode='{nearest|bilinear}')`({x})",
        "F.pixel_shuffle(`nn.Conv2d({C}, 8, 1)`({x}), 2)", "F.pixel_unshuffle({x}, 2)", "F.pixel_unshuffle(F.pad({x}, [0, {3} % 2, 0, {2} % 2]), 2)",
        "a{k} = F.max_pool2d({x}, 2)\n{y} = torch.cat([{x}, F.interpolate(a{k}, size={[{2}, {3}]|{x}.shape[2:]|{x}.shape[-2:]}, mode='{nearest|bilinear}')], 1)",
        "a{k} = F.interpolate(F.avg_pool2d({x}, 2), scale_factor=2)\nb{k} = {2} - a{k}.size(2)\nc{k} = {3} - a{k}.size(3)\n"
        "{y} = torch.cat([{x}, F.pad(a{k}, {[0, c{k}, 0, b{k}]|[c{k} // 2, c{k} - c{k} // 2, b{k} // 2, b{k} - b{k} // 2]})], 1)",
        "{x} + F.interpolate(`nn.Conv2d({C}, {C}, 3, 2, 1)`({x}), scale_factor=2)[:, :, :{2}, :{3}]", "{x}.repeat_interleave(2, {2|3})", "{x}[:, :, ::2, {::2|1::2}]",
    ],
    "S > S": ["{x}.repeat_interleave({2|3}, 1)", "F.interpolate({x}.transpose(1, 2), size={{1} // 2 + 1|{1} * 2}, mode='{nearest|linear}').transpose(1, 2)", "{x}[:, torch.arange({1} * 2) // 2]"],
}

NORMS = {
    "S > S": [
        "`nn.LayerNorm({C}{|, eps=1e-3|, elementwise_affine=False})`({x})", "`nn.RMSNorm({C})`({x})", "`nn.BatchNorm1d({C})`({x}.transpose(1, 2)).transpose(1, 2)", "`nn.LayerNorm({C})`({x} + {z})",
        "{x} * torch.rsqrt({x}.pow(2).mean(-1, keepdim=True) + 1e-3)", "({x} - {x}.mean(1, keepdim=True)) / ({x}.std(1, keepdim=True) + 0.5)", "F.layer_norm({x}, [{C}])", "`nn.GroupNorm(1, {C})`({x}.transpose(1, 2)).transpose(1, 2)",
    ],
    "L > L": [
        "`nn.BatchNorm1d({C})`({x})", "`nn.InstanceNorm1d({C}{|, affine=True|, eps=1e-3})`({x})", "`nn.GroupNorm({1|2|{C}}, {C})`({x})", "`nn.LayerNorm({C})`({x}.transpose(1, 2)).transpose(1, 2)",
        "F.relu(`nn.BatchNorm1d({O})`(`nn.Conv1d({C}, {O}, 3, padding=1)`({x})))", "({x} - {x}.mean(-1, keepdim=True)) / ({x}.var(-1, keepdim=True, unbiased=False) + 1e-3).sqrt()",
    ],
    "I > I": [
        "`nn.BatchNorm2d({C})`({x})", "`nn.InstanceNorm2d({C}{|, affine=True|, track_running_stats=True})`({x})", "`nn.GroupNorm({1|2|{C}}, {C})`({x})", "`nn.LayerNorm({C})`({x}.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)",
        "F.relu(`nn.BatchNorm2d({O})`(`nn.Conv2d({C}, {O}, 3, padding=1, bias=False)`({x})))", "{x} / ({x}.pow(2).mean(1, keepdim=True) + 1e-3).sqrt()", "F.local_response_norm({x}, {2|3})",
        "a{k} = {x}.norm(2, [2, 3], keepdim=True)\n{y} = {x} * (a{k} / (a{k}.mean(1, keepdim=True) + 0.5)) + {x}",
    ],
    "V > V": ["`nn.BatchNorm1d({C})`({x})", "`nn.LayerNorm({C})`({x})", "F.normalize({x}, dim={1|-1})", "`nn.GroupNorm(1, {C})`({x})"],
    "Q > Q": ["`nn.LayerNorm({C})`({x})", "`nn.RMSNorm({C})`({x})", "`nn.BatchNorm2d({C})`({x}.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)", "`nn.GroupNorm(1, {C})`({x}.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)"],
}

PADS = {
    "L > L": [
        "F.pad({x}, [{0|1|2}, {1|2|3}], mode='{constant|reflect|replicate|circular}')", "F.pad({x}, [{-1|0|2}, {-1|-2}])", "F.pad({x}, [0, {2} % {2|3}])", "F.pad({x}, [0, (4 - {2} % 4) % 4])", "`nn.{Reflection|Replication|Zero}Pad1d({1|2})`({x})",
        "a{k} = (3 - {2} % 3) % 3\n{y} = F.pad({x}, [a{k} // 2, a{k} - a{k} // 2])", "F.pad({x}, [{2} // 2, 0])", "F.pad({x}[:, :, :-1], [1, 0])", "F.pad({x}, [0, max(0, {6|8} - {2})])", "F.pad({x}, [1, 1, 0, 2], value={0.5|-1.0})",
    ],
    "I > I": [
        "F.pad({x}, [{0|1}, {1|2}, {0|1}, {0|2}], mode='{constant|reflect|replicate|circular}')", "F.pad({x}, [{-1|0}, -1, {1|-1}, 0])", "F.pad({x}, [0, {3} % 2, 0, {2} % 2])", "F.pad({x}, [0, (4 - {3} % 4) % 4, 0, (4 - {2} % 4) % 4])",
        "`nn.{ReflectionPad2d|ReplicationPad2d|ZeroPad2d}({1|(1, 0, 0, 1)})`({x})", "a{k} = max({2}, {3})\n{y} = F.pad({x}, [0, a{k} - {3}, 0, a{k} - {2}])", "F.pad({x}, [0, 0, 0, 0, 1, {0|1}])",
    ],
    "S > S": ["F.pad({x}, [0, 0, {0|1}, {1|2}]{|, value=0.5})", "F.pad({x}, [0, 0, 1, -1])", "F.pad({x}, [0, 0, 0, {1} % 2])", "F.pad({x}, [0, 1])", "torch.cat([{x}, {x}.new_zeros({0}, {2|{1} % 2|{1}}, {C})], 1)"],
}

# SPDX-License-Identifier: Apache-2.0
"""Mixtures of experts of transformers, small: tokens of other texts take other ways, some experts get none.

Experts as `grouped_mm`, transformers' own choice, or as `batched_mm`; a trace of `eager` holds for one routing only.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from common import hf, tokens
from language import GROUPED, WORDS, OnTokens
from road import BOTH, TRACED, Road

MOE = {**GROUPED, "num_experts_per_tok": 2}
SIZES = ((2, 12), (2, 12), (1, 5), (3, 20), (1, 1))
VARIED = "texts x tokens " + ", ".join(f"{texts} x {length}" for texts, length in SIZES[1:]) + ", one token repeated"
AXES = ["--dynamic", "input_ids:0=B", "--dynamic", "input_ids:1=S"]


def texts(sizes=SIZES):
    runs = [(tokens(batch, length),) for batch, length in sizes]
    return [*runs, (torch.full_like(runs[2][0], 7),)]


def spread(model):
    """Under weights of 0.02 all experts are alike, and so is every routing."""
    for parameter in model.parameters():
        if parameter.dim() > 1:
            parameter.data.mul_(0.2 / parameter.data.std().clamp(min=1e-6))


def routed(prefix, experts="grouped_mm", head="ForCausalLM", runs=texts, options=AXES, varied=VARIED, **sizes):
    def build():
        config = getattr(hf, prefix + "Config")(**{**MOE, **sizes})
        config._experts_implementation = experts
        model = getattr(hf, prefix + head)(config).eval()
        spread(model)
        return Road(OnTokens(model, use_cache=False), runs(), options, TRACED, f"{varied}; {experts}")

    return build


def one_size():
    return texts(((2, 12),) * 4)


class SwitchLayer(nn.Module):
    """Fedus et al. 2021, arXiv:2101.03961: one expert for each token, as long as it has room; masks pick its tokens."""

    def __init__(self, width: int, inner: int, experts: int, capacity: int):
        super().__init__()
        self.capacity, self.count = capacity, experts
        self.router = nn.Linear(width, experts, bias=False)
        self.experts = nn.ModuleList([
            nn.Sequential(nn.Linear(width, inner, bias=False), nn.ReLU(), nn.Linear(inner, width, bias=False))
            for _ in range(experts)])

    def forward(self, x: Tensor):
        probabilities = self.router(x).softmax(-1)
        chosen = F.one_hot(probabilities.argmax(-1), self.count)
        chosen = chosen * (chosen.cumsum(-2) <= self.capacity)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            mine = chosen[:, :, i] > 0
            out[mine] = expert(x[mine]).to(out.dtype)
        return out * probabilities.max(-1)[0].unsqueeze(-1)


class Switch(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(WORDS, 32)
        self.heads = nn.ModuleList([nn.Linear(32, 96) for _ in range(2)])
        self.layers = nn.ModuleList([SwitchLayer(32, 64, 4, 4) for _ in range(2)])
        self.norms = nn.ModuleList([nn.LayerNorm(32) for _ in range(2)])
        self.last = nn.LayerNorm(32)
        self.head = nn.Linear(32, WORDS)

    def forward(self, input_ids: Tensor):
        x = self.embed(input_ids)
        for heads, layer, norm in zip(self.heads, self.layers, self.norms):
            q, k, v = heads(x).unflatten(-1, (3, 4, 8)).permute(2, 0, 3, 1, 4).unbind(0)
            x = x + F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
            x = x + layer(norm(x))
        return self.head(self.last(x))


def switch():
    return Road(Switch(), texts(), AXES, BOTH, VARIED + "; a capacity of 4 per expert")


ROUTED = {
    "mixtral": routed("Mixtral", num_local_experts=4),
    "mixtral_batched": routed("Mixtral", "batched_mm", num_local_experts=4),
    "qwen2_moe": routed("Qwen2Moe", num_experts=4, moe_intermediate_size=32, shared_expert_intermediate_size=48),
    "qwen3_moe": routed("Qwen3Moe", head_dim=16, num_experts=4, moe_intermediate_size=32),
    "olmoe": routed("Olmoe", num_experts=4),
    "granite_moe": routed("GraniteMoe", num_local_experts=4),
    "deepseek_v3": routed(
        "DeepseekV3", n_routed_experts=4, n_group=2, topk_group=1, moe_intermediate_size=32, first_k_dense_replace=1,
        kv_lora_rank=16, q_lora_rank=16, qk_rope_head_dim=8, qk_nope_head_dim=8, v_head_dim=16, head_dim=8,
        num_key_value_heads=4),
    "gpt_oss": routed("GptOss", num_local_experts=4, head_dim=16, sliding_window=6,
                      layer_types=["sliding_attention", "full_attention"]),
    "jamba": routed("Jamba", num_experts=4, mamba_d_state=4, mamba_dt_rank=8, use_mamba_kernels=False,
                    attn_layer_period=2, attn_layer_offset=1, expert_layer_period=2, expert_layer_offset=1,
                    runs=one_size, options=[], varied="4 other texts of the sample's size"),
    "switch_transformer": switch,
}

# SPDX-License-Identifier: Apache-2.0
"""Decoders of language models with caches, called with prompts and pieces of other lengths, from empty caches on."""

from functools import partial

import torch
from torch import nn

from common import hf
from language import DECODER, GROUPED, WORDS
from road import TRACED, Called
from routed import spread

PIECES = ((5, 1, 1), (1, 1, 1, 1), (3, 4, 2), (12, 1))
VARIED = "from empty caches, pieces of " + "; ".join(", ".join(map(str, each)) for each in PIECES)


class Cached(nn.Module):
    """The wrapper of docs/language_models.md."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, *past):
        cache = hf.DynamicCache()
        for layer in range(len(past) // 2):
            cache.update(past[2 * layer], past[2 * layer + 1], layer)
        out = self.model(input_ids=input_ids, past_key_values=cache, use_cache=True)
        return out.logits, *(x for layer in out.past_key_values.layers for x in (layer.keys, layer.values))


def cached(prefix, head="ForCausalLM", heads=2, sizes=GROUPED, **more):
    """A causal model with two layers and heads of 16."""
    config = getattr(hf, prefix + "Config")(**{**sizes, **more})
    model = getattr(hf, prefix + head)(config).eval()
    spread(model)
    calls = [[(torch.randint(1, WORDS, (1, size)),) for size in each] for each in PIECES]
    states = [tuple(torch.randn(1, heads, size, 16) for _ in range(4)) for size in (4, 0)]
    return Called(Cached(model), calls, *states, ["--preset", "causal-llm"], TRACED, VARIED)


GPT2 = {"vocab_size": WORDS, "n_embd": 64, "n_layer": 2, "n_head": 4, "bos_token_id": 1, "eos_token_id": 2}

CACHES = {
    "gpt2_cached": partial(cached, "GPT2", "LMHeadModel", 4, GPT2),
    "llama_cached": partial(cached, "Llama"),
    "qwen2_cached": partial(cached, "Qwen2"),
    "phi_cached": partial(cached, "Phi", heads=4, sizes=DECODER),
    "gemma2_cached": partial(cached, "Gemma2", head_dim=16, sliding_window=64),
    "olmoe_cached": partial(cached, "Olmoe", num_experts=4, num_experts_per_tok=2),
}

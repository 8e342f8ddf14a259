# SPDX-License-Identifier: Apache-2.0
"""The models that `make bench` and `make cost` measure, with seeded random weights.

    models.py FOLDER [NAME...]

Writes FOLDER/NAME/model.pt, a TorchScript file with its samples; calibration.npz; module.pth, the module for exporters
that want Python; and about.json: inputs ("f32:1,3,224,224"), dynamic axes, and the exporters that the model is also given to.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy
import torch
from torch import nn

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests/zoo"))
import common  # noqa: E402: makes torchvision importable, for transformers, too


@dataclass
class Entry:
    module: nn.Module
    inputs: tuple
    dynamic: tuple = ()  # as --dynamic has them; traced inputs are x, or what the module calls them
    others: tuple = ()
    is_scripted: bool = False
    is_large: bool = False  # gigabytes: fewer ways, fewer rounds


BOTH = ("torch_to_nnef", "pnnx")


def vision(name):
    return Entry(common.torchvision.models.get_model(name, weights=None), (torch.rand(1, 3, 224, 224),), ("x:0=B",), BOTH)


def resnet18():
    """He et al. 2015: 11.7 M parameters."""
    return vision("resnet18")


def resnet50():
    """He et al. 2015: 25.6 M parameters."""
    return vision("resnet50")


def vit_b_16():
    """Dosovitskiy et al. 2020: 86.6 M parameters."""
    return vision("vit_b_16")


class FirstOutput(nn.Module):
    def __init__(self, module, **options):
        super().__init__()
        self.module, self.options = module, options

    def forward(self, x):
        return self.module(x, **self.options)[0]


def bert_base():
    """Devlin et al. 2018: 109 M parameters, 128 tokens."""
    from transformers import BertConfig, BertModel

    module = BertModel(BertConfig(attn_implementation="eager"), add_pooling_layer=False)
    return Entry(FirstOutput(module, return_dict=False), (torch.randint(0, 30522, (1, 128)),), ("x:0=B", "x:1=S"), BOTH)


def whisper_small_encoder():
    """Radford et al. 2022: 88 M parameters, 30 s of sound."""
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder

    config = WhisperConfig(d_model=768, encoder_layers=12, encoder_attention_heads=12, encoder_ffn_dim=3072,
                           attn_implementation="eager")
    return Entry(FirstOutput(WhisperEncoder(config), return_dict=False), (torch.rand(1, 80, 3000),), ("x:0=B",),
                 ("torch_to_nnef",))


def llama(dtype):
    """Zhang et al. 2024, TinyLlama: 1.1 G parameters, 16 tokens."""
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(vocab_size=32000, hidden_size=2048, intermediate_size=5632, num_hidden_layers=22,
                         num_attention_heads=32, num_key_value_heads=4, max_position_embeddings=2048, use_cache=False,
                         attn_implementation="eager", dtype=dtype)
    module = LlamaForCausalLM(config).to(dtype)
    return Entry(FirstOutput(module, return_dict=False), (torch.randint(0, 32000, (1, 16)),), ("x:1=S",), is_large=True)


def llama_1b_f16():
    """2.2 GB of weights."""
    return llama(torch.float16)


def llama_1b_f32():
    """4.4 GB of weights."""
    return llama(torch.float32)


class Chain(nn.Module):
    def forward(self, x):
        for _ in range(12_500):
            x = x.relu() + 1.5
            x = x * 0.75 - 0.25
        return x


def chain_50000():
    """50,000 operations without weights."""
    return Entry(Chain(), (torch.rand(2, 8),), ("x:0=B",))


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(nn.Linear(64, 64), nn.ReLU()) for _ in range(1500))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def scripted_1500():
    """1,500 linear layers, scripted."""
    return Entry(Layers(), (torch.rand(4, 64),), ("x:0=B",), is_scripted=True)


class Streaming(nn.Module):
    """Causal convolutions along time, as a keyword spotter or a vocoder has them."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(40, 256, 5)
        self.blocks = nn.ModuleList(nn.Conv1d(256, 256, 5, dilation=2 ** (i % 4)) for i in range(16))
        self.last = nn.Conv1d(256, 64, 1)

    def forward(self, x):
        x = torch.relu(self.first(nn.functional.pad(x, (4, 0))))
        for block in self.blocks:
            x = x + torch.relu(block(nn.functional.pad(x, (4 * block.dilation[0], 0))))
        return self.last(x)


def streaming():
    """6 M parameters; sound of any length."""
    return Entry(Streaming(), (torch.rand(1, 40, 200),), ("x:0=B", "x:2=T"), ("torch_to_nnef",))


def resnet18_int8():
    """Quantised by FX, per channel."""
    from torch.ao.quantization import get_default_qconfig_mapping
    from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

    entry = resnet18()
    torch.backends.quantized.engine = "x86"
    prepared = prepare_fx(entry.module.eval(), get_default_qconfig_mapping("x86"), entry.inputs)
    prepared(*entry.inputs)
    return Entry(convert_fx(prepared), entry.inputs, ("x:0=B",))


MODELS = (resnet18, resnet50, vit_b_16, bert_base, whisper_small_encoder, llama_1b_f16, llama_1b_f32, chain_50000,
          scripted_1500, streaming, resnet18_int8)
DTYPES = {torch.float32: "f32", torch.int64: "i64"}


def write(make, folder):
    if (folder / "about.json").exists():
        return
    torch.manual_seed(1)
    entry = make()
    entry.module.eval()
    folder.mkdir(parents=True, exist_ok=True)
    with torch.no_grad():
        if entry.is_scripted:
            script = torch.jit.script(entry.module)
        else:
            script = torch.jit.trace(entry.module, entry.inputs, check_trace=False)
    script.save(str(folder / "model.pt"))
    if not entry.is_large:
        arrays = {f"input_{i}": each.numpy() for i, each in enumerate(entry.inputs)}
        numpy.savez(folder / "calibration.npz", **arrays)
    if entry.others:
        torch.save((entry.module, entry.inputs), folder / "module.pth")
    inputs = [f"{DTYPES[x.dtype]}:{','.join(map(str, x.shape))}" for x in entry.inputs]
    about = {"says": make.__doc__, "inputs": inputs, "dynamic": entry.dynamic, "others": entry.others,
             "is_scripted": entry.is_scripted, "is_large": entry.is_large}
    (folder / "about.json").write_text(json.dumps(about))


def main():
    torch.backends.mha.set_fastpath_enabled(False)  # so that others have operators that they know
    for make in MODELS:
        if not sys.argv[2:] or make.__name__ in sys.argv[2:]:
            write(make, Path(sys.argv[1]) / make.__name__)


if __name__ == "__main__":
    import models  # itself, so that pickles do not name __main__

    models.main()

"""The zoo: name -> function returning (module, example inputs, ways of saving it)."""

from functools import partial

import torch
from torch import nn

library_impl = torch.library.Library.impl


def impl_if_known(self, *args, **kwargs):
    """Lets torchvision be imported where its compiled operators are missing: we use none."""
    try:
        return library_impl(self, *args, **kwargs)
    except RuntimeError as error:
        if "does not exist" not in str(error):
            raise


torch.library.Library.impl = impl_if_known
import timm  # noqa: E402
import torchvision  # noqa: E402
import transformers as hf  # noqa: E402

hf.logging.set_verbosity_error()

BOTH = ("traced", "scripted")
TRACED = ("traced",)  # transformers' classes are beyond torch.jit.script
WORDS = 500


def image():
    return (torch.randn(1, 3, 224, 224),)


def tokens(batch=2, length=12):
    return torch.randint(1, WORDS, (batch, length))


def from_torchvision(name):
    return torchvision.models.get_model(name, weights=None), image(), BOTH


def from_timm(name):
    return timm.create_model(name, pretrained=False, scriptable=True), image(), BOTH


class Tagger(nn.Module):
    def __init__(self, rnn):
        super().__init__()
        self.embed = nn.Embedding(WORDS, 32)
        self.rnn = rnn(32, 48, num_layers=2, bidirectional=True, batch_first=True)
        self.tag = nn.Linear(96, 9)

    def forward(self, tokens):
        states, _ = self.rnn(self.embed(tokens))
        return self.tag(states)


def tagger(rnn):
    return Tagger(rnn), (tokens(),), BOTH


class FirstOutput(nn.Module):
    """A transformers model as a function of tensors: no dictionaries, no cache."""

    def __init__(self, model, **options):
        super().__init__()
        self.model = model
        self.options = {"return_dict": False, **options}


class OnTokens(FirstOutput):
    def forward(self, input_ids):
        return self.model(input_ids, **self.options)[0]


class OnMaskedTokens(FirstOutput):
    def forward(self, input_ids, attention_mask):
        return self.model(input_ids, attention_mask=attention_mask, **self.options)[0]


class OnSound(FirstOutput):
    def forward(self, input_values):
        return self.model(input_values, **self.options)[0]


class OnSpectrogram(FirstOutput):
    def forward(self, input_features):
        return self.model(input_features, **self.options)[0]


def bert(attention):
    config = hf.BertConfig(
        vocab_size=WORDS,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        attn_implementation=attention,
    )
    mask = torch.ones(2, 12, dtype=torch.int64)
    mask[1, 8:] = 0
    model = OnMaskedTokens(hf.BertForSequenceClassification(config))
    return model, (tokens(), mask), TRACED


def distilbert(attention):
    config = hf.DistilBertConfig(
        vocab_size=WORDS,
        dim=64,
        n_layers=2,
        n_heads=4,
        hidden_dim=128,
        attn_implementation=attention,
    )
    return OnTokens(hf.DistilBertForTokenClassification(config)), (tokens(),), TRACED


def gpt2(attention):
    config = hf.GPT2Config(
        vocab_size=WORDS,
        n_embd=64,
        n_layer=2,
        n_head=4,
        bos_token_id=1,
        eos_token_id=2,
        attn_implementation=attention,
    )
    return OnTokens(hf.GPT2LMHeadModel(config), use_cache=False), (tokens(),), TRACED


def llama(attention):
    config = hf.LlamaConfig(
        vocab_size=WORDS,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        attn_implementation=attention,
    )
    return OnTokens(hf.LlamaForCausalLM(config), use_cache=False), (tokens(),), TRACED


def t5_encoder(attention):
    config = hf.T5Config(
        vocab_size=WORDS,
        d_model=64,
        d_kv=16,
        d_ff=128,
        num_layers=2,
        num_heads=4,
        attn_implementation=attention,
    )
    return OnTokens(hf.T5EncoderModel(config)), (tokens(),), TRACED


def wav2vec2(attention):
    config = hf.Wav2Vec2Config(
        vocab_size=40,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        conv_dim=(32,) * 7,
        num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=4,
        attn_implementation=attention,
    )
    return OnSound(hf.Wav2Vec2ForCTC(config)), (torch.randn(1, 8000),), TRACED


def whisper_encoder(attention):
    config = hf.WhisperConfig(
        vocab_size=WORDS,
        d_model=64,
        encoder_layers=2,
        encoder_attention_heads=4,
        encoder_ffn_dim=128,
        decoder_layers=1,
        decoder_attention_heads=4,
        decoder_ffn_dim=128,
        max_source_positions=100,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        decoder_start_token_id=1,
        attn_implementation=attention,
    )
    model = OnSpectrogram(hf.WhisperModel(config).get_encoder())
    return model, (torch.randn(1, 80, 200),), TRACED


TORCHVISION = [
    "resnet18",
    "mobilenet_v3_small",
    "efficientnet_b0",
    "densenet121",
    "vit_b_16",
    "swin_t",
    "convnext_tiny",
]
TIMM = ["deit_tiny_patch16_224", "mixer_s32_224"]
TRANSFORMERS = [bert, distilbert, gpt2, llama, t5_encoder, wav2vec2, whisper_encoder]

MODELS = {
    **{name: partial(from_torchvision, name) for name in TORCHVISION},
    **{name: partial(from_timm, name) for name in TIMM},
    "lstm_tagger": partial(tagger, nn.LSTM),
    "gru_tagger": partial(tagger, nn.GRU),
    **{
        f"{build.__name__}_{attention}": partial(build, attention)
        for build in TRANSFORMERS
        for attention in ("eager", "sdpa")
    },
}

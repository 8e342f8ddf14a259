# SPDX-License-Identifier: Apache-2.0
"""Architectures of transformers, which traces but does not script; small where nothing is said."""

from functools import partial

import torch
from torch import nn

from common import ATTENTIONS, TRACED, WORDS, Entry, hf, image, tokens


class Wrapped(nn.Module):
    """A model as a function of tensors to its first output: no dictionaries, no cache."""

    def __init__(self, model, **options):
        super().__init__()
        self.model = model
        self.options = {"return_dict": False, **options}


class OnTokens(Wrapped):
    def forward(self, input_ids):
        return self.model(input_ids, **self.options)[0]


class OnMaskedTokens(Wrapped):
    def forward(self, input_ids, attention_mask):
        return self.model(input_ids, attention_mask=attention_mask, **self.options)[0]


class OnPairs(Wrapped):
    def forward(self, input_ids, decoder_input_ids):
        return self.model(input_ids, decoder_input_ids=decoder_input_ids, **self.options)[0]


class OnLayout(Wrapped):
    """Boxes are constants: the widths of arbitrary ones are negative, which has no embedding."""

    def __init__(self, model, **options):
        super().__init__(model, **options)
        corner = torch.randint(0, 200, (2, 12, 2))
        self.register_buffer("boxes", torch.cat([corner, corner + torch.randint(1, 200, (2, 12, 2))], -1))

    def forward(self, input_ids):
        return self.model(input_ids, bbox=self.boxes, **self.options)[0]


class OnImage(Wrapped):
    def forward(self, pixel_values):
        return self.model(pixel_values, **self.options)[0]


class OnBoth(Wrapped):
    def forward(self, input_ids, pixel_values):
        return self.model(input_ids=input_ids, pixel_values=pixel_values, **self.options)[0]


class OnSound(Wrapped):
    def forward(self, input_values):
        return self.model(input_values, **self.options)[0]


class OnSpectrogram(Wrapped):
    def forward(self, input_features):
        return self.model(input_features, **self.options)[0]


class OnSpeech(Wrapped):
    def forward(self, input_features, decoder_input_ids):
        return self.model(input_features, decoder_input_ids=decoder_input_ids, **self.options)[0]


SIZES = {
    "vocab_size": WORDS,
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 128,
}
DECODER = {**SIZES, "max_position_embeddings": 64, "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
GROUPED = {**DECODER, "num_key_value_heads": 2}
PAIR = {
    "vocab_size": WORDS,
    "d_model": 64,
    "encoder_layers": 2,
    "encoder_attention_heads": 4,
    "encoder_ffn_dim": 128,
    "decoder_layers": 2,
    "decoder_attention_heads": 4,
    "decoder_ffn_dim": 128,
    "max_position_embeddings": 64,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 1,
}
SPEECH = {
    **SIZES,
    "vocab_size": 40,
    "conv_dim": (32,) * 7,
    "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 4,
}
VISION = {key: SIZES[key] for key in SIZES if key != "vocab_size"}


def entry(wrapped, model, config, inputs, sizes, ways=TRACED, published=False, **options):
    """Classes by name; `attn_implementation` among the sizes picks the attention."""
    network = getattr(hf, model)(getattr(hf, config)(**sizes))
    return Entry(wrapped(network, **options), inputs(), ways, published)


def encoder(prefix, head, sizes=SIZES, **more):
    return partial(entry, OnTokens, prefix + head, prefix + "Config", lambda: (tokens(),), sizes, **more)


def decoder(prefix, head="ForCausalLM", sizes=GROUPED, words=WORDS, **more):
    inputs = partial(tokens, words=words)
    return partial(entry, OnTokens, prefix + head, prefix + "Config", lambda: (inputs(),), sizes, use_cache=False, **more)


def pair(prefix, head="ForConditionalGeneration", sizes=PAIR, words=WORDS, **more):
    def inputs():
        return tokens(words=words), tokens(length=7, words=words)

    return partial(entry, OnPairs, prefix + head, prefix + "Config", inputs, sizes, use_cache=False, **more)


def masked():
    mask = torch.ones(2, 12, dtype=torch.int64)
    mask[1, 8:] = 0
    return tokens(), mask


def sound(samples=8000):
    return (torch.randn(1, samples),)


ENCODERS = {
    "bert": partial(
        entry, OnMaskedTokens, "BertForSequenceClassification", "BertConfig", masked, SIZES, ATTENTIONS),
    "roberta": partial(entry, OnMaskedTokens, "RobertaForMaskedLM", "RobertaConfig", masked, SIZES),
    "deberta_v2": encoder("DebertaV2", "ForTokenClassification", {
        **SIZES, "relative_attention": True, "position_buckets": 8, "pos_att_type": ["p2c", "c2p"],
        "max_position_embeddings": 64, "share_att_key": True, "norm_rel_ebd": "layer_norm"}),
    "electra_small": encoder("Electra", "ForPreTraining", {}, published=True),
    "albert_base": encoder("Albert", "Model", {
        "hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 3072}, published=True),
    "minilm_l6": encoder("Bert", "Model", {
        "hidden_size": 384, "num_hidden_layers": 6, "num_attention_heads": 12, "intermediate_size": 1536}, published=True),
    "distilbert": encoder("DistilBert", "ForTokenClassification", {
        "vocab_size": WORDS, "dim": 64, "n_layers": 2, "n_heads": 4, "hidden_dim": 128}, ways=ATTENTIONS),
    "mpnet": encoder("MPNet", "Model"),
    "xlnet": encoder("XLNet", "Model", {
        "vocab_size": WORDS, "d_model": 64, "n_layer": 2, "n_head": 4, "d_inner": 128}),
    "funnel": encoder("Funnel", "BaseModel", {
        "vocab_size": WORDS, "d_model": 64, "n_head": 4, "d_head": 16, "d_inner": 128, "block_sizes": [1, 1]}),
    # With its own NoNorm, 24 layers of random weights overflow.
    "mobilebert": encoder("MobileBert", "Model", {"normalization_type": "layer_norm"}),
    "squeezebert": encoder("SqueezeBert", "Model", {**SIZES, "embedding_size": 64}),
    "convbert": encoder("ConvBert", "Model", {**SIZES, "embedding_size": 64}),
    "roformer": encoder("RoFormer", "ForMaskedLM", {**SIZES, "embedding_size": 64}),
    "modernbert": encoder("ModernBert", "ForMaskedLM", {
        **DECODER, "local_attention": 6, "cls_token_id": 1, "sep_token_id": 2}),
    "layoutlm": partial(
        entry, OnLayout, "LayoutLMForTokenClassification", "LayoutLMConfig", lambda: (tokens(),), SIZES),
}

MOE = {**GROUPED, "num_experts_per_tok": 2}
DECODERS = {
    "gpt2": decoder("GPT2", "LMHeadModel", {
        "vocab_size": WORDS, "n_embd": 64, "n_layer": 2, "n_head": 4, "bos_token_id": 1, "eos_token_id": 2},
        ways=ATTENTIONS),
    "gpt2_small": decoder("GPT2", "LMHeadModel", {}, words=50000, published=True),
    "gpt_neo": decoder("GPTNeo", sizes={
        "vocab_size": WORDS, "hidden_size": 64, "num_layers": 2, "num_heads": 4, "window_size": 8,
        "attention_types": [[["global", "local"], 1]], "bos_token_id": 1, "eos_token_id": 2}),
    "gptj": decoder("GPTJ", sizes={
        "vocab_size": WORDS, "n_embd": 64, "n_layer": 2, "n_head": 4, "rotary_dim": 8, "n_positions": 64,
        "bos_token_id": 1, "eos_token_id": 2}),
    "gpt_neox": decoder("GPTNeoX", sizes=DECODER),
    "opt": decoder("OPT", sizes={**DECODER, "ffn_dim": 128, "word_embed_proj_dim": 64}),
    "mpt": decoder("Mpt", sizes={
        "vocab_size": WORDS, "d_model": 64, "n_layers": 2, "n_heads": 4, "max_seq_len": 64, "bos_token_id": 1,
        "eos_token_id": 2}),
    "llama": decoder("Llama", ways=ATTENTIONS),
    "smollm_135m": decoder("Llama", sizes={
        "vocab_size": 49152, "hidden_size": 576, "num_hidden_layers": 30, "num_attention_heads": 9,
        "num_key_value_heads": 3, "intermediate_size": 1536, "tie_word_embeddings": True}, words=49000, published=True),
    "mistral": decoder("Mistral", sizes={**GROUPED, "sliding_window": 6}),
    "qwen2": decoder("Qwen2"),
    "qwen3": decoder("Qwen3", sizes={**GROUPED, "head_dim": 16}),
    "gemma2": decoder("Gemma2", sizes={**GROUPED, "head_dim": 16, "sliding_window": 6}),
    "phi": decoder("Phi", sizes=DECODER),
    "phi3": decoder("Phi3"),
    "falcon": decoder("Falcon", sizes={**DECODER, "multi_query": True, "parallel_attn": True, "alibi": False}),
    "olmo2": decoder("Olmo2"),
    "mixtral": decoder("Mixtral", sizes={**MOE, "num_local_experts": 4, "experts_implementation": "batched_mm"}),
    "qwen3_moe": decoder("Qwen3Moe", sizes={
        **MOE, "head_dim": 16, "num_experts": 4, "moe_intermediate_size": 32, "experts_implementation": "batched_mm"}),
    "mamba": decoder("Mamba", sizes={
        "vocab_size": WORDS, "hidden_size": 64, "num_hidden_layers": 2, "state_size": 8, "bos_token_id": 1, "eos_token_id": 2}),
    "rwkv": decoder("Rwkv", sizes={
        "vocab_size": WORDS, "hidden_size": 64, "num_hidden_layers": 2, "context_length": 64, "bos_token_id": 1,
        "eos_token_id": 2}),
}

T5 = {"vocab_size": WORDS, "d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4}
PAIRS = {
    "t5_encoder": partial(entry, OnTokens, "T5EncoderModel", "T5Config", lambda: (tokens(),), T5, ATTENTIONS),
    "t5_small": pair("T5", sizes={}, words=32000, published=True),
    "bart": pair("Bart"),
    "pegasus": pair("Pegasus"),
    "marian": pair("Marian", "MTModel", {**PAIR, "decoder_vocab_size": WORDS}),
}

WHISPER = {**PAIR, "max_source_positions": 100, "max_target_positions": 64}


def whisper_encoder():
    model = hf.WhisperModel(hf.WhisperConfig(**WHISPER)).get_encoder()
    return Entry(OnSpectrogram(model), (torch.randn(1, 80, 200),), ATTENTIONS, False)


def whisper_inputs():
    return torch.randn(1, 80, 3000), tokens(1, 6, 50000)


SOUND = {
    "wav2vec2": partial(entry, OnSound, "Wav2Vec2ForCTC", "Wav2Vec2Config", sound, SPEECH, ATTENTIONS),
    "wav2vec2_base": partial(entry, OnSound, "Wav2Vec2ForCTC", "Wav2Vec2Config", sound, {}, published=True),
    "hubert": partial(entry, OnSound, "HubertForCTC", "HubertConfig", sound, {
        **SPEECH, "feat_extract_norm": "layer", "do_stable_layer_norm": True}),
    "wavlm": partial(entry, OnSound, "WavLMModel", "WavLMConfig", sound, SPEECH),
    "ast": partial(
        entry, OnSound, "ASTForAudioClassification", "ASTConfig", lambda: (torch.randn(1, 64, 32),), {
            **VISION, "max_length": 64, "num_mel_bins": 32}),
    "whisper_encoder": whisper_encoder,
    "whisper_tiny": partial(entry, OnSpeech, "WhisperForConditionalGeneration", "WhisperConfig", whisper_inputs, {
        "d_model": 384, "encoder_layers": 4, "encoder_attention_heads": 6, "encoder_ffn_dim": 1536,
        "decoder_layers": 4, "decoder_attention_heads": 6, "decoder_ffn_dim": 1536}, published=True, use_cache=False),
}
SMALL_IMAGE = {**VISION, "image_size": 64, "patch_size": 16}


def two_towers():
    return tokens(length=9), torch.randn(2, 3, 64, 64)


def two_encoders(prefix):
    def build():
        text = {**DECODER, "projection_dim": 64}
        config = getattr(hf, prefix + "Config")(text_config=text, vision_config=SMALL_IMAGE)
        return Entry(OnBoth(getattr(hf, prefix + "Model")(config)), two_towers(), TRACED, False)

    return build


def detr():
    backbone = hf.ResNetConfig(
        embedding_size=16, hidden_sizes=[16, 24, 32, 48], depths=[1, 1, 1, 1], layer_type="basic", out_features=["stage4"])
    config = hf.DetrConfig(
        use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, backbone_config=backbone, num_queries=10,
        **{key: PAIR[key] for key in PAIR if key.startswith(("d_", "encoder", "decoder_l", "decoder_a", "decoder_f"))})
    return Entry(OnImage(hf.DetrForObjectDetection(config)), image(96), TRACED, False)


def sam_encoder():
    config = hf.SamVisionConfig(
        hidden_size=64, output_channels=32, num_hidden_layers=2, num_attention_heads=4, image_size=128, patch_size=16,
        window_size=4, global_attn_indexes=[1], mlp_dim=128, initializer_range=0.2)  # by default 1e-10
    return Entry(OnImage(hf.SamVisionModel(config)), image(128), TRACED, False)


def depth():
    backbone = {**VISION, "image_size": 70, "patch_size": 14, "reshape_hidden_states": False,
                "apply_layernorm": True, "out_features": ["stage1", "stage2"]}
    config = hf.DepthAnythingConfig(
        backbone_config=hf.Dinov2Config(**backbone),
        reassemble_hidden_size=64, patch_size=14, neck_hidden_sizes=[16, 32], fusion_hidden_size=16, head_hidden_size=8,
        reassemble_factors=[2, 1], depth_estimation_type="metric", initializer_range=0.2)  # 0.02 leaves nothing after ten convolutions
    return Entry(OnImage(hf.DepthAnythingForDepthEstimation(config)), image(70), TRACED, False)


IMAGES = {
    "clip": two_encoders("CLIP"),
    "siglip": two_encoders("Siglip"),
    "detr": detr,
    "segformer_b0": partial(
        entry, OnImage, "SegformerForSemanticSegmentation", "SegformerConfig", partial(image, 128), {}, published=True),
    "sam_encoder": sam_encoder,
    "dinov2_small": partial(entry, OnImage, "Dinov2Model", "Dinov2Config", image, {
        "hidden_size": 384, "num_attention_heads": 6, "patch_size": 14, "image_size": 518}, published=True),
    "depth_anything": depth,
    "yolos": partial(entry, OnImage, "YolosForObjectDetection", "YolosConfig", partial(image, 64), {
        **VISION, "image_size": [64, 64], "num_detection_tokens": 8}),
    "videomae": partial(
        entry, OnImage, "VideoMAEForVideoClassification", "VideoMAEConfig", lambda: (torch.randn(1, 4, 3, 64, 64),), {
            **SMALL_IMAGE, "num_frames": 4}),
    "swin2sr": partial(entry, OnImage, "Swin2SRForImageSuperResolution", "Swin2SRConfig", partial(image, 32), {
        "embed_dim": 32, "depths": [2, 2], "num_heads": [2, 2], "window_size": 4, "image_size": 32}),
    "patchtst": partial(entry, OnSound, "PatchTSTForPrediction", "PatchTSTConfig", lambda: (torch.randn(1, 64, 3),), {
        "d_model": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "ffn_dim": 64, "num_input_channels": 3,
        "context_length": 64, "prediction_length": 12, "patch_length": 8, "patch_stride": 8}),
}

TRANSFORMERS = {**ENCODERS, **DECODERS, **PAIRS, **SOUND, **IMAGES}

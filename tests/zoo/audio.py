# SPDX-License-Identifier: Apache-2.0
"""Networks on sound, as their papers describe them."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from common import BOTH, Entry


def conv_bn(inputs, outputs, kernel, **options):
    return nn.Sequential(nn.Conv1d(inputs, outputs, kernel, **options), nn.BatchNorm1d(outputs), nn.ReLU())


def m5():
    """Dai et al. 2016, arXiv:1610.00087: M5 on raw waveforms."""
    layers = [conv_bn(1, 128, 80, stride=4), nn.MaxPool1d(4)]
    for inputs, outputs in ((128, 128), (128, 256), (256, 512)):
        layers += [conv_bn(inputs, outputs, 3), nn.MaxPool1d(4)]
    layers += [nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(512, 10), nn.LogSoftmax(-1)]
    return Entry(nn.Sequential(*layers), (torch.randn(1, 1, 32000),))


def wav2letter():
    """Collobert et al. 2016, arXiv:1609.03193: on raw waveforms."""
    shapes = [(1, 250, 250, 160, 45), (250, 250, 48, 2, 23)] + [(250, 250, 7, 1, 3)] * 7
    shapes += [(250, 2000, 32, 1, 16), (2000, 2000, 1, 1, 0), (2000, 40, 1, 1, 0)]
    layers = []
    for inputs, outputs, kernel, stride, padding in shapes:
        layers += [nn.Conv1d(inputs, outputs, kernel, stride, padding), nn.ReLU()]
    for layer in layers[::2]:
        nn.init.kaiming_normal_(layer.weight)  # or the sound fades on its way through twelve plain layers
    layers[-1] = nn.LogSoftmax(1)
    return Entry(nn.Sequential(*layers), (torch.randn(1, 1, 16000),))


class DeepSpeech2(nn.Module):
    """Amodei et al. 2015, arXiv:1512.02595: two convolutions, normalised recurrent layers."""

    def __init__(self, hidden, layers):
        super().__init__()
        self.front = nn.Sequential(
            nn.Conv2d(1, 32, (41, 11), (2, 2), (20, 5)), nn.BatchNorm2d(32), nn.Hardtanh(0.0, 20.0),
            nn.Conv2d(32, 32, (21, 11), (2, 1), (10, 5)), nn.BatchNorm2d(32), nn.Hardtanh(0.0, 20.0))
        widths = [32 * 41] + [hidden] * (layers - 1)
        self.norms = nn.ModuleList([nn.BatchNorm1d(width) for width in widths])
        self.rnns = nn.ModuleList([nn.GRU(width, hidden, bidirectional=True, batch_first=True) for width in widths])
        self.hidden = hidden
        self.head = nn.Linear(hidden, 29)

    def forward(self, spectrogram):
        x = self.front(spectrogram).flatten(1, 2).transpose(1, 2)
        for norm, rnn in zip(self.norms, self.rnns):
            x = norm(x.transpose(1, 2)).transpose(1, 2)
            x = rnn(x)[0].unflatten(-1, (2, self.hidden)).sum(2)
        return self.head(x).log_softmax(-1)


class QuartzBlock(nn.Module):
    def __init__(self, inputs, outputs, kernel, repeat):
        super().__init__()
        widths = [inputs] + [outputs] * repeat
        layers = []
        for a, b in zip(widths, widths[1:]):
            layers += [separable(a, b, kernel), nn.ReLU()]
        self.body = nn.Sequential(*layers[:-1])
        self.skip = nn.Sequential(nn.Conv1d(inputs, outputs, 1, bias=False), nn.BatchNorm1d(outputs))

    def forward(self, x):
        return F.relu(self.body(x) + self.skip(x))


def separable(inputs, outputs, kernel, stride=1, dilation=1):
    padding = dilation * (kernel - 1) // 2
    depthwise = nn.Conv1d(inputs, inputs, kernel, stride, padding, dilation, inputs, bias=False)
    return nn.Sequential(depthwise, nn.Conv1d(inputs, outputs, 1, bias=False), nn.BatchNorm1d(outputs))


def quartznet_5x5():
    """Kriman et al. 2019, arXiv:1910.10261."""
    blocks = [(256, 256, 33), (256, 256, 39), (256, 512, 51), (512, 512, 63), (512, 512, 75)]
    layers = [separable(64, 256, 33, stride=2), nn.ReLU()]
    layers += [QuartzBlock(a, b, kernel, 5) for a, b, kernel in blocks]
    layers += [separable(512, 512, 87, dilation=2), nn.ReLU(), conv_bn(512, 1024, 1, bias=False)]
    layers += [nn.Conv1d(1024, 29, 1), nn.LogSoftmax(1)]
    return Entry(nn.Sequential(*layers), (torch.randn(1, 64, 200),))


class TemporalBlock(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.first = conv_bn(inputs, outputs, 9, stride=2, padding=4, bias=False)
        self.second = nn.Sequential(nn.Conv1d(outputs, outputs, 9, padding=4, bias=False), nn.BatchNorm1d(outputs))
        self.skip = conv_bn(inputs, outputs, 1, stride=2, bias=False)

    def forward(self, x):
        return F.relu(self.second(self.first(x)) + self.skip(x))


def tc_resnet8():
    """Choi et al. 2019, arXiv:1904.03814: cepstra are channels, time is the only axis."""
    layers = [nn.Conv1d(40, 16, 3, padding=1, bias=False)]
    layers += [TemporalBlock(a, b) for a, b in ((16, 24), (24, 32), (32, 48))]
    layers += [nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(48, 12)]
    return Entry(nn.Sequential(*layers), (torch.randn(1, 40, 98),))


class KeywordCrnn(nn.Module):
    """Arik et al. 2017, arXiv:1703.05390."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 32, (5, 20), (2, 8))
        self.rnn = nn.GRU(32 * 3, 32, num_layers=2, bidirectional=True, batch_first=True)
        self.hidden = nn.Linear(64 * 74, 64)
        self.head = nn.Linear(64, 2)

    def forward(self, frames):
        x = F.relu(self.conv(frames.unsqueeze(1))).transpose(1, 2).flatten(2)
        return self.head(F.relu(self.hidden(self.rnn(x)[0].flatten(1))))


class GlobalNorm(nn.Module):
    """gLN: over channels and time together."""

    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(channels, 1))
        self.bias = nn.Parameter(torch.zeros(channels, 1))

    def forward(self, x):
        mean = x.mean((1, 2), keepdim=True)
        variance = (x - mean).pow(2).mean((1, 2), keepdim=True)
        return self.gain * (x - mean) / (variance + 1e-8).sqrt() + self.bias


class TasBlock(nn.Module):
    def __init__(self, dilation):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(128, 512, 1), nn.PReLU(), GlobalNorm(512),
            nn.Conv1d(512, 512, 3, padding=dilation, dilation=dilation, groups=512), nn.PReLU(), GlobalNorm(512))
        self.residual = nn.Conv1d(512, 128, 1)
        self.skip = nn.Conv1d(512, 128, 1)

    def forward(self, x):
        y = self.body(x)
        return x + self.residual(y), self.skip(y)


class ConvTasNet(nn.Module):
    """Luo and Mesgarani 2018, arXiv:1809.07454: N=512 L=16 B=128 H=512 P=3 X=8 R=3, two speakers."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Conv1d(1, 512, 16, 8, bias=False)
        self.narrow = nn.Sequential(GlobalNorm(512), nn.Conv1d(512, 128, 1))
        self.blocks = nn.ModuleList([TasBlock(2**x) for _ in range(3) for x in range(8)])
        self.masks = nn.Sequential(nn.PReLU(), nn.Conv1d(128, 2 * 512, 1), nn.Sigmoid())
        self.decoder = nn.ConvTranspose1d(512, 1, 16, 8, bias=False)

    def forward(self, mixture):
        encoded = F.relu(self.encoder(mixture))
        x = self.narrow(encoded)
        total = torch.zeros_like(x)
        for block in self.blocks:
            x, skip = block(x)
            total = total + skip
        masked = self.masks(total).unflatten(1, (2, 512)) * encoded.unsqueeze(1)
        return self.decoder(masked.flatten(0, 1)).unflatten(0, (-1, 2)).squeeze(2)


class Demucs(nn.Module):
    """Defossez et al. 2020, arXiv:2006.12847: the denoiser at H=48, without its resampling."""

    def __init__(self, hidden=48, depth=5):
        super().__init__()
        encoder, decoder = [], []
        inputs, outputs = 1, hidden
        for layer in range(depth):
            encoder.append(nn.Sequential(
                nn.Conv1d(inputs, outputs, 8, 4), nn.ReLU(), nn.Conv1d(outputs, 2 * outputs, 1), nn.GLU(1)))
            up = [nn.Conv1d(outputs, 2 * outputs, 1), nn.GLU(1), nn.ConvTranspose1d(outputs, inputs, 8, 4)]
            decoder.insert(0, nn.Sequential(*up, nn.ReLU()) if layer else nn.Sequential(*up))
            inputs, outputs = outputs, 2 * outputs
        self.encoder, self.decoder = nn.ModuleList(encoder), nn.ModuleList(decoder)
        self.rnn = nn.LSTM(inputs, inputs, num_layers=2, batch_first=True)

    def forward(self, noisy):
        scale = noisy.std(-1, keepdim=True) + 1e-3
        x = noisy / scale
        skips = []
        for layer in self.encoder:
            x = layer(x)
            skips.append(x)
        x = self.rnn(x.transpose(1, 2))[0].transpose(1, 2)
        for layer in self.decoder:
            x = layer(x + skips.pop()[..., : x.shape[-1]])
        return scale * x


class HifiBlock(nn.Module):
    def __init__(self, channels, kernel):
        super().__init__()
        def conv(d):
            return nn.Conv1d(channels, channels, kernel, padding=d * (kernel - 1) // 2, dilation=d)

        self.wide = nn.ModuleList([conv(dilation) for dilation in (1, 3, 5)])
        self.narrow = nn.ModuleList([conv(1) for _ in range(3)])

    def forward(self, x):
        for wide, narrow in zip(self.wide, self.narrow):
            x = x + narrow(F.leaky_relu(wide(F.leaky_relu(x, 0.1)), 0.1))
        return x


class HifiStage(nn.Module):
    def __init__(self, channels, rate):
        super().__init__()
        self.up = nn.ConvTranspose1d(channels, channels // 2, 2 * rate, rate, rate // 2)
        self.blocks = nn.ModuleList([HifiBlock(channels // 2, kernel) for kernel in (3, 7, 11)])

    def forward(self, x):
        x = self.up(F.leaky_relu(x, 0.1))
        total = torch.zeros_like(x)
        for block in self.blocks:
            total = total + block(x)
        return total / 3


def hifi_gan():
    """Kong et al. 2020, arXiv:2010.05646: the generator V1, weight norm removed."""
    stages = [HifiStage(512 >> i, rate) for i, rate in enumerate((8, 8, 2, 2))]
    head = [nn.LeakyReLU(), nn.Conv1d(32, 1, 7, padding=3), nn.Tanh()]
    return Entry(nn.Sequential(nn.Conv1d(80, 512, 7, padding=3), *stages, *head), (torch.randn(1, 80, 24),))


class WaveNetLayer(nn.Module):
    def __init__(self, channels, skips, dilation):
        super().__init__()
        self.dilation = dilation
        self.conv = nn.Conv1d(channels, 2 * channels, 2, dilation=dilation)
        self.residual = nn.Conv1d(channels, channels, 1)
        self.skip = nn.Conv1d(channels, skips, 1)

    def forward(self, x):
        signal, gate = self.conv(F.pad(x, (self.dilation, 0))).chunk(2, 1)
        y = torch.tanh(signal) * torch.sigmoid(gate)
        return x + self.residual(y), self.skip(y)


class WaveNet(nn.Module):
    """Van den Oord et al. 2016, arXiv:1609.03499: on mu-law values, dilations 1 to 512 repeated."""

    def __init__(self, channels=64, skips=256, cycles=2):
        super().__init__()
        self.embed = nn.Embedding(256, channels)
        self.layers = nn.ModuleList([WaveNetLayer(channels, skips, 2**i) for _ in range(cycles) for i in range(10)])
        self.head = nn.Sequential(nn.ReLU(), nn.Conv1d(skips, skips, 1), nn.ReLU(), nn.Conv1d(skips, 256, 1))

    def forward(self, samples):
        x = self.embed(samples).transpose(1, 2)
        total = torch.zeros(1)
        for layer in self.layers:
            x, skip = layer(x)
            total = total + skip
        return self.head(total)


class VoiceActivity(nn.Module):
    """In the manner of Silero's: a Fourier basis as convolution, a small encoder, an LSTM."""

    def __init__(self):
        super().__init__()
        basis = torch.fft.rfft(torch.eye(256) * torch.hann_window(256)[:, None], dim=0)
        self.register_buffer("basis", torch.cat([basis.real, basis.imag])[:, None].contiguous())
        shapes = [(129, 128, 1), (128, 64, 2), (64, 64, 2), (64, 128, 1)]
        self.encoder = nn.Sequential(*[conv_bn(a, b, 3, stride=s, padding=1) for a, b, s in shapes])
        self.rnn = nn.LSTM(128, 128, batch_first=True)
        self.head = nn.Conv1d(128, 1, 1)

    def forward(self, sound):
        padded = F.pad(sound.unsqueeze(1), (64, 64), mode="reflect")
        real, imaginary = F.conv1d(padded, self.basis, stride=128).chunk(2, 1)
        x = self.encoder((real**2 + imaginary**2).sqrt())
        x = self.rnn(x.transpose(1, 2))[0]
        return torch.sigmoid(self.head(F.relu(x).transpose(1, 2)))


class RelativeAttention(nn.Module):
    """Dai et al. 2019, arXiv:1901.02860: sinusoids of the distance, shifted into place."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.project = nn.Linear(width, 3 * width)
        self.position = nn.Linear(width, width, bias=False)
        self.content_bias = nn.Parameter(torch.randn(heads, 1, width // heads))
        self.position_bias = nn.Parameter(torch.randn(heads, 1, width // heads))
        self.out = nn.Linear(width, width)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, distances):
        q, k, v = self.project(self.norm(x)).chunk(3, -1)
        q, k, v, p = self.split(q), self.split(k), self.split(v), self.split(self.position(distances))
        content = (q + self.content_bias) @ k.transpose(-1, -2)
        shifted = F.pad((q + self.position_bias) @ p.transpose(-1, -2), (1, 0))
        batch, heads, length, span = shifted.shape
        shifted = shifted.view(batch, heads, span, length)[:, :, 1:]
        shifted = shifted.reshape(batch, heads, length, span - 1)[..., :length]
        weights = ((content + shifted) / math.sqrt(q.shape[-1])).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))


class ConformerBlock(nn.Module):
    def __init__(self, width, heads, kernel):
        super().__init__()
        def feed_forward():
            return nn.Sequential(
                nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.SiLU(), nn.Linear(4 * width, width))

        self.before, self.after = feed_forward(), feed_forward()
        self.attention = RelativeAttention(width, heads)
        self.norm = nn.LayerNorm(width)
        self.conv = nn.Sequential(
            nn.Conv1d(width, 2 * width, 1), nn.GLU(1),
            nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width), nn.BatchNorm1d(width), nn.SiLU(),
            nn.Conv1d(width, width, 1))
        self.last = nn.LayerNorm(width)

    def forward(self, x, distances):
        x = x + 0.5 * self.before(x)
        x = x + self.attention(x, distances)
        x = x + self.conv(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return self.last(x + 0.5 * self.after(x))


class Conformer(nn.Module):
    """Gulati et al. 2020, arXiv:2005.08100: the encoder of size S (16 layers, width 144)."""

    def __init__(self, width=144, layers=16, heads=4, kernel=31):
        super().__init__()
        self.width = width
        self.subsample = nn.Sequential(nn.Conv2d(1, width, 3, 2), nn.ReLU(), nn.Conv2d(width, width, 3, 2), nn.ReLU())
        self.enter = nn.Linear(width * 19, width)
        self.blocks = nn.ModuleList([ConformerBlock(width, heads, kernel) for _ in range(layers)])

    def forward(self, features):
        x = self.enter(self.subsample(features.unsqueeze(1)).transpose(1, 2).flatten(2))
        distance = torch.arange(x.shape[1] - 1, -x.shape[1], -1.0)
        angles = distance[:, None] * torch.exp(torch.arange(0, self.width, 2) * (-math.log(1e4) / self.width))
        distances = torch.cat([angles.sin(), angles.cos()], -1)[None]
        for block in self.blocks:
            x = block(x, distances)
        return x


AUDIO = {
    "m5": m5,
    "wav2letter": wav2letter,
    "deepspeech2": lambda: Entry(DeepSpeech2(400, 3), (torch.randn(1, 1, 161, 100),), BOTH, False),
    "quartznet_5x5": quartznet_5x5,
    "tc_resnet8": tc_resnet8,
    "keyword_crnn": lambda: Entry(KeywordCrnn(), (torch.randn(1, 151, 40),)),
    "conv_tasnet": lambda: Entry(ConvTasNet(), (torch.randn(1, 1, 8000),)),
    "demucs_denoiser": lambda: Entry(Demucs(), (torch.randn(1, 1, 10580),)),
    "hifi_gan_v1": hifi_gan,
    "wavenet": lambda: Entry(WaveNet(), (torch.randint(0, 256, (1, 2200)),), BOTH, False),
    "voice_activity": lambda: Entry(VoiceActivity(), (torch.randn(1, 4096),), BOTH, False),
    "conformer_s": lambda: Entry(Conformer(), (torch.randn(1, 200, 80),)),
}

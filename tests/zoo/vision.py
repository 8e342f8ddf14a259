# SPDX-License-Identifier: Apache-2.0
"""Networks on images, as their papers describe them: restoration, generation, segmentation, points."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from common import BOTH, Entry


def srcnn():
    """Dong et al. 2014, arXiv:1501.00092: 9-1-5, on an enlarged image."""
    layers = [nn.Conv2d(1, 64, 9, padding=4), nn.ReLU(), nn.Conv2d(64, 32, 1), nn.ReLU()]
    return Entry(nn.Sequential(*layers, nn.Conv2d(32, 1, 5, padding=2)), (torch.randn(1, 1, 48, 64),))


def espcn():
    """Shi et al. 2016, arXiv:1609.05158: three times larger."""
    layers = [nn.Conv2d(1, 64, 5, padding=2), nn.Tanh(), nn.Conv2d(64, 32, 3, padding=1), nn.Tanh()]
    layers += [nn.Conv2d(32, 9, 3, padding=1), nn.PixelShuffle(3)]
    return Entry(nn.Sequential(*layers), (torch.randn(1, 1, 40, 56),))


def conv3(inputs, outputs):
    return nn.Conv2d(inputs, outputs, 3, padding=1)


class ChannelAttention(nn.Module):
    def __init__(self, channels, reduction=16):
        super().__init__()
        self.gate = nn.Sequential(
            nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, channels // reduction, 1), nn.ReLU(),
            nn.Conv2d(channels // reduction, channels, 1), nn.Sigmoid())

    def forward(self, x):
        return x * self.gate(x)


class Residual(nn.Module):
    def __init__(self, *layers, scale=1.0):
        super().__init__()
        self.body = nn.Sequential(*layers)
        self.scale = scale

    def forward(self, x):
        return x + self.body(x) * self.scale


def enlarging_tail(scale):
    return [conv3(64, 64 * scale**2), nn.PixelShuffle(scale), conv3(64, 3)]


def edsr():
    """Lim et al. 2017, arXiv:1707.02921: the baseline, 16 blocks of 64 channels, two times."""
    blocks = [Residual(conv3(64, 64), nn.ReLU(), conv3(64, 64)) for _ in range(16)]
    model = nn.Sequential(conv3(3, 64), Residual(*blocks, conv3(64, 64)), *enlarging_tail(2))
    return Entry(model, (torch.randn(1, 3, 40, 32),))


def rcan():
    """Zhang et al. 2018, arXiv:1807.02758: 10 groups of 20 blocks, two times."""
    def block():
        return Residual(conv3(64, 64), nn.ReLU(), conv3(64, 64), ChannelAttention(64))

    groups = [Residual(*[block() for _ in range(20)], conv3(64, 64)) for _ in range(10)]
    model = nn.Sequential(conv3(3, 64), Residual(*groups, conv3(64, 64)), *enlarging_tail(2))
    return Entry(model, (torch.randn(1, 3, 24, 32),))


def dncnn():
    """Zhang et al. 2016, arXiv:1608.03981: predicts the noise."""
    layers = [conv3(1, 64), nn.ReLU()]
    for _ in range(15):
        layers += [nn.Conv2d(64, 64, 3, padding=1, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    return Entry(Residual(*layers, conv3(64, 1), scale=-1.0), (torch.randn(1, 1, 48, 64),))


def double_conv(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3), nn.ReLU(), nn.Conv2d(outputs, outputs, 3), nn.ReLU())


class UNet(nn.Module):
    """Ronneberger et al. 2015, arXiv:1505.04597: unpadded, skips are cropped."""

    def __init__(self):
        super().__init__()
        widths = [64, 128, 256, 512, 1024]
        self.down = nn.ModuleList([double_conv(a, b) for a, b in zip([1] + widths, widths)])
        rising = list(zip(widths[:0:-1], widths[-2::-1]))
        self.up = nn.ModuleList([nn.ConvTranspose2d(a, b, 2, 2) for a, b in rising])
        self.join = nn.ModuleList([double_conv(a, b) for a, b in rising])
        self.head = nn.Conv2d(64, 2, 1)

    def forward(self, x):
        skips = []
        for i, layer in enumerate(self.down):
            x = layer(F.max_pool2d(x, 2) if i else x)
            skips.append(x)
        x = skips.pop()
        for up, join in zip(self.up, self.join):
            x, skip = up(x), skips.pop()
            edge = (skip.shape[2] - x.shape[2]) // 2
            x = join(torch.cat([skip[:, :, edge : edge + x.shape[2], edge : edge + x.shape[3]], x], 1))
        return self.head(x)


class Vae(nn.Module):
    """Kingma and Welling 2013, arXiv:1312.6114: reconstructs from the mean of q(z|x)."""

    def __init__(self, hidden=500, latent=20):
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(784, hidden), nn.Tanh())
        self.mean = nn.Linear(hidden, latent)
        self.log_variance = nn.Linear(hidden, latent)
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.Tanh(), nn.Linear(hidden, 784), nn.Sigmoid())

    def forward(self, x):
        h = self.encoder(x)
        mean, log_variance = self.mean(h), self.log_variance(h)
        divergence = -0.5 * (1 + log_variance - mean**2 - log_variance.exp()).sum(-1, keepdim=True)
        return torch.cat([self.decoder(mean), divergence], -1)


def dcgan():
    """Radford et al. 2015, arXiv:1511.06434: the generator for 64 x 64 images."""
    widths = [100, 1024, 512, 256, 128]
    layers = []
    for i, (inputs, outputs) in enumerate(zip(widths, widths[1:])):
        stride, padding = (2, 1) if i else (1, 0)
        layers += [nn.ConvTranspose2d(inputs, outputs, 4, stride, padding, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]
    layers += [nn.ConvTranspose2d(128, 3, 4, 2, 1), nn.Tanh()]
    return Entry(nn.Sequential(*layers), (torch.randn(1, 100, 1, 1),))


class DdpmBlock(nn.Module):
    def __init__(self, inputs, outputs, times, attends):
        super().__init__()
        self.first = nn.Sequential(nn.GroupNorm(32, inputs), nn.SiLU(), conv3(inputs, outputs))
        self.time = nn.Linear(times, outputs)
        self.second = nn.Sequential(nn.GroupNorm(32, outputs), nn.SiLU(), nn.Dropout(0.1), conv3(outputs, outputs))
        self.skip = nn.Conv2d(inputs, outputs, 1) if inputs != outputs else nn.Identity()
        self.attention = PixelAttention(outputs) if attends else nn.Identity()

    def forward(self, x, time):
        h = self.first(x) + self.time(F.silu(time))[:, :, None, None]
        return self.attention(self.skip(x) + self.second(h))


class PixelAttention(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.norm = nn.GroupNorm(32, channels)
        self.project = nn.Conv2d(channels, 3 * channels, 1)
        self.out = nn.Conv2d(channels, channels, 1)

    def forward(self, x):
        q, k, v = self.project(self.norm(x)).flatten(2).chunk(3, 1)
        weights = (q.transpose(1, 2) @ k / math.sqrt(x.shape[1])).softmax(-1)
        return x + self.out((v @ weights.transpose(1, 2)).view_as(x))


class Ddpm(nn.Module):
    """Ho et al. 2020, arXiv:2006.11239: the denoiser for CIFAR-10, attention at 16 x 16."""

    def __init__(self, width=128, times=512):
        super().__init__()
        self.width = width
        self.time = nn.Sequential(nn.Linear(width, times), nn.SiLU(), nn.Linear(times, times))
        self.enter = conv3(3, width)
        down, up, skips, channels = [], [], [width], width
        for level, outputs in enumerate((width, 2 * width, 2 * width, 2 * width)):
            for _ in range(2):
                down.append(DdpmBlock(channels, outputs, times, level == 1))
                channels = outputs
                skips.append(channels)
            if level < 3:
                skips.append(channels)
        for level, outputs in reversed(list(enumerate((width, 2 * width, 2 * width, 2 * width)))):
            for _ in range(3):
                up.append(DdpmBlock(channels + skips.pop(), outputs, times, level == 1))
                channels = outputs
        self.down, self.up = nn.ModuleList(down), nn.ModuleList(up)
        self.shrink = nn.ModuleList([nn.Conv2d(c, c, 3, 2) for c in (width, 2 * width, 2 * width)])
        self.grow = nn.ModuleList([conv3(2 * width, 2 * width) for _ in range(3)])
        self.middle = nn.ModuleList([DdpmBlock(channels * 2, channels * 2, times, i == 0) for i in range(2)])
        self.leave = nn.Sequential(nn.GroupNorm(32, channels), nn.SiLU(), conv3(channels, 3))

    def embed(self, t):
        rates = torch.exp(torch.arange(self.width // 2) * (-math.log(1e4) / (self.width // 2 - 1)))
        angles = t[:, None].float() * rates
        return self.time(torch.cat([angles.sin(), angles.cos()], -1))

    def forward(self, x, t):
        time = self.embed(t)
        x = self.enter(x)
        skips = [x]
        for i, block in enumerate(self.down):
            x = block(x, time)
            skips.append(x)
            for j, shrink in enumerate(self.shrink):
                if i == 2 * j + 1:
                    x = shrink(F.pad(x, (0, 1, 0, 1)))
                    skips.append(x)
        for block in self.middle:
            x = block(x, time)
        for i, block in enumerate(self.up):
            x = block(torch.cat([x, skips.pop()], 1), time)
            for j, grow in enumerate(self.grow):
                if i == 3 * j + 2:
                    x = grow(F.interpolate(x, scale_factor=2.0, mode="nearest"))
        return self.leave(x)


class MaskedConv2d(nn.Conv2d):
    """Sees the rows above and what is left of the pixel; type B also the pixel."""

    def __init__(self, kind, inputs, outputs, kernel):
        super().__init__(inputs, outputs, kernel, padding=kernel // 2)
        mask = torch.ones_like(self.weight)
        mask[:, :, kernel // 2, kernel // 2 + int(kind == "B") :] = 0
        mask[:, :, kernel // 2 + 1 :] = 0
        self.register_buffer("mask", mask)

    def forward(self, x):
        return F.conv2d(x, self.weight * self.mask, self.bias, padding=self.padding)


def pixel_cnn():
    """Van den Oord et al. 2016, arXiv:1601.06759: here 7 residual blocks of h = 16."""
    def block():
        return Residual(nn.ReLU(), nn.Conv2d(32, 16, 1), nn.ReLU(), MaskedConv2d("B", 16, 16, 3), nn.ReLU(), nn.Conv2d(16, 32, 1))

    layers = [MaskedConv2d("A", 1, 32, 7)] + [block() for _ in range(7)]
    layers += [nn.ReLU(), nn.Conv2d(32, 32, 1), nn.ReLU(), nn.Conv2d(32, 1, 1), nn.Sigmoid()]
    return Entry(nn.Sequential(*layers), (torch.rand(1, 1, 28, 28),), BOTH, False)


class Coupling(nn.Module):
    def __init__(self, channels, hidden, mask):
        super().__init__()
        self.register_buffer("mask", mask)
        self.net = nn.Sequential(
            nn.Conv2d(channels, hidden, 3, padding=1), nn.BatchNorm2d(hidden), nn.ReLU(),
            Residual(conv3(hidden, hidden), nn.ReLU(), conv3(hidden, hidden)), nn.ReLU(),
            nn.Conv2d(hidden, 2 * channels, 1))
        self.scale = nn.Parameter(torch.ones(channels, 1, 1))

    def forward(self, x):
        log_scale, shift = self.net(x * self.mask).chunk(2, 1)
        log_scale = self.scale * torch.tanh(log_scale) * (1 - self.mask)
        return x * log_scale.exp() + shift * (1 - self.mask), log_scale.sum((1, 2, 3))


class RealNvp(nn.Module):
    """Dinh et al. 2016, arXiv:1605.08803: checkerboards, squeeze, channel halves, half factored out."""

    def __init__(self, size=16, hidden=32):
        super().__init__()
        board = ((torch.arange(size)[:, None] + torch.arange(size)) % 2).float()[None, None]
        half = (torch.arange(12) < 6).float()[None, :, None, None]
        self.early = nn.ModuleList([Coupling(3, hidden, (board + i) % 2) for i in range(3)])
        self.late = nn.ModuleList([Coupling(12, hidden, (half + i) % 2) for i in range(3)])
        late_board = board[:, :, : size // 2, : size // 2]
        self.last = nn.ModuleList([Coupling(6, hidden, (late_board + i) % 2) for i in range(4)])

    def forward(self, x):
        x = torch.logit(0.05 + 0.9 * torch.sigmoid(x))
        determinant = torch.zeros(x.shape[0])
        for layer in self.early:
            x, d = layer(x)
            determinant = determinant + d
        x = F.pixel_unshuffle(x, 2)
        for layer in self.late:
            x, d = layer(x)
            determinant = determinant + d
        out, x = x.chunk(2, 1)
        for layer in self.last:
            x, d = layer(x)
            determinant = determinant + d
        z = torch.cat([out.flatten(1), x.flatten(1)], 1)
        likelihood = determinant - 0.5 * (z**2 + math.log(2 * math.pi)).sum(-1)
        return torch.cat([z, likelihood[:, None] / z.shape[1]], 1)


def yolo_conv(inputs, outputs, kernel=3):
    conv = nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outputs), nn.LeakyReLU(0.1))


class YoloV3Tiny(nn.Module):
    """Redmon and Farhadi 2018, arXiv:1804.02767: boxes of both scales, decoded."""

    def __init__(self, classes=80):
        super().__init__()
        widths = [3, 16, 32, 64, 128, 256]
        self.stem = nn.Sequential(*[nn.Sequential(nn.MaxPool2d(2) if i else nn.Identity(), yolo_conv(a, b))
                                    for i, (a, b) in enumerate(zip(widths, widths[1:]))])
        self.deep = nn.Sequential(
            nn.MaxPool2d(2), yolo_conv(256, 512), nn.ZeroPad2d((0, 1, 0, 1)), nn.MaxPool2d(2, 1),
            yolo_conv(512, 1024), yolo_conv(1024, 256, 1))
        self.coarse = nn.Sequential(yolo_conv(256, 512), nn.Conv2d(512, 3 * (5 + classes), 1))
        self.up = nn.Sequential(yolo_conv(256, 128, 1), nn.Upsample(scale_factor=2))
        self.fine = nn.Sequential(yolo_conv(384, 256), nn.Conv2d(256, 3 * (5 + classes), 1))
        anchors = [[81.0, 82], [135, 169], [344, 319], [10, 14], [23, 27], [37, 58]]
        self.register_buffer("anchors", torch.tensor(anchors).view(2, 3, 1, 1, 2))

    def decode(self, x, anchors, stride: int):
        batch, _, height, width = x.shape
        x = x.view(batch, 3, -1, height, width).permute(0, 1, 3, 4, 2)
        rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
        centre = (x[..., :2].sigmoid() + torch.stack([columns, rows], -1)) * stride
        size = x[..., 2:4].exp() * anchors
        return torch.cat([centre, size, x[..., 4:].sigmoid()], -1).flatten(1, 3)

    def forward(self, image):
        x = self.stem(image)
        deep = self.deep(x)
        fine = self.fine(torch.cat([self.up(deep), x], 1))
        return torch.cat([self.decode(self.coarse(deep), self.anchors[0], 32), self.decode(fine, self.anchors[1], 16)], 1)


def shared_mlp(*widths):
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Conv1d(a, b, 1), nn.BatchNorm1d(b), nn.ReLU()]
    return nn.Sequential(*layers)


class AlignmentNet(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.points = shared_mlp(size, 64, 128, 1024)
        self.head = nn.Sequential(
            nn.Linear(1024, 512), nn.BatchNorm1d(512), nn.ReLU(), nn.Linear(512, 256), nn.BatchNorm1d(256), nn.ReLU(),
            nn.Linear(256, size * size))

    def forward(self, x):
        matrix = self.head(self.points(x).amax(-1)).view(-1, self.size, self.size)
        return matrix + torch.eye(self.size)


class PointNet(nn.Module):
    """Qi et al. 2016, arXiv:1612.00593: classification with both alignment networks."""

    def __init__(self, classes=40):
        super().__init__()
        self.align_input, self.align_features = AlignmentNet(3), AlignmentNet(64)
        self.early, self.late = shared_mlp(3, 64, 64), shared_mlp(64, 64, 128, 1024)
        self.head = nn.Sequential(
            nn.Linear(1024, 512), nn.BatchNorm1d(512), nn.ReLU(), nn.Linear(512, 256), nn.BatchNorm1d(256), nn.ReLU(),
            nn.Dropout(0.3), nn.Linear(256, classes))

    def forward(self, points):
        x = self.early(self.align_input(points) @ points)
        return self.head(self.late(self.align_features(x) @ x).amax(-1)).log_softmax(-1)


class Nerf(nn.Module):
    """Mildenhall et al. 2020, arXiv:2003.08934: position and direction to density and colour."""

    def __init__(self, width=256):
        super().__init__()
        widths = [63] + [width] * 4 + [width + 63] + [width] * 2
        self.trunk = nn.ModuleList([nn.Linear(inputs, width) for inputs in widths])
        self.density, self.feature = nn.Linear(width, 1), nn.Linear(width, width)
        self.colour = nn.Sequential(nn.Linear(width + 27, width // 2), nn.ReLU(), nn.Linear(width // 2, 3), nn.Sigmoid())

    def encode(self, x, octaves: int):
        angles = (x[..., None, :] * 2.0 ** torch.arange(octaves)[:, None]).flatten(-2)
        return torch.cat([x, angles.sin(), angles.cos()], -1)

    def forward(self, position, direction):
        encoded = self.encode(position, 10)
        x = encoded
        for i, layer in enumerate(self.trunk):
            x = F.relu(layer(torch.cat([x, encoded], -1) if i == 5 else x))
        density = F.relu(self.density(x))
        return torch.cat([self.colour(torch.cat([self.feature(x), self.encode(direction, 4)], -1)), density], -1)


VISION = {
    "srcnn": srcnn,
    "espcn": espcn,
    "edsr_baseline": edsr,
    "rcan": rcan,
    "dncnn": dncnn,
    "unet": lambda: Entry(UNet(), (torch.randn(1, 1, 204, 204),)),
    "vae": lambda: Entry(Vae(), (torch.rand(1, 1, 28, 28),)),
    "dcgan": dcgan,
    "ddpm_cifar10": lambda: Entry(Ddpm(), (torch.randn(1, 3, 32, 32), torch.tensor([421]))),
    "pixel_cnn": pixel_cnn,
    "real_nvp": lambda: Entry(RealNvp(), (torch.randn(1, 3, 16, 16),), BOTH, False),
    "yolov3_tiny": lambda: Entry(YoloV3Tiny(), (torch.randn(1, 3, 224, 224),)),
    "pointnet": lambda: Entry(PointNet(), (torch.randn(1, 3, 256),)),
    "nerf": lambda: Entry(Nerf(), (torch.randn(64, 3), torch.randn(64, 3))),
}

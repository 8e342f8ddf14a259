# SPDX-License-Identifier: Apache-2.0
"""Point clouds: other clouds have other numbers of points, padded and masked, selected by masks, or grouped by distance."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from road import BOTH, Road


def generator(seed):
    return torch.Generator().manual_seed(seed)


def points(batch, count, seed, spread=1.0):
    return spread * torch.randn(batch, count, 3, generator=generator(seed))


class Shared(nn.Sequential):
    """The same layers for each point."""

    def __init__(self, *widths: int):
        layers = []
        for a, b in zip(widths, widths[1:]):
            layers += [nn.Linear(a, b), nn.ReLU()]
        super().__init__(*layers)


class MaskedPointNet(nn.Module):
    """Qi et al. 2016, arXiv:1612.00593, with an input transform; padded points take no part in the maximum."""

    def __init__(self):
        super().__init__()
        self.turn = Shared(3, 16)
        self.matrix = nn.Linear(16, 9)
        self.points = Shared(3, 16, 32)
        self.head = nn.Linear(32, 5)

    def forward(self, cloud: Tensor, is_point: Tensor):
        padding = ~is_point.unsqueeze(-1)
        turn = self.turn(cloud).masked_fill(padding, -1e9).max(1)[0]
        cloud = cloud @ (self.matrix(turn).view(-1, 3, 3) + torch.eye(3))
        return self.head(self.points(cloud).masked_fill(padding, -1e9).max(1)[0])


class Selected(nn.Module):
    """Points within a box, by a mask as an index; classes of each of them and their places."""

    def __init__(self):
        super().__init__()
        self.points = Shared(3, 16, 16)
        self.head = nn.Linear(32, 4)

    def forward(self, cloud: Tensor):
        inside = (cloud.abs() < 1.0).all(-1)
        kept = cloud[inside]
        x = self.points(kept)
        whole = x.max(0, keepdim=True)[0].expand(x.size(0), -1)
        return self.head(torch.cat([x, whole], 1)), inside.nonzero().squeeze(1)


class Voxels(nn.Module):
    """Zhou and Tuzel 2017, arXiv:1711.06396: points in cubes of space, the largest features of each that holds any."""

    def __init__(self):
        super().__init__()
        self.points = Shared(6, 16)
        self.head = nn.Linear(16, 4)

    def forward(self, cloud: Tensor):
        cell = cloud.div(0.5).floor().to(torch.long).clamp(-4, 3) + 4
        key = (cell[:, 0] * 8 + cell[:, 1]) * 8 + cell[:, 2]
        cells, owner = torch.unique(key, return_inverse=True)
        count = torch.zeros(cells.size(0)).index_add_(0, owner, torch.ones_like(cloud[:, 0]))
        centre = torch.zeros(cells.size(0), 3).index_add_(0, owner, cloud) / count.unsqueeze(1)
        x = self.points(torch.cat([cloud, cloud - centre[owner]], 1))
        place = owner.unsqueeze(1).expand_as(x)
        return self.head(torch.zeros(cells.size(0), 16).scatter_reduce(0, place, x, "amax", include_self=False)), cells


def gathered(x: Tensor, index: Tensor):
    """x: [B, N, C], index: [B, M, K] -> [B, M, K, C]"""
    batch = torch.arange(x.size(0)).view(-1, 1, 1).expand_as(index)
    return x[batch, index]


class Grouping(nn.Module):
    """A set abstraction of Qi et al. 2017, arXiv:1706.02413: centres far from each other, neighbours within a ball."""

    def __init__(self, centres: int, radius: float, neighbours: int, inputs: int, outputs: int):
        super().__init__()
        self.centres, self.radius, self.neighbours = centres, radius, neighbours
        self.points = Shared(inputs + 3, outputs, outputs)

    def sampled(self, cloud: Tensor):
        batch, count = cloud.size(0), cloud.size(1)
        distance = torch.full((batch, count), 1e10)
        farthest = torch.zeros(batch, dtype=torch.long)
        rows = torch.arange(batch)
        out = torch.zeros(batch, self.centres, dtype=torch.long)
        for i in range(self.centres):
            out[:, i] = farthest
            centre = cloud[rows, farthest].view(batch, 1, 3)
            distance = torch.minimum(distance, ((cloud - centre) ** 2).sum(-1))
            farthest = distance.max(-1)[1]
        return out

    def around(self, cloud: Tensor, centre: Tensor):
        apart = ((centre.unsqueeze(2) - cloud.unsqueeze(1)) ** 2).sum(-1)
        count = cloud.size(1)
        index = torch.arange(count).view(1, 1, -1).expand_as(apart).clone()
        index[apart > self.radius**2] = count
        index = index.sort(-1)[0][:, :, :self.neighbours]
        first = index[:, :, :1].expand_as(index)
        return torch.where(index == count, first, index)

    def forward(self, cloud: Tensor, features: Tensor):
        chosen = self.sampled(cloud)
        centre = gathered(cloud, chosen.unsqueeze(-1)).squeeze(2)
        index = self.around(cloud, centre)
        near = gathered(cloud, index) - centre.unsqueeze(2)
        x = self.points(torch.cat([near, gathered(features, index)], -1))
        return centre, x.max(2)[0]


class PointNet2(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Grouping(8, 0.8, 6, 3, 16), Grouping(4, 1.6, 4, 16, 32)
        self.head = nn.Linear(32, 5)

    def forward(self, cloud: Tensor):
        centre, x = self.first(cloud, cloud)
        return self.head(self.second(centre, x)[1].max(1)[0])


class EdgeLayer(nn.Module):
    """Wang et al. 2018, arXiv:1801.07829: differences to the nearest in the space of features."""

    def __init__(self, inputs: int, outputs: int, neighbours: int):
        super().__init__()
        self.neighbours = neighbours
        self.conv = nn.Sequential(nn.Conv2d(2 * inputs, outputs, 1, bias=False), nn.BatchNorm2d(outputs), nn.LeakyReLU(0.2))

    def forward(self, x: Tensor):
        inner = -2 * torch.matmul(x.transpose(2, 1), x)
        square = (x**2).sum(1, keepdim=True)
        nearest = (-square - inner - square.transpose(2, 1)).topk(self.neighbours, dim=-1)[1]
        near = gathered(x.transpose(2, 1), nearest)
        own = x.transpose(2, 1).unsqueeze(2).expand_as(near)
        return self.conv(torch.cat([near - own, own], 3).permute(0, 3, 1, 2)).max(-1)[0]


class EdgeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = EdgeLayer(3, 16, 4), EdgeLayer(16, 16, 4)
        self.head = nn.Linear(64, 5)

    def forward(self, cloud: Tensor):
        x = self.first(cloud.transpose(1, 2))
        x = torch.cat([x, self.second(x)], 1)
        return self.head(torch.cat([F.adaptive_max_pool1d(x, 1).flatten(1), x.mean(-1)], 1))


BATCHES = ((2, 24), (2, 24), (1, 10), (3, 40), (4, 9))
OPEN = ["--dynamic", "cloud:0=B", "--dynamic", "cloud:1=N"]
VARIED = "clouds x points " + ", ".join(f"{batch} x {count}" for batch, count in BATCHES[1:])


def masked():
    runs = []
    for seed, (batch, count) in enumerate(BATCHES):
        lengths = torch.randint(1, count + 1, (batch, 1), generator=generator(50 + seed))
        runs.append((points(batch, count, seed), torch.arange(count) < lengths))
    options = [*OPEN, "--dynamic", "is_point:0=B", "--dynamic", "is_point:1=N"]
    return Road(MaskedPointNet(), runs, options, BOTH, VARIED + ", with different amounts of padding")


def selected(kind):
    def build():
        runs = [(points(1, count, seed, spread)[0],) for seed, (count, spread) in enumerate(
            [(20, 1.0), (20, 1.0), (20, 0.4), (50, 2.0), (7, 1.0), (3, 0.5)])]
        return Road(kind(), runs, ["--dynamic", "cloud:0=N"], BOTH,
                    "20, 50, 7 and 3 points, with different numbers of points and cells selected")

    return build


def grouped(kind):
    return lambda: Road(kind(), [(points(*sizes, seed),) for seed, sizes in enumerate(BATCHES)], OPEN, BOTH, VARIED)


CLOUDS = {
    "pointnet_masked": masked,
    "pointnet_selected": selected(Selected),
    "voxelnet": selected(Voxels),
    "pointnet2": grouped(PointNet2),
    "dgcnn": grouped(EdgeNet),
}

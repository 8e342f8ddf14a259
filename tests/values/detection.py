# SPDX-License-Identifier: Apache-2.0
"""The ends of detectors. torchvision.ops.nms is written here by its definition: LibTorch has no such operator, and
t2nnef computes its own reference."""

import numpy as np
import torch
from torch import Tensor, nn

from compare import Case

LIBRARY = torch.library.Library("torchvision", "FRAGMENT")
LIBRARY.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")


def overlap(a, b):
    """Intersection over union in the precision of the boxes, with the maxima of C++."""
    number = type(a[0])
    largest = lambda p, q: q if p < q else p
    least = lambda p, q: q if q < p else p
    width = largest(number(0), least(a[2], b[2]) - largest(a[0], b[0]))
    height = largest(number(0), least(a[3], b[3]) - largest(a[1], b[1]))
    area = lambda x: (x[2] - x[0]) * (x[3] - x[1])
    return width * height / (area(a) + area(b) - width * height)


def nms(dets, scores, iou_threshold):
    boxes = dets.numpy()
    left = torch.sort(scores, stable=True, descending=True).indices.tolist()
    kept = []
    with np.errstate(all="ignore"):
        while left:
            best, *others = left
            kept.append(best)
            left = [i for i in others if not float(overlap(boxes[best], boxes[i])) > iou_threshold]
    return torch.tensor(kept, dtype=torch.int64)


LIBRARY.impl("nms", nms, "CPU")


class Nms(nn.Module):
    def __init__(self, threshold):
        super().__init__()
        self.threshold = float(threshold)

    def forward(self, boxes: Tensor, scores: Tensor):
        return torch.ops.torchvision.nms(boxes, scores, self.threshold)


class Best(nn.Module):
    """The first three of what is left, with all that belongs to them."""

    def forward(self, boxes: Tensor, scores: Tensor):
        kept = torch.ops.torchvision.nms(boxes, scores, 0.4)[:3]
        return boxes[kept], scores[kept], kept


class OfClasses(nn.Module):
    """torchvision's batched_nms: boxes of different classes are moved apart."""

    def forward(self, boxes: Tensor, scores: Tensor, classes: Tensor):
        most = boxes.max()
        offsets = classes.to(boxes) * (most + torch.tensor(1).to(boxes))
        kept = torch.ops.torchvision.nms(boxes + offsets[:, None], scores, 0.5)
        return boxes[kept], scores[kept], classes[kept]


class AboveThreshold(nn.Module):
    """As a detector ends: the best class, what is likely enough, suppression, the first ten."""

    def forward(self, boxes: Tensor, scores: Tensor):
        best, classes = torch.stack([scores, scores.flip(0)], 1).max(1)
        is_likely = best > 0.5
        boxes, best, classes = boxes[is_likely], best[is_likely], classes[is_likely]
        kept = torch.ops.torchvision.nms(boxes, best, 0.3)[:10]
        return torch.cat([boxes[kept], best[kept, None], classes[kept, None].to(boxes.dtype)], 1)


class BestOfLevel(nn.Module):
    """As torchvision is traced: a threshold, and the five best, or as many as there are, counted in a tensor."""

    def forward(self, boxes: Tensor, scores: Tensor):
        is_likely = scores > 0.5
        likely = scores[is_likely]
        count = torch._shape_as_tensor(likely)[0].unsqueeze(0)
        most = torch.min(torch.cat((torch.tensor([5], dtype=count.dtype), count), 0))
        best, order = likely.topk(most)
        return best, boxes[is_likely][order]


class Fewest(nn.Module):
    """The same without a tensor; where nothing is likely, nothing is left."""

    def forward(self, boxes: Tensor, scores: Tensor):
        is_likely = scores > 0.9
        boxes, scores = boxes[is_likely], scores[is_likely]
        best, order = scores.topk(min(5, scores.size(0)))
        kept = torch.ops.torchvision.nms(boxes[order], best, 0.5)[:4]
        return best[kept], boxes[order][kept]


def drawn(count, seed, spread=10.0, size=6.0):
    generator = torch.Generator().manual_seed(seed)
    corner = torch.rand(count, 2, generator=generator) * spread
    extent = torch.rand(count, 2, generator=generator) * size
    return torch.cat([corner, corner + extent], 1), torch.rand(count, generator=generator)


def finite(count):
    """Few overlap, none, all; ties; corners the wrong way round; boxes without extent; no score, and all."""
    boxes, scores = drawn(count, 1)
    return [
        (boxes, scores),
        drawn(count, 2),
        drawn(count, 3, spread=1000.0, size=0.1),
        (boxes[:1].repeat(count, 1), scores),
        (boxes, torch.full((count,), 0.75)),
        (boxes.round(), (scores * 3).floor() / 3),
        (boxes[:, [2, 3, 0, 1]], scores),
        (torch.zeros(count, 4), scores),
        (boxes, torch.zeros(count)),
        (boxes, torch.ones(count)),
        (boxes, torch.where(torch.arange(count) == 2, 0.9, 0.0)),
    ]


def odd(count):
    """NaN and infinities, zeros of both signs."""
    boxes, scores = drawn(count, 4)
    numbers, corners = scores.clone(), boxes.clone()
    numbers[::3], numbers[1::3] = float("nan"), float("inf")
    corners[::3, 0], corners[1::4, 3], corners[2::5, 2] = float("nan"), float("inf"), -float("inf")
    zeros = torch.where(torch.arange(count) % 2 == 0, 0.0, -0.0)
    return [(boxes, numbers), (corners, scores), (corners, numbers), (boxes, zeros)]


def tenths():
    """The first box shares one to nine tenths with each of the others: exactly what a threshold may be."""
    boxes = [[0.0, 0.0, 10.0, 1.0]] + [[0.0, 0.0, float(k), 1.0] for k in range(1, 10)]
    return [(torch.tensor(boxes), torch.arange(10.0).flip(0))]


def detections():
    both, alone = finite(12) + odd(12), ["--dynamic", "input_0:0=N", "--dynamic", "input_1:0=N"]
    out = {f"nms at {k / 10}": Case(Nms(k / 10), tenths(), kinds=("scripted",)) for k in range(1, 10)}
    out["nms"] = Case(Nms(0.45), both)
    out["nms, f64"] = Case(Nms(0.45), [(b.double(), s.double()) for b, s in both])
    out["nms, open"] = Case(Nms(0.45), both + finite(1)[:2] + finite(3) + finite(40), alone)
    out["nms, the best"] = Case(Best(), both)
    out["nms, above a threshold"] = Case(AboveThreshold(), finite(20))
    out["nms, above a threshold, open"] = Case(AboveThreshold(), finite(20) + finite(3), alone)
    # Without equal scores, of which torch's topk takes any.
    apart = [finite(12)[i] for i in (0, 1, 2, 3, 6, 7)]
    few = [(b, s * low) for b, s in apart for low in (1, 0.6, 0.52, 0.4)]
    out["the best of a level"] = Case(BestOfLevel(), few)
    out["a few that are left"] = Case(Fewest(), [(b, 0.85 + s / 8) for b, s in apart] + few, kinds=("scripted",))
    classes = torch.arange(12) * 7 % 3
    out["nms of classes"] = Case(OfClasses(), [(b, s, classes) for b, s in finite(12)])
    return out

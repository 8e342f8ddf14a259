# SPDX-License-Identifier: Apache-2.0
"""Detectors of torchvision with small backbones, up to the boxes that are left: thresholds, the best of each level,
suppression within classes. Other pictures have other numbers of boxes at each of these steps.

torchvision's own nms is compiled code that need not be installed; tests/values/detection.py says what it computes.
"""

from typing import Dict, List

import torch
from torch import Tensor, nn
from torch.nn import functional as F

import common  # noqa: F401: makes torchvision importable
import detection  # noqa: F401: defines torchvision.ops.nms
import torchvision.extension
from torchvision.models.detection import FCOS, RetinaNet
from torchvision.models.detection.anchor_utils import AnchorGenerator, DefaultBoxGenerator
from torchvision.models.detection.image_list import ImageList
from torchvision.models.detection.rpn import RegionProposalNetwork, RPNHead
from torchvision.models.detection.ssd import SSD, SSDHead
from torchvision.ops import batched_nms

from road import BOTH, SCRIPTED, Road

SIZE = 32
CLASSES = 4
VARIED = "5 pictures of other contrast: from no candidate to all of them"


# What training needs of it is compiled with the rest, and never called.
detection.LIBRARY.define("box_iou_rotated(Tensor boxes1, Tensor boxes2) -> Tensor")


def has_operators() -> bool:
    return True


torchvision.extension._has_ops = has_operators


class Backbone(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(3, width, 3, 4, 1), nn.BatchNorm2d(width), nn.ReLU6())
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU6())
        self.out_channels = width

    def forward(self, x: Tensor) -> Dict[str, Tensor]:
        x = self.first(x)
        return {"0": x, "1": self.second(x)}


def anchors(count=1):
    return AnchorGenerator(((8,), (16,)), ((0.5, 1.0, 2.0)[:count],) * 2)


def sharpened(model, gain):
    """Heads begin with weights of 0.01 and biases that say no to everything."""
    for name, parameter in model.named_parameters():
        if parameter.dim() > 1:
            nn.init.normal_(parameter, std=gain / parameter[0].numel() ** 0.5)
        elif "cls_logits.bias" in name:
            nn.init.zeros_(parameter)
    return model


class Levels(nn.Module):
    """What RetinaNet's and FCOS's forward do behind the transform."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.backbone, self.head, self.anchors = model.backbone, model.head, model.anchor_generator
        self.model = model

    def forward(self, image: Tensor):
        features = list(self.backbone(image).values())
        found = self.head(features)
        anchors = self.anchors(ImageList(image, [(32, 32)]), features)
        sizes = [x.size(2) * x.size(3) for x in features]
        each = anchors[0].size(0) // (sizes[0] + sizes[1])
        counts = [size * each for size in sizes]
        split = {name: list(value.split(counts, dim=1)) for name, value in found.items()}
        boxes = self.model.postprocess_detections(split, [list(anchors[0].split(counts))], [(32, 32)])[0]
        return boxes["boxes"], boxes["scores"], boxes["labels"]


class Single(nn.Module):
    """The same of SSD."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.backbone, self.head, self.anchors, self.model = model.backbone, model.head, model.anchor_generator, model

    def forward(self, image: Tensor):
        features = list(self.backbone(image).values())
        anchors = self.anchors(ImageList(image, [(32, 32)]), features)
        boxes = self.model.postprocess_detections(self.head(features), anchors, [(32, 32)])[0]
        return boxes["boxes"], boxes["scores"], boxes["labels"]


class Proposals(nn.Module):
    """Ren et al. 2015, arXiv:1506.01497: the region proposal network."""

    def __init__(self):
        super().__init__()
        self.backbone = Backbone()
        self.rpn = RegionProposalNetwork(
            anchors(3), RPNHead(8, 3), 0.7, 0.3, 64, 0.5, {"training": 20, "testing": 20}, {"training": 9, "testing": 9},
            0.5, score_thresh=0.4)

    def forward(self, image: Tensor):
        return self.rpn(ImageList(image, [(32, 32)]), self.backbone(image))[0][0]


class Yolo(nn.Module):
    """Redmon and Farhadi 2018, arXiv:1804.02767: boxes on a grid, of which those that are sure enough are kept."""

    def __init__(self):
        super().__init__()
        self.backbone = Backbone()
        self.head = nn.Conv2d(8, 5 + CLASSES, 1)

    def forward(self, image: Tensor):
        boxes: List[Tensor] = []
        for level, x in enumerate(self.backbone(image).values()):
            y = self.head(x)[0].flatten(1).t()
            side = x.size(3)
            grid = torch.stack([torch.arange(side * side) % side, torch.arange(side * side) // side], 1)
            centre = (y[:, :2].sigmoid() + grid) * (4 << level)
            extent = y[:, 2:4].exp().clamp(max=4.0) * (4 << level)
            boxes.append(torch.cat([centre - extent / 2, centre + extent / 2, y[:, 4:].sigmoid()], 1))
        found = torch.cat(boxes)
        scores, labels = (found[:, 5:] * found[:, 4:5]).max(1)
        sure = scores > 0.3
        found, scores, labels = found[sure], scores[sure], labels[sure]
        kept = batched_nms(found[:, :4], scores, labels, 0.4)[:12]
        return found[kept, :4], scores[kept], labels[kept]


def pictures():
    """The sample and others; the last is so dark that nothing is found, or everything alike."""
    generator = torch.Generator().manual_seed(3)
    return [(contrast * torch.randn(1, 3, SIZE, SIZE, generator=generator),) for contrast in (1, 1, 2, 0.5, 4, 0.02)]


def detector(make, gain, ways=BOTH):
    return lambda: Road(sharpened(make(), gain), pictures(), [], ways, VARIED)


def retinanet():
    return Levels(RetinaNet(Backbone(), CLASSES, anchor_generator=anchors(3), score_thresh=0.6, nms_thresh=0.4,
                            detections_per_img=15, topk_candidates=40))


def fcos():
    return Levels(FCOS(Backbone(32), CLASSES, anchor_generator=anchors(), score_thresh=0.5, nms_thresh=0.5,
                       detections_per_img=15, topk_candidates=30))


def ssd():
    boxes = DefaultBoxGenerator([[2], [2]])
    head = SSDHead([8, 8], boxes.num_anchors_per_location(), CLASSES)
    return Single(SSD(Backbone(), boxes, (SIZE, SIZE), CLASSES, head=head, score_thresh=0.3, nms_thresh=0.4,
                      detections_per_img=15, topk_candidates=30))


DETECTORS = {
    "retinanet": detector(retinanet, 1.5),
    "fcos": detector(fcos, 1.5),
    "ssd": detector(ssd, 1.5),
    "region_proposals": detector(Proposals, 1.5),
    "yolo": detector(Yolo, 0.7),
}

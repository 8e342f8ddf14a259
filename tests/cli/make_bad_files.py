"""Writes bad and odd inputs for the command-line tests: make_bad_files.py OUTDIR (torch only)."""

import sys
import zipfile
from pathlib import Path

import torch
from torch import nn

DIGITS = Path(__file__).resolve().parents[2] / "fixtures/digits_cnn/model.pt"
LFS_POINTER = f"""version https://git-lfs.github.com/spec/v1
oid sha256:{"0123456789abcdef" * 4}
size 59443
"""


def small_model():
    return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 2))


def zipped_again(path, compression, version=None):
    """The digits model as another zip tool writes it: unaligned, and compressed if asked."""
    with zipfile.ZipFile(DIGITS) as old, zipfile.ZipFile(path, "w", compression) as new:
        for name in old.namelist():
            replace = version is not None and name.endswith("/version")
            new.writestr(name, version if replace else old.read(name))


def truncated(path):
    data = DIGITS.read_bytes()
    path.write_bytes(data[: len(data) // 2])


def exported(path):
    torch.export.save(torch.export.export(small_model().eval(), (torch.randn(3, 4),)), path)


class SavesWhenLoaded(nn.Module):
    """Loading runs __setstate__, so that a model file can write any other file."""

    def __init__(self):
        super().__init__()
        self.weight = torch.ones(2)

    @torch.jit.export
    def __getstate__(self):
        return self.weight, self.training

    @torch.jit.export
    def __setstate__(self, state: tuple[torch.Tensor, bool]):
        torch.save(state[0], "written_by_setstate")
        self.weight = state[0]
        self.training = state[1]

    def forward(self, x):
        return x * self.weight


class SavesWhenRun(nn.Module):
    def forward(self, x):
        torch.save(x, "written_by_forward")
        return x + 1


class BranchesOnData(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x[:1]  # of another shape: no select can stand for this branch
        return x.exp()


class UsesUnknownOperator(nn.Module):
    def forward(self, boxes, scores):
        return boxes[torch.ops.rotated.nms(boxes, scores, 0.5)]


def unknown_op(path):
    """Scripting needs the operator's schema for a moment; loading elsewhere then misses it."""
    library = torch.library.Library("rotated", "FRAGMENT")
    library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    torch.jit.script(UsesUnknownOperator()).save(path)


class Gamma(nn.Module):
    def forward(self, x):
        return torch.igamma(x.abs() + 1, x.abs())


class UsesUnsupportedOperators(nn.Module):
    def __init__(self):
        super().__init__()
        self.gamma = Gamma()

    def forward(self, x):
        return torch.special.airy_ai(x) + torch.special.airy_ai(x * 2), self.gamma(x)


class Quantised(nn.Module):
    def __init__(self):
        super().__init__()
        weight = torch.quantize_per_tensor(torch.ones(2, 3), 0.1, 0, torch.qint8)
        self.packed = torch.ops.quantized.linear_prepack(weight, None)

    def forward(self, x):
        q = torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)
        return torch.ops.quantized.linear(q, self.packed, 0.1, 0).dequantize()


def unknown_class(path):
    """Parameters that are packed in a class which this LibTorch does not have."""
    torch.jit.trace(Quantised(), torch.ones(1, 3)).save(path)
    with zipfile.ZipFile(path) as old:
        records = {name: old.read(name) for name in old.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as new:
        for name, data in records.items():
            if name.endswith((".py", ".pkl")):
                data = data.replace(b"LinearPackedParamsBase", b"LinearTiledParamsBase_")
            new.writestr(name, data)


def scripted(model):
    return lambda path: torch.jit.script(model).save(path)


def traced(model, *inputs):
    return lambda path: torch.jit.trace(model, inputs).save(path)


torch.manual_seed(0)
FILES = {
    "empty.pt": lambda path: path.write_bytes(b""),
    "text.pt": lambda path: path.write_text("this is not a model\n"),
    "lfs_pointer.pt": lambda path: path.write_text(LFS_POINTER),
    "truncated.pt": truncated,
    "state_dict.pt": lambda path: torch.save(small_model().state_dict(), path),
    "pickled_module.pt": lambda path: torch.save(small_model(), path),
    "legacy_pickle.pt": lambda path: torch.save(
        small_model(), path, _use_new_zipfile_serialization=False
    ),
    "exported.pt2": exported,
    "version99.pt": lambda path: zipped_again(path, zipfile.ZIP_STORED, version="99\n"),
    "deflated.pt": lambda path: zipped_again(path, zipfile.ZIP_DEFLATED),  # valid: must load
    "train_mode.pt": scripted(small_model()),  # valid: batch norm and dropout mean eval() ones
    "setstate_save.pt": scripted(SavesWhenLoaded()),
    "forward_save.pt": scripted(SavesWhenRun()),
    "data_branch.pt": scripted(BranchesOnData()),
    "unknown_op.pt": unknown_op,
    "unknown_class.pt": unknown_class,
    "unsupported.pt": traced(UsesUnsupportedOperators(), torch.linspace(-1, 1, 6)),
}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, write in FILES.items():
        write(folder / name)
    import hostile_files  # here, so that the lines above keep their numbers
    import hostile_operators
    import other_models
    import saved_tensors

    other_models.write_all(folder)
    saved_tensors.write_all(folder)
    hostile_files.write_all(folder / "hostile")
    hostile_operators.write_all(folder / "operators")
    import check_models

    check_models.saved(folder)
    import refused_models

    refused_models.write_all(folder)
    import warned_models

    warned_models.write_all(folder)


def exported_old(path):
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("serialized_exported_program.json", "serialized_state_dict.pt", "version"):
            archive.writestr(f"archive/{name}", b"3")


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x, opts):
        return self.fc(x) * opts["w"]


def open_program():
    rows = torch.export.Dim("rows", min=2, max=64)
    samples = (torch.randn(3, 4), {"w": torch.randn(3, 3)})
    return torch.export.export(Scaled().eval(), samples, dynamic_shapes=({0: rows}, {"w": {0: rows}}))


def exported_open(path):
    torch.export.save(open_program(), path)


def exported_two(path):
    from torch.export.pt2_archive._package import package_pt2

    closed = torch.export.export(small_model().eval(), (torch.randn(3, 4),))
    package_pt2(path, exported_programs={"encode": open_program(), "decode": closed})


# Here, so that the lines above keep their numbers.
FILES |= {"exported_old.pt2": exported_old, "exported_open.pt2": exported_open, "exported_two.pt2": exported_two}

if __name__ == "__main__":
    main()
# SPDX-License-Identifier: Apache-2.0

# SPDX-License-Identifier: Apache-2.0
"""Exports one of the models of models.py with torch_to_nnef, from the module in Python: peer.py FOLDER OUT

OUT is a folder, or a .nnef.tgz.
"""

import sys
import tarfile
import tempfile
import warnings
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests/compress"))
import models  # noqa: E402,F401: what is unpickled
import peers  # noqa: E402


def main():
    from torch_to_nnef import TractNNEF, export_model_to_nnef

    warnings.simplefilter("ignore")
    torch.backends.mha.set_fastpath_enabled(False)
    module, inputs = torch.load(Path(sys.argv[1]) / "module.pth", weights_only=False, mmap=True)
    out = Path(sys.argv[2])
    with tempfile.TemporaryDirectory(dir=out.parent) as folder:
        target = TractNNEF(peers.TRACT, check_io=False, dump_identity_properties=False,
                           specific_tract_binary_path=peers.named_version(Path(folder)))
        is_folder = not out.name.endswith(".tgz")
        archive = Path(folder) / "out.nnef.tgz" if is_folder else out
        export_model_to_nnef(module.eval(), inputs, archive, target, input_names=["input"], output_names=["output"],
                             compression_level=0 if is_folder else 6)
        if is_folder:
            with tarfile.open(archive) as file:
                file.extractall(out, filter="data")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Exports one of the models of models.py with torch_to_nnef, from the module in Python: peer.py NAME OUT.nnef.tgz"""

import sys
import warnings
from pathlib import Path

import torch

import models

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests/compress"))
import peers  # noqa: E402


def main():
    from torch_to_nnef import TractNNEF, export_model_to_nnef

    warnings.simplefilter("ignore")
    torch.backends.mha.set_fastpath_enabled(False)
    torch.manual_seed(1)
    module, sample = getattr(models, sys.argv[1])()
    out = Path(sys.argv[2])
    target = TractNNEF(peers.TRACT, check_io=False, dump_identity_properties=False,
                       specific_tract_binary_path=peers.named_version(out.parent))
    export_model_to_nnef(module.eval(), (sample,), out, target, input_names=["input"], output_names=["output"],
                         compression_level=6)


if __name__ == "__main__":
    main()

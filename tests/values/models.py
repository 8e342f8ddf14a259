"""Models whose sizes follow from the values of their inputs, traced and scripted: each is exported once, run at
values of which other sizes follow, and compared with torch. Usage: models.py --program PROGRAM [WORD]"""

import argparse
import sys
import warnings

import torch

from compare import failures
from detection import detections
from experts import experts
from graph_networks import graphs
from scales import scales


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("word", nargs="?", default="")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.manual_seed(5)
    return 1 if failures(options.program, {**detections(), **experts(), **graphs(), **scales()}, options.word) else 0


if __name__ == "__main__":
    sys.exit(main())

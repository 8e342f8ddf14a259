# SPDX-License-Identifier: Apache-2.0
"""Models whose sizes follow from the values of their inputs, traced and scripted: each is exported once, run at
values of which other sizes follow, and compared with torch. Usage: models.py --program PROGRAM [WORD]"""

import sys

from compare import main
from detection import detections
from experts import experts
from graph_networks import graphs
from rows import rows
from scales import scales
from ways import ways

if __name__ == "__main__":
    sys.exit(main(__doc__, lambda: {**detections(), **experts(), **graphs(), **rows(), **scales(), **ways()}))

# SPDX-License-Identifier: Apache-2.0
"""Makes docs/speed.md and its plots of what speed.py and linear.py measured.

    page.py SPEED.json LINEAR.json -o docs/speed.md

Exit 1 where a figure is beyond its aim.
"""

import argparse
import json
import math
import os
import statistics
import sys
from pathlib import Path

AIMS = {"folder": (0.7, 0.85), ".tgz": (1.5, 2.0)}  # of the floor: geometric mean, each model
FASTER = {"pnnx, folder": 10, "torch_to_nnef, folder": 15}
DYNAMIC = 3.0  # of the same export without dynamic axes
MEMORY = 100e6  # bytes, for gigabytes of weights
STEEPEST = 1.1
MICROSECONDS = {"export": 20, "export, open axis": 60}


def medians(way):
    """Wall and processor seconds."""
    return [statistics.median(run[axis] for run in way["runs"]) for axis in (0, 1)]


def ratio(ways, name, other, axis=0):
    """Median over the rounds of one way's time divided by another's; None where one did not run."""
    if not (ways.get(name) and ways.get(other)):
        return None
    pairs = zip(ways[name]["runs"], ways[other]["runs"])
    return statistics.median(a[axis] / b[axis] for a, b in pairs)


def geometric(values):
    values = [value for value in values if value]
    return math.exp(statistics.mean(math.log(value) for value in values)) if values else None


def cell(value, digits=2):
    return "–" if value is None else f"{value:.{digits}f}"


def floored(found):
    """Models whose time is not that of operations alone: the floor writes the weights, not the graph."""
    return {name: model for name, model in found.items() if model["bytes"] > 20e6}


def failed(found):
    """Rows of what did not run."""
    return [(f"{way} of {model} fails", math.nan, "", False)
            for model, each in found.items() for way, figures in each["ways"].items() if figures is None]


def totals(found, linear):
    """Rows of (what, measured, aim, whether it is reached)."""
    rows = failed(found)
    models = floored(found)
    for name, (mean, most) in AIMS.items():
        ratios = {model: ratio(each["ways"], name, "floor") for model, each in models.items()}
        ratios = {model: value for model, value in ratios.items() if value}
        if not ratios:
            continue
        rows.append((f"to a {name}, of the floor, geometric mean", geometric(ratios.values()), f"≤ {mean}", geometric(ratios.values()) <= mean))
        worst = max(ratios, key=ratios.get)
        rows.append((f"to a {name}, of the floor, most ({worst})", ratios[worst], f"≤ {most}", ratios[worst] <= most))
    for other, least in FASTER.items():
        times = [ratio(model["ways"], other, "folder") for model in found.values()]
        if geometric(times):
            rows.append((f"times faster than {other}, geometric mean", geometric(times), f"≥ {least}", geometric(times) >= least))
    dynamic = {name: ratio(model["ways"], "folder, dynamic axes", "folder") for name, model in found.items()}
    dynamic = {name: value for name, value in dynamic.items() if value}
    if dynamic:
        worst = max(dynamic, key=dynamic.get)
        rows.append((f"dynamic axes, of static, most ({worst})", dynamic[worst], f"≤ {DYNAMIC:.0f}", dynamic[worst] <= DYNAMIC))
    for name, model in found.items():
        if model["bytes"] > 1e9:
            for way in filter(model["ways"].get, ("folder", "folder, dynamic axes")):
                used = model["ways"][way]["anonymous"]
                rows.append((f"anonymous memory of {name} {way.removeprefix('folder, ')}, MB", used / 1e6, f"≤ {MEMORY / 1e6:.0f}", used <= MEMORY))
    engine = [value for model in found.values() if (value := engine_ratio(model))]
    if engine:
        rows.append(("engine's time of our file, of torch_to_nnef's, geometric mean", geometric(engine), "≤ 1.0", geometric(engine) <= 1.0))
    for name, each in linear.items():
        rows.append((f"exponent of {name}", each["exponent"], f"≤ {STEEPEST}", each["exponent"] <= STEEPEST))
        if name in MICROSECONDS:
            rows.append((f"µs of an operation, {name}", each["microseconds"], f"≤ {MICROSECONDS[name]}", each["microseconds"] <= MICROSECONDS[name]))
    return rows


def engine_ratio(model):
    return model["engine"] and model["engine"]["run"]


def table(model):
    ways = model["ways"]
    lines = ["| | wall, s | of the floor | processor, of the floor | anonymous, MB | mapped, MB | written, MB |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    for name, way in ways.items():
        if way is None:
            lines.append(f"| {name} | fails | | | | | |")
            continue
        lines.append(f"| {name} | {medians(way)[0]:.2f} | {cell(ratio(ways, name, 'floor'))} | {cell(ratio(ways, name, 'floor', 1))} | "
                     f"{way['anonymous'] / 1e6:.0f} | {way['mapped'] / 1e6:.0f} | {way['bytes'] / 1e6:.1f} |")
    return lines


def longest(linear):
    return max((int(count) for each in linear.values() for count in each["times"]), default=0)


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(": ")[1]
    return "an unknown processor"


def page(found, linear, rounds):
    lines = ["# Speed", "", "What `make bench` measured. The floor is what LibTorch takes to load the model, run it once and write its weights,",
             "in C++ ([bench/floor.cpp](../bench/floor.cpp)). Each run is a fresh process; all ways take turns, and a ratio is the median over",
             f"the rounds ({rounds}; at most three of large models and other exporters). Outputs are written to memory. Other exporters get the module, pickled,",
             f"in Python. Measured on {os.cpu_count()} cores of {processor()}, with nothing else running.", "",
             "![Time of exports, of the floor](speed.svg)", "", "| | measured | aim |", "| --- | --- | --- |"]
    for what, measured, aim, is_reached in totals(found, linear):
        lines.append(f"| {what} | {measured:.2f}{'' if is_reached else ' **missed**'} | {aim} |")
    lines += ["", "## Growth with the number of operations", "",
              f"Processor time of chains of up to {longest(linear):,} operations, fitted as *a + b·nᵉ*",
              "([bench/linear.py](../bench/linear.py)).", "",
              "| | exponent | µs of an operation |", "| --- | --- | --- |"]
    lines += [f"| {name} | {each['exponent']:.2f} | {each['microseconds']:.0f} |" for name, each in linear.items()]
    engines = {name: model["engine"] for name, model in found.items() if model["engine"]}
    if engines:
        lines += ["", "## In the engine", "", "tract's time for our file, divided by its time for torch_to_nnef's, run in turns in one process.", "",
                  "| | load | run |", "| --- | --- | --- |"]
        lines += [f"| {name} | {cell(each['load'])} | {cell(each['run'])} |" for name, each in engines.items()]
    for name, model in found.items():
        lines += ["", f"## {name}, {model['bytes'] / 1e6:.0f} MB", "", model["says"], "", *table(model)]
    return "\n".join(lines) + "\n"


def plot(found, path):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "t2nnef"
    from matplotlib import pyplot

    shown = ("folder", ".tgz", "pnnx, folder", "torch_to_nnef, folder")
    models = list(floored(found))
    figure, axes = pyplot.subplots(figsize=(9, 0.55 * len(models) + 1.2))
    for number, name in enumerate(shown):
        ratios = [ratio(found[model]["ways"], name, "floor") or math.nan for model in models]
        axes.barh([place + 0.2 * number for place in range(len(models))], ratios, 0.18, label=name)
    axes.set_yticks([place + 0.3 for place in range(len(models))], models)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.axvline(1, color="grey", linewidth=0.8)
    axes.set_xlabel("time, of LibTorch's own load, run and write")
    axes.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("speed", type=Path)
    parser.add_argument("linear", type=Path)
    parser.add_argument("-o", "--output", type=Path)
    options = parser.parse_args()
    found, linear = (json.loads(file.read_text()) if file.exists() else {} for file in (options.speed, options.linear))
    rounds = max((len(way["runs"]) for model in found.values() for way in model["ways"].values() if way), default=0)
    if options.output:
        options.output.write_text(page(found, linear, rounds))
        plot(found, options.output.with_suffix(".svg"))
    missed = [row for row in totals(found, linear) if not row[3]]
    for what, measured, aim, is_reached in totals(found, linear):
        print(f"{measured:>9.2f}  {aim:>7}  {'' if is_reached else 'MISSED '}{what}")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Exports models with fragments, good and bad ones, and compares exit codes and messages.

usage: check_extensions.py T2NNEF PLUGIN.so [TEXT_OF_A_CASE]
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
HALVES = """fragment mine__halves(x: tensor<scalar>) -> (a: tensor<scalar>, b: tensor<scalar>)
{ a = slice(x, axes = [1], begin = [0], end = [2]) + 1.0; b = slice(x, axes = [1], begin = [2], end = [4]) * 2.0; }"""
NORM = """fragment my_norm(x: tensor<scalar>, weight: tensor<scalar>, eps: scalar) -> (y: tensor<scalar>)
{ m = mean_reduce(x * x, axes = [2]); y = x * rsqrt(m + eps) * unsqueeze(weight, axes = [0, 1]); }"""
SWISH_PARAMETERS = "x: tensor<scalar>, beta: scalar = 1.0"
TRACED_NORM = NORM.replace("eps: scalar", "eps: scalar = 0.001")
PAIR = "fragment pair(x: tensor<scalar>) -> (a: tensor<scalar>, b: tensor<scalar>) { a = x + 1.0; b = x * 2.0; }"
DOUBLE = "fragment double(x: tensor<scalar>) -> (y: tensor<scalar>) { y = x * 2.0; }"


def one(name, body, parameters="x: tensor<scalar>", results="y: tensor<scalar>"):
    return f"fragment {name}({parameters}) -> ({results}) {{ {body} }}"


SWISH = one("mine__swish", "y = x * sigmoid(beta * x);", SWISH_PARAMETERS)
NORMS = " -i x=2,5,8 --module-op blocks.*.norm=my_norm"
TRACT, KHRONOS = "export -t tract --check", "export -t khronos --check"
MIX = one("mine__mix", "all = concat(xs, axis = 1); z = slice(all, axes = [1], begin = begin, end = end) * gain + y;",
          "xs: tensor<scalar>[], y: tensor<scalar>, begin: integer[], end: integer[], gain: scalar", "z: tensor<scalar>")
JOINED = one("joined", "y = concat(xs, axis = 1) * gain;", "xs: tensor<scalar>[], gain: scalar")
# (model, options, fragments, exit code, text of the output)
CASES = [
    # An operator: the check says that its fragment is its own reference.
    ("swish", TRACT, SWISH, 0, "a fragment is its own reference for mine::swish"),
    ("swish", TRACT, SWISH, 0, "warning[fragment-unproven]: nothing but its fragment computes mine::swish"),
    ("swish", "check swish.nnef.tgz", SWISH, 0, "a fragment is its own reference"),
    ("swish", TRACT + " --dynamic x:0=N", SWISH, 0, "wrote"),
    ("swish", KHRONOS, SWISH, 0, "wrote"),
    ("swish", "inspect --graph", SWISH, 0, "mine::swish"),
    ("swish", "ops -t tract", SWISH, 0, "mine::swish"),
    ("swish", "export -t tract", "", 4, "is not known to this LibTorch"),
    ("halves", TRACT, HALVES, 0, "wrote"),
    ("halves", KHRONOS, HALVES, 0, "wrote"),
    ("loop", TRACT + " -i x=6,4 --dynamic x:0=S", SWISH, 0, "wrote"),
    ("swish", TRACT + " --dynamic x:0=S --stream S=2", SWISH, 0, "wrote"),
    ("swish", TRACT, SWISH.replace("sigmoid(beta * x)", "gate(x, k = beta)")
     + "fragment gate(x: tensor<scalar>, k: scalar) -> (y: tensor<scalar>) { y = sigmoid(k * x); }", 0, "wrote"),
    ("swish", "opt -t tract --passes fold-constants -o swish.ir", SWISH, 0, "wrote"),
    ("swish.ir", TRACT, SWISH, 0, "wrote"),
    ("swish.ir", TRACT, "", 3, "denied-operator"),
    # Modules: LibTorch runs them, and the check proves the fragment.
    ("blocks", TRACT + NORMS, NORM, 0, "needs tract_core"),
    ("blocks", "check blocks.nnef.tgz" + NORMS, NORM, 0, "bit for bit"),
    ("blocks", "check blocks.nnef.tgz -i x=2,5,8", "", 0, "bit for bit"),
    ("blocks", KHRONOS + NORMS, NORM, 0, "wrote"),
    ("blocks", TRACT + NORMS + " --dynamic x:1=S", NORM, 0, "wrote"),
    ("shared", TRACT + " --module-op blocks.*.norm=my_norm", TRACED_NORM, 0, "wrote"),
    ("twice", TRACT + " --module-op norm=my_norm", TRACED_NORM, 0, "wrote"),
    ("pair", TRACT + " --module-op part=pair", PAIR, 0, "wrote"),
    ("pair", KHRONOS + " --module-op part=pair", PAIR, 0, "wrote"),
    ("blocks", TRACT + NORMS, NORM.replace("m + eps", "m"), 5, "output-mismatch"),
    ("pair", TRACT + " --module-op part=pair", PAIR.replace("2.0", "3.0"), 5, "output-mismatch"),
    # Lists of tensors, of operators and of modules.
    ("mix", TRACT, MIX, 0, "a fragment is its own reference for mine::mix"),
    ("mix", TRACT + " --dynamic x:0=N", MIX, 0, "wrote"),
    ("mix", KHRONOS, MIX, 0, "wrote"),
    ("mix", TRACT, MIX.replace("xs: tensor<scalar>[]", "xs: tensor<scalar>"), 3, "fragment-signature"),
    ("mix", TRACT, MIX.replace("axis = 1)", "axis = 0)"), 3, "cannot be called with"),
    ("joined", TRACT + " -i x=2,4 --module-op part=joined", JOINED, 0, "wrote"),
    ("joined", KHRONOS + " -i x=2,4 --module-op part=joined", JOINED, 0, "wrote"),
    ("joined", TRACT + " -i x=2,4 --module-op part=joined", JOINED.replace("* gain", "+ gain"), 5, "output-mismatch"),
    # A plugin has the kernel, which the check compares the fragment with.
    ("swish", TRACT + " --plugin PLUGIN", SWISH, 0, "reference: LibTorch's executor; t2nnef's own run gives the same"),
    ("swish", TRACT + " --plugin PLUGIN", SWISH.replace("beta * x", "x"), 5, "output-mismatch"),
    ("swish", TRACT + " --plugin PLUGIN", SWISH.replace("scalar = 1.0", "integer = 1"), 3, "does not fit mine::swish"),
    ("swish", "export -t tract --plugin PLUGIN", "", 4, "unsupported-op"),
    ("swish", TRACT + " --plugin PLUGIN", SWISH + one("mine__flat", "y = x + 0.0;"), 3,
     "returns memory of its arguments"),
    ("swish", "inspect --graph --plugin PLUGIN", "", 0, "mine::swish"),
    ("swish", "export -t tract --plugin none.so", SWISH, 3, "plugin-failed"),
    # A fragment that does not fit.
    ("swish", TRACT, one("mine__swish", "y = x;"), 3, "does not fit the fragment 'mine__swish'"),
    ("halves", TRACT, one("mine__halves", "y = x;"), 3, "fragment-signature"),
    ("blocks", TRACT + NORMS, NORM.replace("weight", "gain"), 3, "no attribute 'gain'"),
    ("blocks", TRACT + NORMS,
     NORM.replace("y = x *", "z = x *").replace("}", "y = slice(z, axes = [2], begin = [0], end = [4]); }"), 3,
     "has the shape [2,5,4]"),
    ("pair", TRACT + " --module-op part=double", DOUBLE, 3, "the module returns a Tuple"),
    ("listed", TRACT + " -i x=2,4 --module-op part=pair", PAIR, 3, "the module returns a List"),
    ("view", "export -t tract -i x=2,4 --module-op part=double", DOUBLE, 3, "returns memory of its input"),
    ("same", TRACT + " --module-op part=pair", PAIR, 3, "or another result"),
    ("writes", TRACT + " --module-op part=double", DOUBLE, 3, "writes to its input"),
    ("counts", TRACT + " --module-op part=double", DOUBLE, 3, "changes its own state"),
    ("masked", TRACT + " --module-op part=double", DOUBLE, 3, "forward is called with 'x0'"),
    ("quantised", TRACT + " -i x=2,4", SWISH, 4, "quantised tensor"),
    ("blocks", TRACT + " -i x=2,5,8 --module-op blocks.*.nrm=my_norm", NORM, 2, "matches no module"),
    ("blocks", TRACT + NORMS + " --module-op blocks.0.norm=my_norm", NORM, 2, "both match"),
    ("unused", TRACT + " -i x=2,5,8 --module-op other=my_norm", NORM, 2, "calls forward of none"),
    ("blocks", TRACT + " --module-op norm", NORM, 2, "is not GLOB=FRAGMENT"),
    ("blocks", TRACT + " --module-op blocks.*.norm=my_nrm", NORM, 2, "did you mean 'my_norm'?"),
    ("pair", TRACT + " --dynamic x:0=S --module-op part=pair",
     PAIR.replace("b = x * 2.0", "b = concat([x, x], axis = 0)"), 4, "dynamic-size"),
    # A fragment that is wrong in itself.
    ("swish", TRACT, one("mine__swish", "y = sigmod(x);"), 3, "did you mean 'sigmoid'?"),
    ("swish", TRACT, one("mine__swish", "y = x * z;"), 3, "'z' is not defined before it"),
    ("swish", TRACT, one("mine__swish", "z = x;"), 3, "never assigns its result 'y'"),
    ("swish", TRACT, one("mine__swish", "y = mine__swish(x);"), 3, "calls itself"),
    ("swish", TRACT, one("mine__swish", "y = f(x);") + one("f", "y = mine__swish(x);"), 3, "calls itself"),
    ("swish", TRACT, SWISH + SWISH, 3, "is defined twice"),
    ("swish", TRACT, SWISH + one("relu", "y = max(x, 0.0);"), 3, "has the name of an operation"),
    ("swish", TRACT, SWISH + DOUBLE, 3, "stands for nothing"),
    ("swish", TRACT, SWISH + one("aten__relu", "y = max(x, 0.0);"), 3, "which t2nnef translates itself"),
    ("swish", TRACT, one("mine__swish", "y = x if beta > 0.0 else 0.0 - x;", SWISH_PARAMETERS), 3,
     "tract cannot execute"),
    ("swish", TRACT, one("mine__swish", "y = x;", "beta: scalar, x: tensor<scalar>"), 3, "tensors come first"),
    ("swish", TRACT, one("mine__swish", "y = x;", "x: tensor<scalar>[]"), 3, "fragment-signature"),
    ("swish", TRACT, one("mine__swish", "y = x;", "x: tensor<string>"), 3, "of the type"),
    ("swish", KHRONOS, one("mine__swish", "y = tract_core_erf(x * beta);", SWISH_PARAMETERS), 3,
     "operations of the standard only"),
    ("swish", KHRONOS, one("mine__swish", "y = concat([x, x], axis = 7) * beta;", SWISH_PARAMETERS), 3,
     "fragment-signature"),
    ("swish", TRACT, "fragment mine__swish(", 3, "nnef-syntax"),
    ("swish", TRACT, "# nothing", 3, "error[fragment-invalid]: "),
    ("swish", TRACT, "#" + "x" * (1 << 20), 3, "larger than 1 MiB"),
    ("swish", TRACT, "\0\xff" * 99, 3, "nnef-syntax"),
    ("swish", TRACT, one("mine__swish", f"y = {'(' * 9000}x{')' * 9000};"), 3, "nnef-"),
]


def main():
    program, plugin = (Path(each).resolve() for each in sys.argv[1:3])
    python = os.environ.get("T2NNEF_PYTHON", sys.executable)
    only = sys.argv[3] if len(sys.argv) > 3 else ""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([python, HERE / "models.py", folder], check=True, stderr=subprocess.DEVNULL)
        for model, options, fragments, code, text in CASES:
            case = f"{model} {options} {fragments[:100]!r}"
            if only not in case:
                continue
            command, *rest = options.replace("PLUGIN", str(plugin)).split()
            if fragments:
                Path(folder, "own.nnef").write_text(fragments, encoding="latin-1")
                rest += ["--fragment", "own.nnef"]
            file = model if "." in model else f"{model}.pt"
            done = subprocess.run([program, command, file, *rest], cwd=folder, capture_output=True, text=True)
            output = done.stdout + done.stderr
            forbidden = "unproven" if "PLUGIN" in options else "internal error"
            if done.returncode != code or text not in output or forbidden in output:
                failures.append(f"{case}\nexpected {code} and {text!r}, got {done.returncode}:\n{output[:1500]}")
    print("\n\n".join(failures))
    print(f"{len(CASES)} cases, {len(failures)} failures")
    sys.exit(bool(failures))


main()

# SPDX-License-Identifier: Apache-2.0
"""Installs a build into a folder, moves it, and uses it there: program, man page, completions, CMake package, SBOM.

usage: check_install.py BUILD_DIR
"""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = ["bin/t2nnef", "lib/t2nnef/libt2nnef.so", "lib/t2nnef/libt2nnef_torch.so", "share/man/man1/t2nnef.1",
         "share/doc/t2nnef/LICENSE", "share/doc/t2nnef/THIRD_PARTY.md", "lib/cmake/t2nnef/t2nnefConfig.cmake",
         "include/t2nnef/t2nnef_plugin.h"]
SHELLS = {"bash": "share/bash-completion/completions/t2nnef", "zsh": "share/zsh/site-functions/_t2nnef",
          "fish": "share/fish/vendor_completions.d/t2nnef.fish"}
CONSUMER = """cmake_minimum_required(VERSION 3.25)
project(consumer NONE)
find_package(t2nnef {version} REQUIRED)
add_custom_command(OUTPUT model.nnef.tgz DEPENDS "{model}"
  COMMAND t2nnef::t2nnef export "{model}" --target tract --output model.nnef.tgz)
add_custom_target(artefact ALL DEPENDS model.nnef.tgz)
"""


def run(*command, **options):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def installed(build, folder):
    """PREFIX, which has been moved since it was written."""
    first, prefix = folder / "first", folder / "second folder"
    run("cmake", "--install", build, "--prefix", first)
    first.rename(prefix)
    return prefix


def check_files(prefix):
    assert not [name for name in FILES if not (prefix / name).is_file()], "missing files"
    for shell, script in SHELLS.items():
        if shutil.which(shell):
            run(shell, "-n", prefix / script)
    for path in prefix.rglob("*"):
        if path.is_file():
            assert os.fsencode(ROOT) not in path.read_bytes(), f"{path} names a folder of the machine that built it"


def check_program(prefix, torch):
    """By its name on PATH, in an environment without anything else."""
    environment = {"PATH": f"{prefix}/bin:/usr/bin:/bin", "T2NNEF_TORCH": torch, "HOME": "/nonexistent"}
    out = prefix / "digits.nnef.tgz"
    run("t2nnef", "export", ROOT / "fixtures/digits_cnn/model.pt", "-t", "tract", "-o", out, env=environment, cwd="/")
    assert out.stat().st_size > 1000, "the artefact"
    run(sys.executable, ROOT / "packaging/version.py", prefix)


def check_cmake(prefix, folder, torch):
    version = run(prefix / "bin/t2nnef", "--version").split()[1]
    source = folder / "consumer"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(CONSUMER.format(version=version, model=ROOT / "fixtures/digits_cnn/model.pt"))
    run("cmake", "-S", source, "-B", source / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", source / "build", env=dict(os.environ, T2NNEF_TORCH=torch))
    assert (source / "build/model.nnef.tgz").exists(), "the artefact of the CMake project"


def check_sbom(prefix, folder, torch):
    """Of what is really linked; one library less is noticed."""
    if not shutil.which("dpkg-query"):
        return
    package = folder / "package.tar.gz"
    package.write_bytes(b"")
    sbom = [sys.executable, ROOT / "packaging/sbom.py"]
    run(*sbom, "write", package, prefix, torch, "1.0")
    document = folder / "package.tar.gz.spdx.json"
    run(*sbom, "check", document, prefix)
    text = document.read_text()
    assert "files: libarchive.so.13" in text, "libarchive is linked"
    document.write_text(text.replace("files: libarchive.so.13", "files:"))
    broken = subprocess.run([*sbom, "check", document, prefix], capture_output=True, text=True)
    assert broken.returncode == 1 and "libarchive.so.13 is needed and not listed" in broken.stderr, broken.stderr


def main():
    torch = os.environ.get("T2NNEF_TORCH")
    if not torch:
        print("T2NNEF_TORCH is not set")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prefix = installed(Path(sys.argv[1]), folder)
        check_files(prefix)
        check_program(prefix, torch)
        check_cmake(prefix, folder, torch)
        check_sbom(prefix, folder, torch)


if __name__ == "__main__":
    main()

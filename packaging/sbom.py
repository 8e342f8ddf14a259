# SPDX-License-Identifier: Apache-2.0
"""Writes and checks the SPDX 2.3 document of a package: what it links, in which version, under which licence.

usage: sbom.py write PACKAGE TREE LIBTORCH VERSION     writes PACKAGE.spdx.json; TREE holds the package's files
       sbom.py check DOCUMENT TREE                     compares the document with what the files of TREE need

What is linked is what the dynamic linker finds for the files of TREE; versions are those of the Debian packages that
hold it. Licences are those of THIRD_PARTY.md: a library without a row there is an error.
"""
import fnmatch
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[1]
ROW = re.compile(r"^\| ([^|]+) \| `([^`|]+)` \| (\w+) \| (\w+) `([^`|]+)` \|$", re.M)
PUBLIC_DOMAIN = "LicenseRef-public-domain"


def third_party():
    """[(name, licence, linkage, registry, pattern)] of THIRD_PARTY.md."""
    rows = ROW.findall((ROOT / "THIRD_PARTY.md").read_text())
    if not rows:
        raise SystemExit("THIRD_PARTY.md has no rows")
    return rows


def output(*command, **options):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=True, **options).stdout


def binaries(tree):
    """Programs and shared libraries, without those of LibTorch, which is one component."""
    files = [path for path in sorted(Path(tree).rglob("*")) if path.is_file() and not path.is_symlink()]
    own = [path for path in files if "torch" not in path.relative_to(tree).parts]
    return [path for path in own if path.open("rb").read(4) == b"\x7fELF"]


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", path))


def resolved(path, torch):
    """{name: path} of the shared libraries that the dynamic linker would load."""
    text = output("ldd", path, env=dict(os.environ, LD_LIBRARY_PATH=f"{torch}/lib"))
    if missing := re.findall(r"^\t(\S+) => not found", text, re.M):
        raise SystemExit(f"{path}: the dynamic linker does not find {', '.join(missing)}")
    return {name or Path(path).name: path for name, path in re.findall(r"^\t(?:(\S+) => )?(/\S+) \(", text, re.M)}


@functools.cache
def debian_package(path):
    """The package that holds a file, also if the file of that name is a copy of it."""
    real = os.path.realpath(path)
    # Packages name /lib/… what is in /usr/lib/…; a copy has the name that programs link.
    for pattern in (real, real.removeprefix("/usr"), f"/usr/lib/*/{Path(real).name}", f"*/{Path(real).name}"):
        found = subprocess.run(["dpkg", "-S", pattern], capture_output=True, text=True).stdout
        if found:
            return found.split(":")[0].split(",")[0]
    raise SystemExit(f"no Debian package holds {path}")


@functools.cache
def debian_version(package):
    return output("dpkg-query", "-W", "-f", "${Version}\n", package).split("\n")[0]


def torch_version(torch):
    return re.search(r"__version__ = '([^']+)'", (Path(torch) / "version.py").read_text())[1]


def row_of(rows, registry, package):
    for row in rows:
        if row[3] == registry and fnmatch.fnmatch(package, row[4]):
            return row
    raise SystemExit(f"THIRD_PARTY.md has no row for {registry} `{package}`, which is linked")


def linked(tree, torch, rows):
    """{(registry, package): (row, version, file names, whether the tree holds it)} of what the tree links."""
    tree, torch = Path(tree).resolve(), Path(torch).resolve()
    found = {}
    for binary in binaries(tree):
        for name, path in resolved(binary, torch).items():
            real = Path(path).resolve()
            contained = real.is_relative_to(tree)
            if name.startswith("libt2nnef") and contained:
                continue
            if real.is_relative_to(torch) or contained and "torch" in real.relative_to(tree).parts:
                key, version = ("pypi", "torch"), torch_version(torch)
            else:
                package = debian_package(path)
                key, version = ("deb", package), debian_version(package)
            row = row_of(rows, *key)
            _, _, names, inside = found.get(key, (row, version, set(), False))
            found[key] = (row, version, names | {name}, inside or contained)
    return found


def compiled_in(rows):
    """The same of headers and scripts that are part of our own files."""
    out = {}
    for row in rows:
        if row[2] == "compiled":
            package, _, version = row[4].partition("==")
            out[row[3], package] = (row, version or debian_version(package), set(), True)
    return out


def element(key, row, version, names):
    registry, package = key
    purl = f"pkg:deb/debian/{package}@{quote(version)}" if registry == "deb" else f"pkg:{registry}/{package}@{quote(version)}"
    out = {
        "SPDXID": f"SPDXRef-{registry}-{re.sub('[^A-Za-z0-9.-]', '-', package)}",
        "name": package,
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": row[1],
        "licenseDeclared": row[1],
        "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}],
    }
    if names:
        out["comment"] = "files: " + " ".join(sorted(names))
    return out


def own_element(package, version):
    return {
        "SPDXID": "SPDXRef-t2nnef",
        "name": "t2nnef",
        "versionInfo": version,
        "packageFileName": package.name,
        "checksums": [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(package.read_bytes()).hexdigest()}],
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "Apache-2.0",
        "licenseDeclared": "Apache-2.0",
        "copyrightText": "The t2nnef authors",
        "primaryPackagePurpose": "APPLICATION",
    }


def document(package, tree, torch, version):
    rows = third_party()
    packages, relations = [own_element(package, version)], [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-t2nnef")]
    for key, (row, its_version, names, inside) in sorted((linked(tree, torch, rows) | compiled_in(rows)).items()):
        packages.append(element(key, row, its_version, names))
        kinds = ["DYNAMIC_LINK"] if names else ["STATIC_LINK"]
        kinds += ["CONTAINS"] if inside else []
        relations += [("SPDXRef-t2nnef", kind, packages[-1]["SPDXID"]) for kind in kinds]
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))
    out = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": package.name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{quote(package.name)}-{packages[0]['checksums'][0]['checksumValue']}",
        "creationInfo": {"created": created, "creators": [f"Tool: t2nnef-sbom-{version}", "Organization: The t2nnef authors"]},
        "packages": packages,
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations],
    }
    if any(PUBLIC_DOMAIN in each["licenseConcluded"] for each in packages):
        out["hasExtractedLicensingInfos"] = [{
            "licenseId": PUBLIC_DOMAIN, "name": "Public domain",
            "extractedText": "The authors have put this file into the public domain."}]
    return out


def problems(text, tree):
    """What a document lacks: elements that relations name, and libraries that the tree needs."""
    if text.get("spdxVersion") != "SPDX-2.3":
        yield "it is no SPDX 2.3"
    ids = [each["SPDXID"] for each in text["packages"]]
    if len(set(ids)) != len(ids):
        yield "an identifier is there twice"
    related = {each[end] for each in text["relationships"] for end in ("spdxElementId", "relatedSpdxElement")}
    yield from (f"{name} is no element" for name in sorted(related - set(ids) - {"SPDXRef-DOCUMENT"}))
    yield from (f"{name} is related to nothing" for name in sorted(set(ids) - related))
    listed = {name for each in text["packages"] for name in each.get("comment", "").split()[1:]}
    own = {path.name for path in binaries(tree)}
    wanted = {name for path in binaries(tree) for name in needed(path) if not name.startswith("libt2nnef")}
    if not own:
        yield f"{tree} holds no programs"
    yield from (f"{name} is needed and not listed" for name in sorted(wanted - listed))


def main():
    command, arguments = sys.argv[1], sys.argv[2:]
    if command == "write":
        package, tree, torch, version = arguments
        text = document(Path(package), tree, torch, version)
        Path(f"{package}.spdx.json").write_text(json.dumps(text, indent=1) + "\n")
    else:
        path, tree = arguments
        found = list(problems(json.loads(Path(path).read_text()), tree))
        sys.exit("\n".join(f"{path}: {each}" for each in found) or 0)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Damages bytes, texts and archives. Every function takes a random.Random and gives bytes."""
import io
import re
import struct
import tarfile
import zipfile
import zlib

NUMBERS = [0, 1, -1, 2, 3, 7, 127, 128, 255, 256, 1000000, 2**31 - 1, -2**31, 2**32, 2**40, 2**62,
           2**63 - 1, -2**63, 2**64]
BYTES = [0, 1, 0x7f, 0x80, 0xff]


def flip(rng, data, most=8):
    """A few bytes anywhere are others."""
    out = bytearray(data)
    for _ in range(rng.randint(1, most)):
        if out:
            out[rng.randrange(len(out))] = rng.choice(BYTES + [rng.randrange(256)])
    return bytes(out)


def splice(rng, data):
    """A piece is cut out, doubled, moved, or written over by a number."""
    if not data:
        return data
    a = rng.randrange(len(data))
    b = min(len(data), a + rng.choice([1, 2, 4, 8, 64, 512, len(data)]))
    piece = data[a:b]
    how = rng.randrange(5)
    if how == 0:
        return data[:a] + data[b:]
    if how == 1:
        return data[:b] + piece * rng.choice([1, 2, 50]) + data[b:]
    if how == 2:
        c = rng.randrange(len(data))
        return data[:c] + piece + data[c:]
    if how == 3:
        return data[:a]
    width = rng.choice(["<H", "<I", "<Q", ">I", ">Q"])
    size = struct.calcsize(width)
    return data[:a] + struct.pack(width, rng.choice(NUMBERS) % (1 << 8 * size)) + data[a + size:]


def any_of(rng, data):
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        data = rng.choice([flip, splice])(rng, data)
    return data


WORD = re.compile(rb"[A-Za-z_][A-Za-z_0-9.]*|-?\d+(?:\.\d+)?|'[^'\n]*'|\"[^\"\n]*\"|[^\sA-Za-z_0-9]")


def words(rng, text, strange=()):
    """Words of a text change places, become numbers or strange words, or come many times."""
    for _ in range(rng.choice([1, 1, 2, 4])):
        found = list(WORD.finditer(text))
        if not found:
            return text
        word = rng.choice(found)
        other = rng.choice(found).group()
        number = str(rng.choice(NUMBERS)).encode()
        new = rng.choice([b"", number, number, other, word.group() * rng.choice([2, 1000]),
                          b"(" * rng.choice([1, 50, 5000]), b"[" + number + b"]",
                          *strange, b"\x1b[31m", b"i'\xff\x9b'", "\u202e".encode()])
        text = text[:word.start()] + new + text[word.end():]
    if rng.random() < 0.1:
        lines = text.split(b"\n")
        line = rng.choice(lines)
        text = b"\n".join(lines + [line] * rng.choice([1, 100]))
    return text


def zip_members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


def zipped(members, deflated=False, alignment=64):
    """A zip as torch writes it: stored, records aligned."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED) as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
            if not deflated:
                used = out.tell() + 30 + len(name.encode())
                pad = (-used - 4) % alignment
                info.extra = struct.pack("<HH", 0x4246, pad) + b"Z" * pad
            archive.writestr(info, content)
    return out.getvalue()


def zip_structure(rng, data):
    """Numbers of headers, directory and end record: offsets, sizes, methods, counts, checksums."""
    out = bytearray(data)
    fields = {b"PK\x03\x04": [(4, 2), (6, 2), (8, 2), (14, 4), (18, 4), (22, 4), (26, 2), (28, 2)],
              b"PK\x01\x02": [(8, 2), (10, 2), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2), (32, 2), (42, 4)],
              b"PK\x05\x06": [(4, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2)],
              b"PK\x06\x06": [(4, 8), (24, 8), (32, 8), (40, 8), (48, 8)],
              b"PK\x06\x07": [(8, 8)]}
    for _ in range(rng.choice([1, 1, 2, 4])):
        places = [m.start() for m in re.finditer(b"PK[\x01\x03\x05\x06][\x02\x04\x06\x07]", data)]
        if not places:
            return flip(rng, data)
        at = rng.choice(places)
        offset, size = rng.choice(fields.get(bytes(out[at:at + 4]), [(4, 2)]))
        end = at + offset + size
        if end <= len(out):
            old = int.from_bytes(out[at + offset:end], "little")
            new = rng.choice(NUMBERS + [old + 1, old - 1, old * 2, len(out), len(out) - 1, at])
            out[at + offset:end] = (new % (1 << 8 * size)).to_bytes(size, "little")
    return bytes(out)


def zip_records(rng, data, edit):
    """Records are edited, doubled, left out or swapped; sizes and checksums are right."""
    members = zip_members(data)
    how = rng.randrange(8)
    at = rng.randrange(len(members))
    if how == 0:
        del members[at]
    elif how == 1:
        members.append((members[at][0], members[rng.randrange(len(members))][1]))
    elif how == 2:
        other = rng.randrange(len(members))
        members[at] = (members[at][0], members[other][1])
    else:
        members[at] = (members[at][0], edit(rng, *members[at]))
    return zipped(members, deflated=rng.random() < 0.1)


def tar_members(data):
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return [(m.name, archive.extractfile(m).read()) for m in archive.getmembers() if m.isfile()]


def tarred(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def mended(tar):
    """The right checksum in each header: else nothing behind it is read."""
    out = bytearray(tar)
    for at in range(0, len(out) - 511, 512):
        if out[at + 257:at + 262] == b"ustar":
            out[at + 148:at + 156] = b" " * 8
            out[at + 148:at + 156] = b"%06o\0 " % (sum(out[at:at + 512]) & 0o777777)
    return bytes(out)


def gzipped(data, level=6):
    packer = zlib.compressobj(level, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()

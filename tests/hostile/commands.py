# SPDX-License-Identifier: Apache-2.0
"""Strange command lines and options files, and what happens to a program that runs: faults."""
import json
import os
import signal

import mutate
from case import Case

WORDS = ["export", "check", "inspect", "run", "diff", "ops", "m.pt", "m.tar", "n.tar", "in.npz", "-t", "tract",
         "khronos", "tract@0.21.19", "-o", "--output", "o.tgz", "o", "-", "--", "", "-i", "x=1,4,f32", "x=@in.npz",
         "@in.npz", "x=", "=", "x=@", "--report", "r.json", "--check", "--check=close", "--tolerance", "1,1",
         "--dynamic", "x:0=B", "x:99=B", "x:0=B*B", "--assert", "B>=1", "B==B//0", "--config", "c.toml", "c.json",
         "--engine", "reference", "tract@9.9.9", "/nowhere", "fifo", "fifo.npz", "link.npz", "link.json", "link.tgz",
         "../outside/victim", "../outside/pipe", "../outside", ".", "..", "/", "/dev/null", "/dev/full", "/dev/stdin",
         "/proc/self/mem", "m.tar/x", "--seeds", "2", "-1", "9223372036854775807", "nan", "--state", "--graph",
         "--json", "--names", "--missing", "-v", "-q", "-z", "9", "--version", "--help", "-h", "--timeout", "0.05",
         "--max-memory=64Mi", "--max-memory=1e18", "\x1b[31m", "\udcff\udcfe", "x" * 5000, "%s%n", "--print-after",
         "all", "--disable-pass", "dead-code", "--method", "nope", "aten::gelu", "--prune-unused-inputs",
         "--roll-loops", "--strict"]
OUTPUTS = ["fifo", "fifo.npz", "link.npz", "link.json", "link.tgz", "../outside/victim", "../outside/pipe", "m.pt",
           "m.tar", "in.npz", "c.toml", ".", "..", "/", "/dev/null", "/dev/full", "", "m.tar/x.npz", "nowhere/x",
           "link", "pipe", "./m.pt", "../work/in.npz"]


def files(seeds):
    return {"m.pt": seeds.good, "m.tar": seeds.plain, "n.tar": seeds.plain, "in.npz": seeds.npz,
            "c.toml": b'target = "tract"\n', "c.json": b'{"target": "tract"}'}


def line(rng, seeds):
    """Words in any order, mostly behind a command."""
    count = rng.choice([0, 1, 2, 3, 5, 8, 12])
    argv = [rng.choice(WORDS[:6])] * (rng.random() < 0.9) + [rng.choice(WORDS) for _ in range(count)]
    return Case("command line", argv, files(seeds))


def outputs(rng, seeds):
    """A good command whose output goes where it must not."""
    path = rng.choice(OUTPUTS)
    argv = rng.choice([["export", "m.pt", "-t", "tract", "-o", path],
                       ["export", "m.pt", "-t", "tract", "-o", "o.tgz", "--report", path],
                       ["export", "m.pt", "-t", "tract", "--config", "c.toml", "--report", path, "-o", path],
                       ["run", "m.tar", "--engine", "reference", "-i", "in.npz", "-o", path]])
    return Case("outputs", argv, files(seeds))


def config(rng, seeds):
    """Damaged options files."""
    good = rng.choice([b'target = "tract"\ncheck = true\ndynamic = ["x:0=B"]\ninput = ["x=1,4,f32"]\n',
                       b'[dynamic.x]\n0 = "B"\n', json.dumps({"target": "tract", "dynamic": {"x": {"0": "B"}}}).encode(),
                       b'output = "../outside/victim"\nreport = "link.json"\n'])
    name = rng.choice(["c.toml", "c.json"])
    data = mutate.words(rng, good, [b"[[", b"{", b"'''", b"config", b"\xff"]) if rng.random() < 0.7 \
        else mutate.any_of(rng, good)
    if rng.random() < 0.05:
        data = rng.choice([b"[" * 100000, b"{\"a\":" * 100000, b"a.b." * 50000 + b"c = 1"])
    return Case("options file", ["export", "m.pt", "-t", "tract", "-o", "o.tgz", "--config", name],
                {**files(seeds), name: data}, focus=name)


def faults(rng, seeds):
    """A good command on a machine that fails it."""
    argv = rng.choice([["export", "m.pt", "-t", "tract", "-o", "o.tgz", "--report", "r.json"],
                       ["export", "m.pt", "-t", "tract", "-o", "o", "--check"],
                       ["export", "m.pt", "-t", "khronos", "-o", "o.tar", "--check", "--report", "r.json"],
                       ["run", "m.tar", "--engine", "reference", "-i", "in.npz", "-o", "out.npz"],
                       ["inspect", "m.pt"], ["diff", "m.tar", "n.tar"], ["check", "m.pt", "m.tar"]])
    after = rng.choice([0.0, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.6])
    fault = rng.choice([
        {"after": after, "signal": int(rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL,
                                                   signal.SIGPIPE, signal.SIGALRM]))},
        {"after": after, "kill_worker": True}, {"after": after, "truncate": rng.choice(["m.pt", "m.tar", "in.npz"])},
        {"after": after, "rewrite": rng.choice(["m.pt", "m.tar", "in.npz"])},
        {"after": after, "remove": rng.choice(["m.pt", "m.tar", "in.npz"])},
        {"after": after, "mkdir_over": rng.choice(["o.tgz", "o", "r.json", "out.npz"])},
        {"FSIZE": rng.choice([0, 100, 1000, 5000])}, {"NOFILE": rng.choice([3, 4, 5, 6, 8, 10, 12, 20])},
        {"AS": rng.choice([1 << 24, 1 << 26, 1 << 28, 1 << 29, 1 << 30, 3 << 29]), "limit": False},
        {"STACK": rng.choice([1 << 16, 1 << 18, 1 << 20])},
        {"closed": rng.choice([[0], [1], [2], [0, 1], [1, 2], [0, 1, 2]])}, {"full": True}])
    engine = {"T2NNEF_TRACT_LIB": os.environ.get("T2NNEF_TRACT_LIB", "")}
    env = rng.choice([{}, engine, engine, {"T2NNEF_TRACT_LIB": "m.tar:/nowhere:n.tar"}, {"HOME": None}, {"LC_ALL": "tr_TR.UTF-8"},
                      {"PATH": ":.:"}])
    return Case("faults", argv, files(seeds), env=env, faults=fault)

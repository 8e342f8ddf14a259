# SPDX-License-Identifier: Apache-2.0
"""Runs a case in a folder of its own, among things that nothing may touch, and judges how it ended."""
import dataclasses
import os
import pathlib
import resource
import shutil
import signal
import stat
import subprocess
import tempfile
import threading
import time

SANITIZED = os.environ.get("T2NNEF_SANITIZED") == "1"  # which takes more of everything
LIMIT = "3G" if SANITIZED else "1G"  # of --max-memory
SECONDS = 120 if SANITIZED else 30  # of the processor, in which every case ends
CODES = {0, 2, 3, 4, 5, 6, 7, 8, 9, 124, 130}
MOST_RSS = (4 if SANITIZED else 1) << 30
NO_ENGINE = {"T2NNEF_TRACT_LIB": "", "PATH": "", "VIRTUAL_ENV": None}


@dataclasses.dataclass
class Verdict:
    problem: str  # "" if all is well
    code: int
    seconds: float
    rss: int
    text: str
    cpu: float = 0.0  # of its processor; the machine may be busy


def victims(folder):
    """What no run may change: beside the working folder, and in it under names that invite."""
    outside = folder / "outside"
    outside.mkdir()
    (outside / "victim").write_bytes(b"mine")
    os.chmod(outside / "victim", 0o640)
    os.mkfifo(outside / "pipe", 0o600)
    (folder / "work").mkdir()
    work = folder / "work"
    (work / "link").symlink_to("../outside/victim")
    (work / "link.json").symlink_to("../outside/victim")
    (work / "link.npz").symlink_to("../outside/victim")
    (work / "link.tgz").symlink_to("../outside/victim")
    (work / "pipe").symlink_to("../outside/pipe")
    os.mkfifo(work / "fifo.npz", 0o600)
    os.mkfifo(work / "fifo", 0o600)
    return work


def snapshot(folder, names):
    """Type, mode and content of what stands under these names."""
    out = {}
    for name in names:
        path = folder / name
        info = os.lstat(path)
        content = os.readlink(path) if stat.S_ISLNK(info.st_mode) else \
            path.read_bytes() if stat.S_ISREG(info.st_mode) else b""
        out[name] = (stat.S_IFMT(info.st_mode), info.st_mode & 0o7777, content)
    return out


def limits(faults):
    """Called in the child, before the program."""
    def apply():
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for name in ("AS", "NOFILE", "FSIZE", "STACK", "NPROC"):
            if name in faults and not (SANITIZED and name in ("AS", "STACK", "NOFILE")):
                resource.setrlimit(getattr(resource, "RLIMIT_" + name), (faults[name],) * 2)
        for descriptor in faults.get("closed", []):
            os.close(descriptor)
    return apply


def disturb(process, work, faults):
    """What happens to the program while it runs."""
    if "after" not in faults:
        return
    time.sleep(faults["after"])
    try:
        if "signal" in faults:
            os.kill(process.pid, faults["signal"])  # send_signal would reap it
        if "kill_worker" in faults:
            children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
            for child in children.split():
                os.kill(int(child), signal.SIGKILL)
        if "truncate" in faults:
            os.truncate(work / faults["truncate"], 100)
        if "rewrite" in faults:
            path = work / faults["rewrite"]
            path.write_bytes(path.read_bytes()[::-1])
        if "remove" in faults:
            os.remove(work / faults["remove"])
        if "mkdir_over" in faults:
            (work / faults["mkdir_over"]).mkdir(exist_ok=True)
    except (OSError, ProcessLookupError):
        pass  # it was faster


def stop(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it was faster


def cpu_seconds(process):
    """Of its own, so far; 0 once it is gone."""
    try:
        fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Watch(threading.Thread):
    """Stops a group of processes that takes too long: of the processor, since a busy machine is no hang, or far too
    long by the clock, since what waits for ever takes nothing."""

    def __init__(self, group, seconds):
        super().__init__()
        self.group, self.seconds, self.ended, self.stopped = group, seconds, threading.Event(), False

    def run(self):
        began = time.monotonic()
        while not self.ended.wait(0.5):
            if cpu_seconds(self.group) > self.seconds or time.monotonic() - began > 10 * self.seconds:
                self.stopped = True
                stop(self.group)
                return

    def end(self):
        self.ended.set()
        self.join()
        return self.stopped


def may_change(argv):
    """Plain files that the command was told to write, and reads nowhere: to replace them is its job."""
    outputs = {os.path.normpath(argv[i + 1]) for i in range(len(argv) - 1)
               if argv[i] in ("-o", "--output", "--report")}
    read = {os.path.normpath(part) for i, word in enumerate(argv)
            if i == 0 or argv[i - 1] not in ("-o", "--output", "--report")
            for part in (word, word.split("@")[-1])}
    return {os.path.normpath("work/" + name) for name in outputs - read}


def problem_of(code, text, seconds, rss, before, after, faults, leftovers):
    """The first thing that is wrong, as the name of a class; "" if nothing is."""
    sanitizer = next((w for w in ("AddressSanitizer", "UndefinedBehaviorSanitizer", "runtime error:")
                      if w in text), None)
    if sanitizer:
        return "sanitizer"
    if code is None:
        return "hang"
    sent = faults.get("signal")
    if code < 0 and -code != sent:
        return f"signal {-code}"
    # LibTorch has messages that say so of its arguments.
    if code == 1 or ("\n" + text).find("\ninternal error") >= 0:
        return "exit 1"
    if code >= 0 and code not in CODES:
        # The dynamic linker has its own words where a limit keeps the program from starting.
        starved = faults.keys() & {"AS", "NOFILE", "STACK", "closed"}
        if not (starved and code == 127):
            return f"exit {code}"
    if before != after:
        return "changed " + next(name for name in before if before[name] != after.get(name))
    if leftovers and code != -signal.SIGKILL:
        return "leftover"
    if any(c in text for c in ("\x1b", "\x07", "\x9b")):
        return "escape"
    if rss > MOST_RSS and "truncate" not in faults:
        return "memory"
    if code > 0 and code != 9 and "error[" not in text and 2 not in faults.get("closed", []) and \
            not faults.keys() & {"AS", "NOFILE", "STACK", "FSIZE"} and "usage:" not in text.lower() and \
            "supported by" not in text:
        return "no message"
    return ""


def run(program, case, seconds=SECONDS, tool=()):
    """Runs the case; the verdict names what went wrong."""
    base = pathlib.Path(tempfile.mkdtemp(prefix="t2nnef-hostile-"))
    try:
        work = victims(base)
        for name, content in case.files.items():
            path = work / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        inputs = list(case.files)
        changed = {case.faults.get(k) for k in ("truncate", "rewrite", "remove")}
        names = [f"work/{n}" for n in inputs if n not in changed] + \
            ["outside/victim", "outside/pipe", "work/link", "work/link.json", "work/link.npz",
             "work/link.tgz", "work/fifo", "work/fifo.npz"]
        # A file that is read is kept whatever it is told; so is what is no plain file.
        told = may_change(case.argv)
        names = [n for n in names if n not in told or not stat.S_ISREG(os.lstat(base / n).st_mode)]
        before = snapshot(base, names)
        env = {**os.environ, **NO_ENGINE, **case.env, "TMPDIR": str(base)}
        env.setdefault("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1:handle_abort=1")
        env = {key: value for key, value in env.items() if value is not None}
        out = tempfile.TemporaryFile()
        argv = [*tool, program, *case.argv]
        if case.argv and "--max-memory" not in " ".join(case.argv) and case.faults.get("limit", True) \
                and case.argv[0] in ("export", "check", "inspect", "run", "diff", "ops"):
            argv = [*tool, program, case.argv[0], f"--max-memory={LIMIT}", *case.argv[1:]]
        stdout = open("/dev/full", "wb") if case.faults.get("full") else out
        began = time.monotonic()
        process = subprocess.Popen([os.fsencode(a) for a in argv], cwd=work, env=env, stdin=subprocess.DEVNULL,
                                   stdout=stdout, stderr=out, preexec_fn=limits(case.faults),
                                   close_fds=True, start_new_session=True)
        thread = threading.Thread(target=disturb, args=(process, work, case.faults))
        thread.start()
        watch = Watch(process.pid, seconds)
        watch.start()
        _, status, usage = os.wait4(process.pid, 0)
        took = time.monotonic() - began
        timed_out = watch.end()
        process.returncode = os.waitstatus_to_exitcode(status)
        thread.join()
        code = None if timed_out and process.returncode == -signal.SIGKILL else process.returncode
        out.seek(0)
        text = out.read(1 << 20).decode("utf-8", "surrogateescape")
        after = {}
        for name in names:
            try:
                after.update(snapshot(base, [name]))
            except OSError:
                pass
        leftovers = [p for p in base.rglob("t2nnef-partial-*")]
        if any(base.rglob("marker*")):  # what operators of hostile models write
            problem = "code of the file ran"
            return Verdict(problem, -999 if code is None else code, took, usage.ru_maxrss * 1024, text)
        problem = problem_of(code, text, took, usage.ru_maxrss * 1024, before, after, case.faults,
                             leftovers)
        return Verdict(problem, -999 if code is None else code, took, usage.ru_maxrss * 1024, text,
                       usage.ru_utime + usage.ru_stime)
    finally:
        shutil.rmtree(base, ignore_errors=True)

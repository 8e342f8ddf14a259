# SPDX-License-Identifier: Apache-2.0
"""A fork server for scripts: what they start is this client, which passes its command line on.

usage: by_socket.py SOCKET [ARGUMENT...]
"""
import json
import os
import shlex
import socket
import sys


def receive(connection):
    with connection.makefile() as lines:
        return json.loads(lines.readline())


def send(connection, value):
    connection.sendall(json.dumps(value).encode() + b"\n")


def serve_one(server, connection):
    with connection:
        request = receive(connection)
        done = server.run(request["arguments"], cwd=request["folder"], environment=request["environment"])
        send(connection, {"code": done.returncode, "out": done.stdout, "err": done.stderr})


def serve(server, folder):
    """The path of a program that the server runs, and the function that serves until the process ends."""
    path = folder / "socket"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()
    program = folder / "t2nnef"
    program.write_text(f"#!/bin/sh\nexec {shlex.join([sys.executable, '-S', '-E', __file__, str(path)])} \"$@\"\n")
    program.chmod(0o755)

    def loop():
        while True:
            serve_one(server, listener.accept()[0])

    return program, loop


def main():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(sys.argv[1])
    send(connection, {"arguments": sys.argv[2:], "folder": os.getcwd(), "environment": dict(os.environ)})
    answer = receive(connection)
    sys.stdout.write(answer["out"])
    sys.stderr.write(answer["err"])
    sys.exit(answer["code"])


if __name__ == "__main__":
    main()

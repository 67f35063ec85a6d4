#!/usr/bin/python3
"""fetch.py -- tests scripts/fetch.py against a server on this machine.

The server has whole, truncated, wrong, moved and missing files.
"""
import contextlib
import gzip
import hashlib
import http.server
import importlib.util
import io
import os
import shutil
import sys
import tarfile
import tempfile
import threading
import zipfile

top = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
spec = importlib.util.spec_from_file_location("fetch", os.path.join(top, "scripts", "fetch.py"))
fetch = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(fetch)

TEXT = b"".join(b"%d %d\n" % (i, i * i) for i in range(20000))
GZ = gzip.compress(TEXT, mtime=0)


def made_zip():
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("readme.txt", "a scene")
        archive.writestr("scene/cube.obj", TEXT)
    return made.getvalue()


def made_tar():
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        member = tarfile.TarInfo("graph/graph.mtx")
        member.size = len(TEXT)
        archive.addfile(member, io.BytesIO(TEXT))
    return made.getvalue()


FILES = {"good.gz": GZ, "cut.gz": GZ, "wrong.gz": GZ[::-1],
         "page.gz": b"<html>moved, see our news</html>", "cube.zip": made_zip(),
         "graph.tar.gz": made_tar()}
asked = []  # paths with their ranges


class Server(http.server.BaseHTTPRequestHandler):
    """The first request for cut ends in the middle."""

    def log_message(self, *_):  # pylint: disable=arguments-differ
        pass

    def do_GET(self):
        name, first = self.path[1:], self.path not in [path for path, _ in asked]
        wanted = self.headers.get("Range")
        asked.append((self.path, wanted))
        if name == "old.gz":
            self.send_response(301)
            self.send_header("Location", "/good.gz")
            self.end_headers()
            return
        if name not in FILES:
            self.send_error(404)
            return
        body = FILES[name]
        start = int(wanted[len("bytes="):-1]) if wanted else 0
        if start >= len(body):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.send_header("Content-Length", len(body) - start)
        self.end_headers()
        stop = len(body) // 2 if first and name == "cut.gz" else None
        self.wfile.write(body[start:stop])


if not shutil.which("curl"):
    print("fetch: skipped, as there is no curl")
    sys.exit(0)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
HERE = {"here": f"http://127.0.0.1:{server.server_port}/", "closed": "http://127.0.0.1:1/"}
GOOD = hashlib.sha256(GZ).hexdigest()
KNOWN = list(fetch.sources(f"""
good.gz     road  here:good.gz {len(GZ)}
unknown.gz  road  here:good.gz
cut.gz      web   here:cut.gz
moved.gz    other here:old.gz
wrong.gz    other here:wrong.gz {len(GZ)}
short.gz    other here:good.gz {len(GZ) + 1}
page.gz     other here:page.gz
gone.gz     other here:gone.gz
off.gz      other closed:off.gz
hand.gz     other closed:hand.gz
cube.obj    mesh  here:cube.zip
graph.mtx   mesh  here:graph.tar.gz
none.obj    mesh  here:cube.zip
""", HERE, {name: GOOD for name in ("good.gz", "wrong.gz", "hand.gz")}))
count = 0


def case(words, status, wanted, *files):
    """Run a command line: its exit status, a part of what it says, and the files it leaves."""
    global count
    said = io.StringIO()  # curl's own messages go to the terminal
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            got = fetch.main(words, KNOWN)
        except SystemExit as ended:
            got = ended.code
    left = {name: content(name) for name in os.listdir("data")} if os.path.isdir("data") else {}
    if got != status or wanted not in said.getvalue() or left != dict(files):
        sys.exit(f"fetch: {words}: status {got}, said {said.getvalue()!r}, left {sorted(left)}")
    for name in left:
        os.remove("data/" + name)
    count += 1


def content(name):
    with open("data/" + name, "rb") as file:
        return file.read()


def put(name, data):
    with open("data/" + name, "wb") as file:
        file.write(data)


half = GZ[:len(GZ) // 2]
os.environ["no_proxy"] = "*"
with tempfile.TemporaryDirectory() as scratch:
    os.chdir(scratch)
    case(["good"], 0, "good.gz: fetched, has the recorded sha256", ("good.gz", GZ))
    case(["unknown.gz"], 0, "not verified: no sha256 is recorded to compare with " + GOOD,
         ("unknown.gz", GZ))
    put("good.gz", b"kept")
    case(["good.gz"], 0, "good.gz: there", ("good.gz", b"kept"))
    put("good.gz", b"kept")
    case(["--to=data/good.gz", "cube"], 1, "File exists: 'data/good.gz'", ("good.gz", b"kept"))
    case(["cut"], 1, "the same command goes on", ("cut.gz.part", half))
    put("cut.gz.part", half)
    case(["cut"], 0, "fetched", ("cut.gz", GZ))
    if asked[-1] != ("/cut.gz", f"bytes={len(half)}-"):
        sys.exit(f"fetch: cut: asked for {asked[-1]}")
    case(["moved"], 0, "fetched", ("moved.gz", GZ))
    case(["wrong"], 1, "not " + GOOD + "; it is kept as", ("wrong.gz.refused", GZ[::-1]))
    case(["short"], 1, f"has {len(GZ)} bytes, not {len(GZ) + 1}", ("short.gz.refused", GZ))
    case(["page"], 1, "is no intact page.gz", ("page.gz.refused", FILES["page.gz"]))
    case(["gone"], 1, "curl's exit status 22")
    case(["off"], 1, "goes on from data/off.gz.part")
    put("hand.gz.part", GZ)
    case(["hand"], 0, "has the recorded sha256", ("hand.gz", GZ))
    put("hand.gz.part", b"1 2\n")
    case(["hand"], 1, "by hand", ("hand.gz.part", b"1 2\n"))
    put("unknown.gz.part", GZ[::-1])
    case(["unknown.gz"], 1, "is no intact good.gz", ("unknown.gz.refused", GZ[::-1]))
    case(["cube", "graph"], 0, "fetched", ("cube.obj", TEXT), ("graph.mtx", TEXT))
    case(["none"], 1, "no none.obj among readme.txt cube.obj",
         ("none.obj.refused", FILES["cube.zip"]))
    case(["gone", "road"], 1, "fetched", ("good.gz", GZ), ("unknown.gz", GZ))
    case(["--list"], 0, f"{len(GZ)} * {HERE['here']}good.gz")
    case(["absent"], 2, "no absent in the list")
    case([], 2, "name a file")
for source in fetch.sources():
    if not source.url.startswith("https://") or source.sha256 and len(source.sha256) != 64:
        sys.exit(f"fetch: the list is wrong about {source.name}")
if not set(fetch.SHA256) <= {source.name for source in fetch.sources()}:
    sys.exit("fetch: a sum without a file")
print(f"fetch: {count} passed, 0 failed")

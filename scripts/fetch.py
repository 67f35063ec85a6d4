#!/usr/bin/python3
"""fetch.py [--to=FOLDER] NAME... -- fetch public graphs and meshes into FOLDER (default: data).

    scripts/fetch.py --list                names, kinds, bytes, sources; * marks a recorded sha256
    scripts/fetch.py roadNet-CA 'bunny*'   by name, by pattern, or by kind (road, web, mesh ...)

curl fetches the files.  A transfer that breaks off leaves NAME.part, and the same command goes on
from there.  A file that differs from the recorded size or sha256, or whose archive is damaged, is
kept as NAME.refused.
If no sha256 is recorded, the one of the file is printed to be compared, and nothing is claimed.
The recorded ones were published by other projects that fetched the same files in 2026.
A file that was downloaded by hand and saved as NAME.part is checked and unpacked without network.

The licences are those of the sources.  Stanford's scans and the McGuire archive's scenes may be
used for research; some may not be passed on.  The exit status is 1 if a file is missing.
"""
import argparse
import collections
import fnmatch
import gzip
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import zipfile
import zlib

SITES = {"snap": "https://snap.stanford.edu/data/",
         "sparse": "https://suitesparse-collection-website.herokuapp.com/MM/",
         "dimacs": "https://www.diag.uniroma1.it/challenge9/data/",
         "stanford": "https://graphics.stanford.edu/",
         "mcguire": "https://casual-effects.com/g3d/data10/"}
# Name, kind, site:path, bytes if known, file in the archive (default: the name).
SOURCES = """
roadNet-CA.txt.gz          road      snap:roadNet-CA.txt.gz
USA-road-d.NY.gr.gz        road      dimacs:USA-road-d/USA-road-d.NY.gr.gz
USA-road-d.USA.gr.gz       road      dimacs:USA-road-d/USA-road-d.USA.gr.gz
road_usa.mtx               road      sparse:DIMACS10/road_usa.tar.gz
europe_osm.mtx             road      sparse:DIMACS10/europe_osm.tar.gz
web-Google.txt.gz          web       snap:web-Google.txt.gz
uk-2002.mtx                web       sparse:LAW/uk-2002.tar.gz
soc-LiveJournal1.txt.gz    social    snap:soc-LiveJournal1.txt.gz
soc-pokec.txt.gz           social    snap:soc-pokec-relationships.txt.gz
com-orkut.ungraph.txt.gz   social    snap:bigdata/communities/com-orkut.ungraph.txt.gz
hollywood-2009.mtx         social    sparse:LAW/hollywood-2009.tar.gz
kron_g500-logn21.mtx       kronecker sparse:DIMACS10/kron_g500-logn21.tar.gz
bunny.ply                  mesh      stanford:pub/3Dscanrep/bunny.tar.gz 4894286 bun_zipper.ply
dragon202k.ply mesh stanford:pub/3Dscanrep/dragon/dragon_recon.tar.gz 11197764 dragon_vrip_res2.ply
dragon.ply mesh stanford:pub/3Dscanrep/dragon/dragon_recon.tar.gz 11197764 dragon_vrip.ply
happy.ply mesh stanford:pub/3Dscanrep/happy/happy_recon.tar.gz - happy_vrip.ply
lucy.ply                   mesh      stanford:data/3Dscanrep/lucy.tar.gz
xyzrgb_dragon.ply.gz       mesh      stanford:data/3Dscanrep/xyzrgb/xyzrgb_dragon.ply.gz
hairball.obj               mesh      mcguire:research/model/hairball/hairball.zip 52634140
dabrovic-sponza.obj mesh mcguire:research/model/dabrovic_sponza/sponza.zip 1707889 sponza.obj
crytek-sponza.obj mesh mcguire:common/model/crytek_sponza/sponza.zip 80113441 sponza.obj
conference.obj             mesh      mcguire:research/model/conference/conference.zip 1934868
san-miguel.obj             mesh      mcguire:research/model/San_Miguel/San_Miguel.zip 535519642
powerplant.obj             mesh      mcguire:research/model/powerplant/powerplant.zip 124310853
"""
SHA256 = {
    "happy.ply": "409cd294efbfd8244e15a382b95a9423f153b7776e736c9b09f19ec9d3c10ed0",
    "xyzrgb_dragon.ply.gz": "8aa449f1966cbb50e5896ecc32cf57ab5f0cdfd3c3e37d3e6f60b948997da5c1",
    "hairball.obj": "b1d36143d932269d4c2b585d0f8c5fe505938f8b558a5ed39d27e3b7fbedca2e",
    "dabrovic-sponza.obj": "cf2a45b1d99eb8613db88c343537ec5643d54e4a89d047ff46de635e29953248",
    "crytek-sponza.obj": "da005cbee0be2df2abc8513f3ceb61bcb6f69aac112babcd9c00169a27c2770c",
    "conference.obj": "3dfd86325416ec344bfb2d19290b2e3305cc862ee504a06a52ce0a0e895453f0",
    "san-miguel.obj": "85874077735808150e679b3c71d70a37a270cb8833f4911325aa1099da3f7d4a",
    "powerplant.obj": "e5f9e9805c54b1e5b45ca38150ed40ff4b385206e50a8bbc501aaafccff2cad3",
}
Source = collections.namedtuple("Source", "name kind url size member sha256")
DAMAGE = (gzip.BadGzipFile, EOFError, zlib.error, tarfile.TarError, zipfile.BadZipFile, KeyError)


def sources(text=SOURCES, sites=None, sums=None):
    """The rows of the list."""
    for line in text.strip().splitlines():
        name, kind, place, size, member = (line.split() + ["-"] * 2)[:5]
        site, path = place.split(":", 1)
        yield Source(name, kind, (sites or SITES)[site] + path, 0 if size == "-" else int(size),
                     name if member == "-" else member,
                     (SHA256 if sums is None else sums).get(name))


def download(source, part):
    """Fetch the file, or the rest of it: curl's exit status and the server's."""
    show = [] if sys.stderr.isatty() else ["--silent", "--show-error"]
    ended = subprocess.run(["curl", "--fail", "--location", "--continue-at", "-", *show,
                            "--speed-limit", "1", "--speed-time", "60",
                            "--write-out", "%{http_code}", "--output", part, source.url],
                           check=False, stdout=subprocess.PIPE)
    return ended.returncode, ended.stdout.decode()


def sha256_of(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def unpack(source, part, made):
    """Write the wanted file of an archive to `made`; a .gz stays as it is.  Every byte is read and
    so checked against the sums inside."""
    names = []

    def take(name, opened):
        names.append(os.path.basename(name))
        if names[-1] == source.member:
            with opened as member, open(made, "wb") as file:
                shutil.copyfileobj(member, file)

    if source.url.endswith(".zip"):
        with zipfile.ZipFile(part) as archive:
            for name in archive.namelist():
                take(name, archive.open(name))
    elif source.url.endswith(".tar.gz"):
        with tarfile.open(part, "r|gz") as archive:
            for member in archive:
                if member.isfile():
                    take(member.name, archive.extractfile(member))
    else:
        with gzip.open(part) as file:
            while file.read(1 << 20):
                pass
        return
    if source.member not in names:
        raise KeyError(f"no {source.member} among {' '.join(names[:20])}")


def fault(source, part, made):
    """The reason why `part` is not the wanted file, or None once it is unpacked."""
    size, digest = os.path.getsize(part), source.sha256 and sha256_of(part)
    if source.size and size != source.size:
        return f"has {size} bytes, not {source.size}"
    if digest != source.sha256:
        return f"has sha256 {digest}, not {source.sha256}"
    try:
        unpack(source, part, made)
    except (*DAMAGE, OSError) as error:  # such as a full disk
        if os.path.exists(made):
            os.remove(made)
        if not isinstance(error, DAMAGE):
            raise
        return f"is no intact {source.url.rsplit('/', 1)[1]}: {error}"
    return None


def fetch(source, folder):
    """Fetch one file; the reason why it is missing afterwards, or None."""
    target = os.path.join(folder, source.name)
    part, made = target + ".part", target + ".unpacked"
    os.makedirs(folder, exist_ok=True)
    if os.path.exists(target):
        print(f"{source.name}: there")
        return None
    if not os.path.exists(part) or fault(source, part, made):
        status, code = download(source, part)
        if status and status != 33 and code != "416":  # those: nothing can continue this part
            return f"could not be fetched (curl's exit status {status}); the same command goes " \
                f"on from {part}, which may also be a download by hand"
        why = fault(source, part, made)
        if why:
            os.replace(part, target + ".refused")
            return f"{why}; it is kept as {target}.refused"
    checked = "has the recorded sha256" if source.sha256 else \
        f"not verified: no sha256 is recorded to compare with {sha256_of(part)}"
    os.replace(made if os.path.exists(made) else part, target)
    if os.path.exists(part):
        os.remove(part)
    print(f"{source.name}: fetched, {checked}")
    return None


def main(words, known):
    """The exit status of a command line."""
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--to", default="data", metavar="FOLDER")
    parser.add_argument("--list", action="store_true")
    asked = parser.parse_args(words)
    if asked.list:
        for s in known:
            print(f"{s.name:27}{s.kind:10}{s.size or '-':>10} {'*' if s.sha256 else ' '} {s.url}")
        return 0
    wanted = []
    for name in asked.names:
        found = [s for s in known if s.kind == name or s.name.startswith(name + ".") or
                 fnmatch.fnmatchcase(s.name, name)]
        if not found:
            parser.error(f"no {name} in the list: see --list")
        wanted += [s for s in found if s not in wanted]
    if not wanted:
        parser.error("name a file: see --list")
    missing = False
    for source in wanted:
        try:
            why = fetch(source, asked.to)
        except OSError as error:  # curl is missing, or nothing can be written
            why = error
        if why:
            print(f"{source.name}: {source.url} {why}", file=sys.stderr)
            missing = True
    return int(missing)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # no traceback
    sys.exit(main(sys.argv[1:], list(sources())))

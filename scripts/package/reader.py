"""Reads record files of gpubench: a JSON object a line, run lines and record lines.

    import gpubench
    file = gpubench.read("runs.jsonl")
    for record in file.records:
        if record.time and record.run:
            print(record.run.host["cpu"], record.key, record.time.median, len(record.time.samples))
    file.frame()    # pandas: a row for each record, the columns of `gpubench report --format=csv`
    file.samples()  # pandas: a row for each sample

Times are in nanoseconds.  The member `json` of runs and records has what has no attribute of its
own, and the rates that follow from the time.
"""

import io
import json
import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

from .plots.records import add_rates

Path = Union[str, "os.PathLike[str]"]
Json = Dict[str, Any]


class RecordError(ValueError):
    """A line that is no record; the message is one line, with the file and the number."""


@dataclass(frozen=True)
class Series:
    """Samples of one quantity, in the order they were taken, and their median."""

    clock: str
    median: float
    samples: Tuple[float, ...]
    ci95: Optional[Tuple[float, float]] = None


@dataclass(frozen=True)
class Run:
    """A launch of gpubench: the machine, the build and the command line."""

    run_id: str
    started: str
    argv: Tuple[str, ...]
    tool: Json
    host: Json
    gpus: Tuple[Json, ...]
    json: Json


@dataclass(frozen=True)
class Record:
    """A variant at one point; `time` is None if it has none, and `reason` says why."""

    run: Optional[Run]
    bench: str
    backend: str
    variant: str
    key: str
    params: Json
    status: str
    reason: Optional[str]
    time: Optional[Series]
    phases: Dict[str, Series]
    json: Json


def _member(item: Json, name: str, kind: Any, default: Any = None) -> Any:
    value = item.get(name, default)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError("'%s' is missing or of another type" % name)
    return value


def _series(item: Any) -> Series:
    if not isinstance(item, dict):
        raise ValueError("a series is no object")
    numbers = _member(item, "samples", list), item.get("ci95") or []
    if not all(isinstance(n, (int, float)) for part in numbers for n in part):
        raise ValueError("samples are not numbers")
    ci95 = tuple(map(float, numbers[1]))
    if len(ci95) not in (0, 2):
        raise ValueError("'ci95' has not two numbers")
    return Series(_member(item, "clock", str), float(_member(item, "median", (int, float))),
                  tuple(map(float, numbers[0])), (ci95[0], ci95[1]) if ci95 else None)


def _run(item: Json) -> Run:
    return Run(_member(item, "run_id", str), _member(item, "started", str),
               tuple(_member(item, "argv", list)), _member(item, "tool", dict),
               _member(item, "host", dict), tuple(_member(item, "gpus", list, [])), item)


def _record(item: Json, runs: Dict[str, Run]) -> Record:
    item = add_rates(item)
    words = [_member(item, name, str) for name in ("bench", "backend", "variant", "key")]
    phases = _member(item, "phases", dict, {})
    return Record(runs.get(_member(item, "run_id", str)), words[0], words[1], words[2], words[3],
                  _member(item, "params", dict), _member(item, "status", str, ""),
                  item.get("reason"), _series(item["time"]) if item.get("time") else None,
                  {name: _series(phase) for name, phase in phases.items()}, item)


@dataclass
class Records:
    """The runs and records of some files."""

    paths: List[str]
    runs: List[Run]
    records: List[Record]

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def frame(self, *options: str) -> Any:
        """A pandas.DataFrame of `gpubench report --format=csv OPTION...`."""
        import pandas

        command = [program(), "report", "--format=csv", *options, *self.paths]
        done = subprocess.run(command, stdout=subprocess.PIPE, universal_newlines=True, check=False)
        if done.returncode:
            raise RecordError("gpubench report: exit status %d" % done.returncode)
        return pandas.read_csv(io.StringIO(done.stdout))

    def samples(self) -> Any:
        """A pandas.DataFrame of all samples: run_id, key, sample, time_ns."""
        import pandas

        rows = [(r.json["run_id"], r.key, number, value) for r in self.records if r.time
                for number, value in enumerate(r.time.samples)]
        return pandas.DataFrame(rows, columns=["run_id", "key", "sample", "time_ns"])


def read(*paths: Path) -> Records:
    """The runs and records of all files; RecordError for a line that is neither."""
    runs: Dict[str, Run] = {}
    items = []
    names = [os.fspath(path) for path in paths]
    for path in names:
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                where = "%s:%d" % (path, number)
                try:
                    item = json.loads(line)
                    kind = item.get("type") if isinstance(item, dict) else None
                    if kind and item.get("schema") == 1:
                        raise ValueError("schema 1 is no longer read")
                    if kind == "run":
                        run = _run(item)
                        runs[run.run_id] = run
                    elif kind == "record":
                        items.append((where, item))
                    else:
                        raise ValueError("neither a run nor a record")
                except (RecursionError, ValueError) as error:
                    raise RecordError("%s: %s" % (where, error)) from None
    records = []
    for where, item in items:
        try:
            records.append(_record(item, runs))
        except (AttributeError, OverflowError, TypeError, ValueError) as error:
            raise RecordError("%s: %s" % (where, error)) from None
    return Records(names, list(runs.values()), records)


def program() -> str:
    """The path of the program that was installed with this module, else its name."""
    site = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    for scheme in sysconfig.get_scheme_names():
        path = os.path.join(sysconfig.get_path("scripts", scheme), "gpubench")
        if (os.path.realpath(sysconfig.get_path("purelib", scheme)) == site
                and os.access(path, os.X_OK)):
            return path
    return "gpubench"


def plot() -> None:
    """The command gpubench-plot."""
    sys.path.insert(0, os.path.dirname(__file__))
    import plot as plotter

    plotter.main(sys.argv[1:])

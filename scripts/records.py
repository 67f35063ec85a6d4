"""Reads record files of gpubench: a JSON object a line, run lines and record lines.

    import gpubench    # the wheel; in the sources: import records as gpubench
    for record in gpubench.read("runs.jsonl").records:
        if record.time and record.run:
            print(record.run["host"]["cpu"], record.key, record.time["median"])
    gpubench.read("runs.jsonl").frame()    # pandas: the columns of `gpubench report --format=csv`
    gpubench.read("runs.jsonl").samples()  # pandas: a row for each sample

Times are in nanoseconds.  Runs and the member `json` of records are the lines as they are, which
the schema describes (results/gpubench-record-2.schema.json).
"""

import io
import json
import os
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Union

Path = Union[str, "os.PathLike[str]"]
Json = Dict[str, Any]


class RecordError(ValueError):
    """A line that is no record; the message is one line, with the file and the number."""


@dataclass(frozen=True)
class Record:
    """A variant at one point.  `time` has "median", "ci95" and "samples"; it is None if there is
    none, and `reason` says why."""

    run: Optional[Json]
    bench: str
    backend: str
    variant: str
    key: str
    params: Json
    status: str
    reason: Optional[str]
    time: Optional[Json]
    json: Json


# Members of a record that need not be there, their type, and those that must.
NEEDED = {"run_id": str, "bench": str, "backend": str, "variant": str, "key": str, "params": dict}
OPTIONAL = {"status": str, "reason": str, "time": dict, "phases": dict, "transfers": dict,
            "work": dict, "verify": dict, "metrics": dict}


def _check(item: Json) -> None:
    for name, kind in {**NEEDED, **OPTIONAL}.items():
        value = item.get(name)
        if not isinstance(value, kind) and not (value is None and name in OPTIONAL):
            raise ValueError("'%s' is missing or of another type" % name)
    time = item.get("time") or {"median": 1, "samples": []}
    numbers = [time.get("median"), *time.get("samples", [None]), *(time.get("ci95") or [])]
    if not all(isinstance(n, (int, float)) and 0 <= n < 1e300 for n in numbers):
        raise ValueError("'time' is not in numbers")


@dataclass
class Records:
    """The runs and records of some files."""

    paths: List[str]
    runs: List[Json]
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
                for number, value in enumerate(r.time["samples"])]
        return pandas.DataFrame(rows, columns=["run_id", "key", "sample", "time_ns"])


def read(*paths: Path) -> Records:
    """The runs and records of all files; RecordError for a line that is neither."""
    names = [os.fspath(path) for path in paths]
    runs: Dict[str, Json] = {}
    items = []
    for path in names:
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    item = json.loads(line)
                    kind = item.get("type") if isinstance(item, dict) else None
                    if kind not in ("run", "record"):
                        raise ValueError("neither a run nor a record")
                    if item.get("schema") == 1:
                        raise ValueError("schema 1 is no longer read")
                    if kind == "run":
                        runs[str(item.get("run_id"))] = item
                    else:
                        _check(item)
                        items.append(item)
                except (RecursionError, TypeError, ValueError) as error:
                    raise RecordError("%s:%d: %s" % (path, number, error)) from None
    records = [Record(runs.get(i["run_id"]), i["bench"], i["backend"], i["variant"], i["key"],
                      i["params"], i.get("status") or "", i.get("reason"), i.get("time"), i)
               for i in items]
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

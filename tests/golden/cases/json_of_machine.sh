# `list` and `env` each print one JSON object. It agrees with the text and with a run line.
gpubench list --format=json >list.json || exit
gpubench list -f json radix >radix.json || exit
gpubench list >list.txt || exit
gpubench env >env.json || exit
gpubench stream cpu/copy --count=10 --samples=1 -o - >run.jsonl || exit
/usr/bin/python3 - <<'END'
import json
everything, radix = json.load(open("list.json")), json.load(open("radix.json"))
assert [b for b in everything["benchmarks"] if b["name"] == "radix"] == radix["benchmarks"]
names = [line.split()[0] for line in open("list.txt") if not line.startswith("  paper")]
assert names == [n for b in everything["benchmarks"] for n in [b["name"] + ":"] + [v["name"] for v in b["variants"]]]
print(everything["version"], radix["benchmarks"][0]["unit"])
env, run = json.load(open("env.json")), json.loads(open("run.jsonl").readline())
assert env["tool"] == run["tool"] and env["host"]["cpu"] == run["host"]["cpu"]
print(sorted(run.keys() - env.keys()), env["argv"], sorted(env["settings"].keys() ^ run["settings"].keys()))
END

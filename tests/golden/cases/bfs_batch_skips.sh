# --batch=64 skips the variants that support one source per run.
# A key with the default --batch=1 does not name the batch.
gpubench bfs cpu/ccam-paper cpu/ccam cpu/ccam-batch --vertices=100 --batch=1,64 --threads=1 --samples=1 --warmup=0 --hot -o batch.jsonl >/dev/null 2>&1 || exit
/usr/bin/python3 - <<'END'
import json
for line in open("batch.jsonl"):
    record = json.loads(line)
    if record["type"] == "record":
        print(record["key"], record["status"], record.get("reason"), record["verify"]["result"])
END

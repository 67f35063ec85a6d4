# The message about an unknown word lists the same words as the help and `list`.
# The test checks each word parameter of the benchmarks and each option that takes such words.
/usr/bin/python3 - <<'END'
import json, re, subprocess

def told(command, option, files=()):
    run = subprocess.run(["gpubench", command, f"--{option}=no-such-word", *files], capture_output=True, text=True)
    assert run.returncode == 2, (command, option, run)
    return run.stderr.split(": ")[-1].strip()

machine = json.loads(subprocess.check_output(["gpubench", "list", "--format=json"]))
count = 0
for benchmark in machine["benchmarks"]:
    for row in benchmark["parameters"]:
        if row["type"] == "word":
            assert told(benchmark["name"], row["name"]) == "not one of " + "|".join(row["words"]), row
            count += 1
for command in ("run", "repro", "report", "compare", "list", "env"):
    help = subprocess.check_output(["gpubench", "help", command], text=True)
    for name, text in re.findall(r"^ {2,6}(?:-\w, )?--([a-z-]+)\S* +(.*(?:\n {20}.*)*)", help, re.M):
        words = re.search(r"\b\w+(\|\w+)+(?= \[)", re.sub(r"\s+", " ", text))
        if words:
            assert told(command, name) == "not one of " + words[0], (command, name, words[0])
            count += 1
print("more than 20" if count > 20 else count)
END

# The message about an unknown word lists the same words as the help.
# The test checks each word parameter of the benchmarks and each option that takes such words.
/usr/bin/python3 - <<'END'
import re, subprocess

def told(command, option, files=()):
    run = subprocess.run(["gpubench", command, f"--{option}=no-such-word", *files], capture_output=True, text=True)
    assert run.returncode == 2, (command, option, run)
    return run.stderr.split(": ")[-1].strip()

count = 0
for command in ("radix", "bfs", "cbt", "octree", "lbvh", "run", "repro", "report", "compare", "list", "env"):
    help = subprocess.check_output(["gpubench", "help", command], text=True)
    for name, text in re.findall(r"^ {2,6}(?:-\w, )?--([a-z-]+)\S* +(.*(?:\n {20}.*)*)", help, re.M):
        words = re.search(r"(?<= )[\w-]+(\|[\w-]+)+(?= \[)", re.sub(r"\s+", " ", text))
        if words:
            assert told(command, name) == "not one of " + words[0], (command, name, words[0])
            count += 1
print("more than 20" if count > 20 else count)
END

# Runs are named by their machines, else by the first difference.  A run line names what is known, and
# repetitions of one build share a line.
for bench in machines commits numbers one; do
	id=$(printf %.1s $bench)
	grep "\"run_id\":\"$id" "$cases/run_names.jsonl" >$bench.jsonl
	gpubench report $bench.jsonl
done
cat numbers.jsonl one.jsonl >both.jsonl
gpubench report --format=markdown both.jsonl
for members in '"tool":{"version":"1","commit":"c","dirty":true},"host":{"hostname":"h","cpu":"Z80","cores":4},"started":"then","gpus":[{"id":0,"name":"A"},{"id":1},{"id":2,"name":"B"}]' \
	'"tool":{"commit":"c","dirty":false}' '"tool":{"version":"1","dirty":true}' '"host":{"hostname":"h"}' '"started":"now"'; do
	printf '{"type":"run","schema":2,"run_id":"%s",%s}\n' 1 "$members" >run.jsonl
	gpubench report run.jsonl
	printf '{"type":"run","schema":2,"run_id":"%s",%s}\n' 2 "$members" >>run.jsonl
	gpubench report run.jsonl
done
# A run names its libraries, and a page up to three machines.
: >run.jsonl
sed -n '1p; /"n":1/{s/"status"/"library":"Toys 1.2",&/p; q}' "$cases/page_lines.jsonl" | gpubench report - | head -n 1
for cpu in A A B C D E; do
	printf '{"type":"run","schema":2,"run_id":"%s","host":{"cpu":"%s"}}\n' "$(wc -l <run.jsonl)" $cpu >>run.jsonl
	gpubench report --format=html run.jsonl | grep -o '<title>gpubench.*</title>'
done
# Repetitions that differ in commit: a line of a page each, with the days of its repetitions.
for commit in abc abd; do
	for day in 07 05 06; do
		sed -n "1{s/then/2026-01-${day}T00:00:00Z/; s/abc/$commit/; p}; /\"fastest\"/p" "$cases/page_lines.jsonl" |
			sed "s/\"run_id\":\"a\"/\"run_id\":\"$commit$day\"/"
	done
done >repetitions.jsonl
gpubench report --format=markdown repetitions.jsonl | head -n 3

# The test prints each report as CSV, JSON, LaTeX and HTML.
# The CSV has the columns and the number of rows of one table in the JSON.
. "$TESTS/golden/history.sh"
history_of_thirty runs
side() { # NAME PERCENT
	for i in 1 2 3 4; do
		printf '{"type":"run","schema":2,"run_id":"%s%s"}\n' $1 $i
		printf '{"type":"record","schema":2,"run_id":"%s%s","seq":0,"key":"radix/cpu/best a","bench":"radix","backend":"cpu","variant":"best","params":{"n":1},"status":"ok","verify":{"result":"pass"},"time":{"median":%s,"samples":[%s]}}\n' $1 $i $((1000 * $2 + i)) $((1000 * $2 + i))
		printf '{"type":"record","schema":2,"run_id":"%s%s","seq":1,"key":"radix/cpu/lib a","bench":"radix","backend":"cpu","variant":"lib","peer":true,"params":{"n":1},"status":"ok","verify":{"result":"pass"},"time":{"median":%s,"ci95":[%s,%s],"samples":[%s]}}\n' $1 $i $((500 * $2 + i)) $((500 * $2)) $((500 * $2 + 9)) $((500 * $2 + i))
	done
}
side base 100 >base.jsonl
side new 120 >new.jsonl
print() { # COMMAND...
	echo "== $*"
	gpubench "$@" --format=csv >csv
	echo "status $?"
	head -n 2 csv | tr -d '\r'
	gpubench "$@" --format=json >json
	/usr/bin/python3 "$TESTS/schema.py" --report json
	/usr/bin/python3 - <<'END'
import csv, json
report = json.load(open("json"))
lines = list(csv.reader(open("csv", newline="")))
tables = {name: rows for name, rows in report.items() if isinstance(rows, list)}
same = [name for name, rows in tables.items() if rows and [list(rows[0]), len(rows)] == [lines[0], len(lines) - 1]]
print("csv is", *same)
print(*("%s: %d" % (name, len(rows)) for name, rows in tables.items()), sep=", ")
END
	gpubench "$@" --format=latex >latex
	grep -A 4 -m 1 tabular latex
	gpubench "$@" --format=html >html
	grep -c -E '<table>|</table>|<!DOCTYPE|</html>' html
}
print compare base.jsonl new.jsonl
print versus base.jsonl new.jsonl
print versus --by=peer base.jsonl new.jsonl
print history runs
gpubench radix cpu/best cpu/lsd8 --count=1k --samples=1 -o here.jsonl >table || exit
print repro --from here.jsonl radix:table1
gpubench report base.jsonl --format=latex >latex || exit
sed -n 1,12p latex

# Each format prints a name that is cut within a character.
long=$(printf 'a%.0s' $(seq 126))é
sed -E "s/best/$long/g; s/(\"run_id\":\"(base|new).\")}\$/\1,\"tool\":{\"commit\":\"\2\"}}/" \
	base.jsonl new.jsonl >cut.jsonl
for format in table markdown html latex csv json; do
	timeout 10 gpubench versus cut.jsonl --by=commit --format=$format >out
	echo "$format: status $?, $(grep -c aaaa out) lines"
done
gpubench report --format=csv base.jsonl | cut -d, -f4-7 | head -n 3

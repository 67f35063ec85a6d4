# The test prints each report as CSV, JSON and HTML.
# The CSV has the columns and the number of rows of one table in the JSON.
side() { # NAME PERCENT
	for i in 1 2 3 4; do
		printf '{"type":"run","schema":2,"run_id":"%s%s","tool":{"commit":"%s","compiler":"gcc %s"},"host":{"cpu":"Z80","cores":2}}\n' $1 $i $1 $((i / 4))
		for variant in best:1000:false lib:500:true; do
			rest=${variant#*:}
			ns=$((${rest%:*} * $2 + i))
			printf '{"type":"record","schema":2,"run_id":"%s%s","seq":%s,"key":"radix/cpu/%s n=1","bench":"radix","backend":"cpu","variant":"%s","peer":%s,"threads":1,"params":{"n":1},"status":"ok","verify":{"result":"pass"},"work":{"items":1000,"unit":"keys"},"time":{"median":%s,"ci95":[%s,%s],"samples":[%s]}}\n' $1 $i ${#rest} ${variant%%:*} ${variant%%:*} ${rest#*:} $ns $((ns - 9)) $((ns + 11)) $ns
		done
		[ $1 = new ] || printf '{"type":"record","schema":2,"run_id":"%s%s","seq":2,"key":"radix/cpu/gone n=1","bench":"radix","backend":"cpu","variant":"gone","params":{"n":1},"cold":false,"status":"failed","reason":"lost"}\n' $1 $i
	done
}
side base 100 >base.jsonl
side new 120 >new.jsonl
{
	echo '{"type":"run","schema":2,"run_id":"h","host":{"cpu":"Z80","usable_cpus":2}}'
	for variant in split best; do
		printf '{"type":"record","schema":2,"run_id":"h","key":"radix/cpu/%s count=10000 threads=2","bench":"radix","backend":"cpu","variant":"%s","params":{"count":10000,"threads":2},"status":"ok","verify":{"result":"pass"},"time":{"median":20000,"ci95":[19000,22000],"samples":[19000,20000,22000]}}\n' $variant $variant
	done
} >here.jsonl
print() { # COMMAND...: of each table of the JSON, the first rows and the last one
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
def text(value): return "%.10g" % value if isinstance(value, float) else str(value)
for name, value in report.items():
    if name not in tables and name != "program":
        print(name, text(value))
for name, rows in tables.items():
    print("%s: %d" % (name, len(rows)))
    for row in rows if len(rows) < 7 else rows[:4] + rows[-1:]:
        print("", *map(text, row.values()), sep=" | ")
END
	gpubench "$@" --format=html >html
	grep -o -E '<(/?table|h[12]|details|!DOCTYPE|/html)\b' html | sort | uniq -c | tr -s ' \n' ' '; echo
}
print compare base.jsonl new.jsonl
sed 's/Z80/Z8000/' new.jsonl >other.jsonl
print compare --by=machine base.jsonl other.jsonl
print repro --from here.jsonl radix:table1
# Only the beginnings of long lines, and less of what a paper says.
gpubench repro --from here.jsonl radix:table1 cbt:memory --format=markdown >table
LC_ALL=C.UTF-8 sed -E 's/^(.{110}).*/\1/; /^Notes on the paper|^The paper/,/^#|^All/s/^(- .{20}).*/\1/' table
gpubench compare base.jsonl new.jsonl --format=github
gpubench compare base.jsonl new.jsonl --format=junit

# Each format prints a name that is cut within a character.
long=$(printf 'a%.0s' $(seq 126))é
sed "s/best/$long/g" base.jsonl new.jsonl >cut.jsonl
for format in table markdown html csv json; do
	timeout 600 gpubench compare --by=machine cut.jsonl --format=$format >out
	echo "$format: status $?, $(grep -c aaaa out) lines"
done
gpubench report --format=csv base.jsonl | cut -d, -f4-7 | head -n 3

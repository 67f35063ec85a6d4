# The chart of a page: lines over points with intervals and gaps. A benchmark with one point has none.
line() { # BENCH VARIANT N NS
	printf '{"type":"record","schema":2,"run_id":"a","bench":"%s","backend":"cpu",' "$1"
	printf '"variant":"%s","key":"%s/cpu/%s n=%s","params":{"n":%s},"status":"ok",' "$2" "$1" "$2" "$3" "$3"
	printf '"verify":{"result":"pass"},"time":{"clock":"monotonic","median":%s,' "$4"
	printf '"ci95":[%s,%s],"samples":[%s]}}\n' "$(($4 * 9 / 10))" "$(($4 * 11 / 10))" "$4"
}
{
	echo '{"type":"run","schema":2,"run_id":"a","started":"now","tool":{"version":"1"},"host":{"cpu":"Z80","cores":2},"gpus":[]}'
	for n in 1 10 100 1000; do
		line cbt fast $n $((n * 1000 + 5000))
		[ $n = 100 ] || line cbt slow $n $((n * 3000 + 700))
	done
	line bfs one 7 12000
	line bfs two 7 34000
	line bfs three 7 5600000
} >a.jsonl
gpubench report --format=html a.jsonl >page.html || exit
sed -n '/<svg/,/<\/svg>/p' page.html

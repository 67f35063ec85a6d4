# A history's chart has axes, levels, shifts, and a dot for each launch, or for several if there are
# many.
launches() { # NUMBER: two shifts; the second launch has no commit
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++) {
			ns = (i < n / 3 || i >= n / 2 ? 50 : 60) * (1000 + (i * i * 37 + i * 11) % 101 % 11 - 5)
			printf "{\"type\":\"run\",\"schema\":2,\"run_id\":\"%d\",", i
			printf "\"started\":\"2026-01-%02dT%02d:%02d:00Z\",", 1 + i / 1440, i / 60 % 24, i % 60
			printf "\"tool\":{\"commit\":%s},\"host\":{\"hostname\":\"h\",\"cpu\":\"A\"},", i == 1 ? "null" : "\"c" i "\""
			printf "\"gpus\":[]}\n{\"type\":\"record\",\"schema\":2,\"run_id\":\"%d\",\"seq\":0,", i
			printf "\"key\":\"radix/cpu/best\",\"bench\":\"radix\",\"backend\":\"cpu\",\"variant\":\"best\","
			printf "\"params\":{},\"cold\":true,\"status\":\"ok\",\"verify\":{\"result\":\"pass\"},"
			printf "\"time\":{\"median\":%d,\"samples\":[%d]}}\n", ns, ns
		}
	}'
}
picture() { # NUMBER LINES: the chart, of whose dots only these lines
	mkdir "$1"
	launches "$1" >"$1/a.jsonl"
	gpubench history "$1" --format=html >page.html
	sed -n '/<figure>/,/<.figure>/p' page.html >svg
	grep -v '<circle' svg
	grep -c '<circle' svg
	grep '<circle' svg | sed -n "$2"
}
picture 30 '1,2p;10,11p;30p'
picture 1000 '1p;112,113p;$p'

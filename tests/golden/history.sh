# history.sh -- write record files with given dates and times; the cases of `history` source it.

# launch FILE NUMBER COMMIT COMMIT_DATE [MACHINE]: write a file with the run line of one launch.
# NUMBER sets its date: launch 0 is of 2026-01-01, and a month has 28 launches, one a day.
launch() {
	{
		printf '{"type":"run","schema":1,"run_id":"%s-%s",' "$1" "$2"
		printf '"started":"2026-%02d-%02dT12:00:00Z",' $((1 + $2 / 28)) $((1 + $2 % 28))
		printf '"tool":{"commit":"%s","commit_date":%s},' "$3" "$4"
		printf '"host":{"hostname":"h","cpu":"%s"},' "${5:-CPU A}"
		printf '"gpus":[{"id":0,"name":"GPU A"}],"settings":{"device":0,"cold":true}}\n'
	} >"$1"
}

# record FILE NUMBER BACKEND VARIANT COLD REST: append a record of launch NUMBER to FILE.  REST is
# its status and time.
record() {
	{
		printf '{"type":"record","schema":1,"run_id":"%s-%s","seq":0,' "$1" "$2"
		printf '"key":"radix/%s/%s","bench":"radix","backend":"%s",' "$3" "$4" "$3"
		printf '"variant":"%s","params":{},"cold":%s,%s}\n' "$4" "$5" "$6"
	} >>"$1"
}

# took US NUMBER: print the status and the time of a record: US microseconds with noise of up to
# 0.5 %, which NUMBER selects.
took() {
	ns=$(($1 * (1000 + ($2 * $2 * 37 + $2 * 11) % 101 % 11 - 5)))
	printf '"status":"ok","verify":{"result":"pass"},"time":{"median":%s,"samples":[%s,%s]}' \
		$ns $((ns + 5)) $ns
}

# history_of_thirty FOLDER: write thirty launches to two folders below FOLDER.  lsd8 becomes slower
# at launch 20, and best faster at launch 12.  qsort does not change.  split (on the GPU) becomes
# slower at launch 12, recovers at launch 20, and has too few hot launches.  vqsort fails once.
history_of_thirty() {
	mkdir -p "$1/one" "$1/two"
	n=0
	while [ $n -lt 30 ]; do
		folder=$1/one lsd8=100 best=80 split=50
		[ $n -lt 15 ] || folder=$1/two
		[ $n -lt 20 ] || lsd8=110
		[ $n -lt 12 ] || { best=70 split=60; }
		[ $n -lt 20 ] || split=50
		file=$folder/$(printf 'launch-%02d.jsonl' $n)
		launch "$file" $n "$(printf 'c0ffee%02d' $((n / 2)))" null
		record "$file" $n cpu lsd8 true "$(took $lsd8 $n)"
		record "$file" $n cpu best true "$(took $best $n)"
		record "$file" $n cpu qsort true "$(took 300 $n)"
		record "$file" $n cuda split true "$(took $split $n)"
		[ $((n % 10)) != 0 ] || record "$file" $n cuda split false "$(took 40 $n)"
		[ $n != 17 ] || record "$file" $n cpu vqsort true \
			'"status":"failed","reason":"key 3 is out of order"'
		n=$((n + 1))
	done
}

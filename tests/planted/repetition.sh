#!/bin/sh
# repetition.sh -- a fake build of gpubench for `ab`, with known measurements.  A copy NAME of it writes
# a record for each line "KEY STATUS NS" of NAME.keys, with noise of up to 1 % that repeats every
# five repetitions.  NAME.run has further members of the run line.  If NAME.kill exists, the repetition
# with the number in it kills `ab` instead.
# NAME.plan is what --dry-run prints.
case " $* " in *" --dry-run "*)
	cat "$0.plan" 2>/dev/null
	exit 0
	;;
esac
for word in "$@"; do
	output=${word#--output=}
done
repetition=$(cat "$0.repetitions" 2>/dev/null || echo 0)
echo $((repetition + 1)) >"$0.repetitions"
[ "$repetition" != "$(cat "$0.kill" 2>/dev/null)" ] || { rm "$0.kill"; kill -KILL $PPID; }
run=$(printf '%s-%03d' "${0##*/}" "$repetition")
words=
for word in "$@"; do
	words="$words${words:+,}\"$word\""
done
{
	printf '{"type":"run","schema":2,"run_id":"%s","argv":[%s]%s}\n' "$run" "$words" \
		"$(cat "$0.run" 2>/dev/null)"
	seq=0
	while read -r key status ns; do
		! grep -qs "\"key\":\"$key n=1\"" "$output" || continue
		time="\"reason\":\"it was planted\""
		case $status in ok | unverified | doubtful)
			ns=$((ns + ns / 500 * (repetition * 7 % 5)))
			time="\"time\":{\"median\":$ns,\"samples\":[$ns]}"
			[ "$status" = unverified ] && verify=skipped || verify=pass
			time="\"verify\":{\"result\":\"$verify\"},$time"
			;;
		esac
		bench=${key%%/*} variant=${key##*/}
		printf '{"type":"record","schema":2,"run_id":"%s","seq":%s,' "$run" $seq
		printf '"key":"%s n=1","bench":"%s","backend":"cpu",' "$key" "$bench"
		printf '"variant":"%s","params":{"n":1},' "$variant"
		printf '"status":"%s",%s}\n' "$status" "$time"
		seq=$((seq + 1))
	done <"$0.keys"
} >"$output.new"
cat "$output.new" >>"$output"
rm "$output.new"
exit "$(cat "$0.exit" 2>/dev/null || echo 0)"

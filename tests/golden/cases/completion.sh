# The completion offers words from the program's own tables, and only words that fit the position.
complete_line() { # LINE: what TAB offers at its end
	bash -c '
		source "$TESTS/../scripts/completion.bash"
		compopt() { :; }
		COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=($1) COMP_WORDBREAKS="\"'\''><=;|&(:"
		_gpubench
		echo "[$1]" $(printf "%s\n" "${COMPREPLY[@]}" | sort)' x "$1"
}
for line in "rep" "radix --typ" "radix --type=u" "radix --type=u32,u" "radix --type=u32,u64," "radix --count=" "radix --file=" \
	"radix cpu/split-" "radix -q cpu/qsor" "radix --hot --samples " "radix --backend=cpu," "radix --resume=" "radix -o " \
	"radix --output a" "lbvh --write=" "run --preset=" "run radi" "check --dev" "list bf" "help strea" "repro radix:t" \
	"repro radi" "repro --from=" "report --format=markd" "report -f markd" "report " "compare a" "check cpu/qs" "env " "ab old" "ab old=" \
	"ab old=a new=b -- radi" "ab old=a new=b -- radix --type=i" "nonsense --x" "nonsense x"; do
	complete_line "gpubench $line"
done
# Every benchmark is offered after `check`, and after `gpubench` among the commands.
gpubench list | sed -n 's/^\([a-z]*\): .*/\1/p' | sort >benchmarks
[ "$(complete_line "gpubench check --backend=cpu ")" = "[gpubench check --backend=cpu ] $(echo $(cat benchmarks))" ] || echo "check: not the benchmarks"
complete_line "gpubench " | sed 's/.*\] //' | tr ' ' '\n' >words
grep -vxFf words benchmarks
grep -vxFf benchmarks words
# If Readline does not split words at "=", the completion offers the whole word.
bash -c 'source "$TESTS/../scripts/completion.bash"
	COMP_LINE="gpubench radix --type=u" COMP_POINT=23 COMP_WORDS=(gpubench radix --type=u) COMP_WORDBREAKS=" "
	_gpubench 2>/dev/null
	echo "${COMPREPLY[*]}"'

# What is offered comes from the program's own tables, and only where it fits.
complete_line() { # LINE: what TAB offers at its end
	bash -c '
		source "$TESTS/../scripts/completion.bash"
		compopt() { :; }
		COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=($1) COMP_WORDBREAKS="\"'\''><=;|&(:"
		_gpubench
		echo "[$1]" $(printf "%s\n" "${COMPREPLY[@]}" | sort)' x "$1"
}
mkdir work work/folder && cd work && touch a.jsonl || exit
for line in "rep" "" "radix --ty" "radix --type=u" "radix --type=u32,u" "radix --type=u32,u64," "radix --count=" "radix --file=" \
	"radix cpu/sp" "radix -q cpu/q" "radix --hot --samples " "radix --backend=cpu," "radix --resume=" "radix -o " \
	"radix --output a" "cbt --image=" "run --preset=" "run r" "check --backend=cpu " "check --dev" "list b" "help st" "repro radix:t" \
	"repro rad" "repro --set=" "report --format=ma" "report -f ma" "report " "compare a" "history f" "history --order=" "check cpu/qs" "env " "ab old" "ab old=" \
	"ab --stat=" "ab old=a new=b -- rad" "ab old=a new=b -- radix --type=p" "nonsense --x" "nonsense x"; do
	complete_line "gpubench $line"
done
# Readline's own words, where it does not cut at "=": the whole word is offered.
bash -c 'source "$TESTS/../scripts/completion.bash"
	COMP_LINE="gpubench radix --type=u" COMP_POINT=23 COMP_WORDS=(gpubench radix --type=u) COMP_WORDBREAKS=" "
	_gpubench 2>/dev/null
	echo "${COMPREPLY[*]}"'

# What is offered comes from the program's own tables.
complete_words() { # WORD...: the last one is being completed
	bash -c '
		set -f
		source "$TESTS/../scripts/completion.bash"
		compopt() { :; }
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_gpubench
		echo ${COMPREPLY[*]}' x "$@"
}
complete_words gpubench rep
complete_words gpubench radix --ty
complete_words gpubench radix --type = u
complete_words gpubench run --preset = ""
complete_words gpubench radix cpu/sp | tr ' ' '\n' >offered
grep -x -e cpu/split -e cpu/split-omp offered
grep -v '^cpu/sp' offered
complete_words gpubench report --format = ma
complete_words gpubench nonsense --x

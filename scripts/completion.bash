# completion.bash -- completes gpubench's commands, options and their words, from the help that the
# program prints.  For bash: `source completion.bash`; for zsh, before that:
# `autoload -U +X bashcompinit && bashcompinit`.
#
# Each function prints what may stand where the cursor is, one a line, as whole words ("--type=u32,u64").
# Words and files are offered only where the help says that there may be some.

_gpubench_commands() { # all commands and benchmarks
	"$program" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'
}

_gpubench_benchmarks() {
	"$program" list 2>/dev/null | sed -n 's/^\([a-z]*\): .*/\1/p'
}

_gpubench_options() { # COMMAND: its options with their text, each in one line
	"$program" "$1" --help 2>/dev/null | awk '
		/^ *(-[a-zA-Z], )?--/ { if (line) print line; line = $0; next }
		/^          / && line { sub(/^ +/, " "); line = line $0; next }
		{ if (line) print line; line = "" }
		END { if (line) print line }'
}

_gpubench_files() { # BEFORE PATH: each file that begins with the path, after what stands before it
	compgen -f -- "$2" | while IFS= read -r file; do
		[[ -d $file ]] && file+=/
		printf '%s\n' "$1$file"
	done
}

# COMMAND OPTION BEFORE VALUE: by the option's argument: "=FILE" and "=FILE,...", "=quick|ci|paper",
# "=cpu,cuda", "=WORD  what to print: table|json [table]", and, for lists of them, "=SPEC  type: u32|u64".
_gpubench_values() {
	local command=$1 option=$2 before=$3 value=$4 line words list=
	line=$(_gpubench_options "$command" | grep -m 1 -E -e "(^|[ ,])$option(,|\[?=)")
	[[ $line =~ --[a-z-]+\[?=([^] ]+) ]] || return 0
	case ${BASH_REMATCH[1]} in
	FILE*) _gpubench_files "$before" "$value" && return ;;
	WORD | SPEC) words=$(grep -o -E '[a-z0-9-]+(\|[a-z0-9-]+)+' <<<"$line" | tail -n 1) ;;
	[A-Z]*) return ;;
	*) words=${BASH_REMATCH[1]} ;;
	esac
	[[ ${BASH_REMATCH[1]} == SPEC || $words == *,* ]] && list=${value%"${value##*,}"}
	for word in ${words//[|,]/ }; do
		[[ ,$list != *,"$word",* ]] && printf '%s\n' "$before$list$word"
	done
}

_gpubench_words() { # COMMAND: what is no option
	case $1 in
	run | check | list) _gpubench_benchmarks ;;
	help) _gpubench_commands ;;
	repro)
		printf '%s\n' all
		"$program" repro --list 2>/dev/null | sed -n 's/^\(\([a-z]*\):[^ ]*\) .*/\1\n\2/p' | sort -u
		;;
	report | compare | merge) _gpubench_files "" "$word" ;;
	ab) [[ $word == *=* ]] && _gpubench_files "${word%%=*}=" "${word#*=}" ;;
	env) ;;
	*) "$program" list "$1" 2>/dev/null | grep -o '^  [a-z]*/[a-z0-9-]*' | tr -d ' ' ;;
	esac
}

_gpubench_offer() { # COMMAND PREVIOUS: whole words
	local line
	[[ -n $1 ]] || { _gpubench_commands && printf '%s\n' help; return; }
	if [[ $word == --*=* ]]; then
		_gpubench_values "$1" "${word%%=*}" "${word%%=*}=" "${word#*=}"
		return
	fi
	# A word of its own after an option that must have a value.
	line=$([[ $2 == -* && $2 != *=* ]] && _gpubench_options "$1" | grep -m 1 -E -e "(^|[ ,])$2(,|=)")
	if [[ $line =~ --[a-z-]+= ]]; then
		_gpubench_values "$1" "$2" "" "$word"
	elif [[ $word == -* ]]; then
		_gpubench_options "$1" | sed -n 's/^[^-]*\(-[a-zA-Z], \)\?\(--[a-z-]*=\?\).*/\2/p'
	else
		_gpubench_words "$1"
	fi
}

_gpubench() {
	local program=${COMP_WORDS[0]} line=${COMP_LINE:0:COMP_POINT} word before cut= i
	local -a words

	# Our own words: bash takes "--type=u" and "radix:t" apart.
	read -r -a words <<<"$line"
	word=
	[[ $line == *[[:space:]] ]] || { word=${words[-1]} && unset 'words[-1]'; }
	# What follows "ab ... --" is a command line of its own.
	for ((i = 2; i < ${#words[@]}; i++)); do
		[[ ${words[1]} == ab && ${words[i]} == -- ]] && words=("${words[0]}" "${words[@]:i+1}")
	done
	mapfile -t COMPREPLY < <(_gpubench_offer "${words[1]}" "${words[-1]}" |
		while IFS= read -r offer; do [[ $offer == "$word"* ]] && printf '%s\n' "$offer"; done)
	# Readline has the part up to the last "=" or ":" already.
	for before in = :; do
		[[ $COMP_WORDBREAKS == *$before* && $word == *$before* ]] && cut+=$before
	done
	[[ -z $cut ]] || cut=${word%"${word##*[$cut]}"}
	COMPREPLY=("${COMPREPLY[@]#"$cut"}")
	[[ ${COMPREPLY[*]} == *[=/] ]] && compopt -o nospace 2>/dev/null
	return 0
}
complete -F _gpubench gpubench

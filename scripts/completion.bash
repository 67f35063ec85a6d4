# completion.bash -- completes gpubench's commands, options and their words from the help that the
# program prints.
#
# Each function prints the candidates at the cursor, one a line, as whole words ("--type=u32,u64").
# Without candidates, bash offers files.

_gpubench_commands() { # all commands and benchmarks
	"$program" --help 2>/dev/null | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p'
}

_gpubench_benchmarks() {
	"$program" list 2>/dev/null | sed -n 's/^\([a-z]*\): .*/\1/p'
}

_gpubench_variants() { # [BENCHMARK]: its variants, or those of all benchmarks
	"$program" list "$@" 2>/dev/null | grep -o '^  [a-z]*/[a-z0-9-]*' | tr -d ' ' | sort -u
}

_gpubench_options() { # COMMAND: its options with their help, one a line
	"$program" "$1" --help 2>/dev/null | awk '
		/^ *(-[a-zA-Z], )?--/ { if (line) print line; line = $0; next }
		/^          / && line { sub(/^ +/, " "); line = line $0; next }
		{ if (line) print line; line = "" }
		END { if (line) print line }'
}

# COMMAND OPTION BEFORE VALUE: candidates by the option's argument: "=quick|ci|paper", "=cpu,cuda",
# "=WORD  what to print: table|json [table]" and, for lists, "=SPEC  type: u32|u64".
_gpubench_values() {
	local before=$3 value=$4 line argument choices list= choice
	line=$(_gpubench_options "$1" | grep -m 1 -E -e "^ *(-[a-zA-Z], )?$2(,|\[?=)")
	argument=$(sed -n 's/^.*--[a-z-]*\[\?=\([^] ]*\).*/\1/p' <<<"${line%%  [^ -]*}")
	case $argument in
	WORD | SPEC) choices=$(grep -o -E '[a-z0-9-]+(\|[a-z0-9-]+)+' <<<"$line" | tail -n 1) ;;
	[A-Z]*) return ;;
	*) choices=$argument ;;
	esac
	[[ $argument == SPEC || $argument == *,* ]] && list=${value%"${value##*,}"}
	tr '|,' '\n\n' <<<"$choices" | while IFS= read -r choice; do
		[[ -z $choice || ,$list == *,"$choice",* ]] || printf '%s\n' "$before$list$choice"
	done
}

_gpubench_words() { # COMMAND WORD: words that are not options
	case $1 in
	run | check | list)
		_gpubench_benchmarks
		[[ $2 != */* ]] || _gpubench_variants
		;;
	help) _gpubench_commands ;;
	repro)
		printf '%s\n' all
		"$program" repro 2>/dev/null |
			sed -n 's/^\(\([a-z]*\):[^ ]*\) .*/\1\n\2/p' | sort -u
		;;
	report | compare | ab | env) ;;
	*) _gpubench_variants "$1" ;;
	esac
}

_gpubench_offer() { # COMMAND PREVIOUS WORD: candidates as whole words
	local wants=
	if [[ -z $1 ]]; then
		_gpubench_commands
		printf '%s\n' help
		return
	fi
	if [[ $3 == --*=* ]]; then
		_gpubench_values "$1" "${3%%=*}" "${3%%=*}=" "${3#*=}"
		return
	fi
	# A separate word after an option that must have a value: "-o FILE".
	[[ $2 == -* && $2 != *=* ]] &&
		wants=$(_gpubench_options "$1" | grep -m 1 -E -e "(^|[ ,])$2(, --[a-z-]*)?=")
	if [[ -n $wants ]]; then
		_gpubench_values "$1" "$2" "" "$3"
	elif [[ $3 == -* ]]; then
		_gpubench_options "$1" | sed -n 's/^[^-]*\(-[a-zA-Z], \)\?\(--[a-z-]*=\?\).*/\2/p'
	else
		_gpubench_words "$1" "$3"
	fi
}

_gpubench() {
	local program=${COMP_WORDS[0]} line=${COMP_LINE:0:$COMP_POINT}
	local word= command= previous= piece cut= at

	# Split the line into words again: bash takes "--type=u" and "radix:t" apart.  A new command
	# line follows "ab ... --".
	[[ $line == *[[:space:]] ]] || word=${line##*[[:space:]]}
	while IFS= read -r piece; do
		if [[ $command == ab && $piece == -- ]]; then
			command=
		elif [[ -z $command && -n $previous ]]; then
			command=$piece
		fi
		previous=$piece
	done <<-END
		$(tr -s '[:space:]' '\n' <<<"${line%"$word"}")
	END
	# Readline already holds the part up to the last "=" or ":".
	for at in = :; do
		[[ $COMP_WORDBREAKS == *$at* && $word == *$at* ]] && cut+=$at
	done
	[[ -z $cut ]] || cut=${word%"${word##*[$cut]}"}
	COMPREPLY=()
	while IFS= read -r piece; do
		[[ -n $piece && $piece == "$word"* ]] && COMPREPLY+=("${piece#"$cut"}")
	done <<-END
		$(_gpubench_offer "$command" "$previous" "$word")
	END
	[[ ${COMPREPLY[*]} == *= ]] && compopt -o nospace 2>/dev/null
	return 0
}
complete -o default -F _gpubench gpubench

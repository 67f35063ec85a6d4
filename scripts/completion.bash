# completion.bash -- completes gpubench's commands, options and their words, from the help that the
# program prints.  For bash: `source completion.bash`; for zsh, before that:
# `autoload -U +X bashcompinit && bashcompinit`.

_gpubench_help() { # COMMAND...: the help, with each option's text in one line
	"$1" "${@:2}" --help 2>/dev/null | awk '
		/^ *(-[a-zA-Z], )?--/ { if (line) print line; line = $0; next }
		/^          / && line { sub(/^ +/, " "); line = line $0; next }
		{ if (line) print line; line = "" }
		END { if (line) print line }'
}

_gpubench() {
	local program=${COMP_WORDS[0]} command=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]}
	local option=

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W "$("$program" --help 2>/dev/null |
			sed -n 's/^  \([a-z][a-z]*\) .*/\1/p')" -- "$word")
		return
	fi
	# bash takes "--type=u" apart at the "=".
	if [[ $word == = ]]; then
		option=${COMP_WORDS[COMP_CWORD - 1]} word=
	elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $word == --*=* ]]; then
		option=${word%%=*} word=${word#*=}
	fi
	if [[ -n $option ]]; then
		# "--type=SPEC  type of the keys: u32|u64 [u32]", "--preset=quick|ci|paper"
		local words
		words=$(_gpubench_help "$program" "$command" | grep -e "$option=" |
			grep -o '[a-z0-9]*\(|[a-z0-9]*\)\+' | head -n 1 | tr '|' ' ')
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
		[[ ${#COMPREPLY[@]} -gt 0 ]] || mapfile -t COMPREPLY < <(compgen -f -- "$word")
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_gpubench_help "$program" "$command" |
			sed -n 's/^[^-]*\(-[a-zA-Z], \)\?\(--[a-z-]*=\?\).*/\2/p')" -- "$word")
		[[ ${COMPREPLY[*]} == *= ]] && compopt -o nospace
	else
		mapfile -t COMPREPLY < <(
			compgen -W "$("$program" list "$command" 2>/dev/null |
				grep -o '\(cpu\|cuda\)/[a-z0-9-]*')" -- "$word"
			compgen -f -- "$word"
		)
	fi
	return 0
}
complete -F _gpubench gpubench

#compdef gpubench
# completion.zsh -- completion for zsh: the work is done by that for bash, which `make install` puts
# where this file finds it.
local file=${functions_source[_gpubench]:A:h:h:h}/bash-completion/completions/gpubench
local -a found=(${(f)"$(bash "$file" "${(j: :)words[1,CURRENT-1]} $PREFIX")"})
compadd -Q -S '' -- ${(M)found:#*[=/]}
compadd -Q -- ${found:#*[=/]}

# completion.fish -- completion for fish: the work is done by that for bash, which `make install` puts
# where this file finds it.
set -g _gpubench_bash (dirname (status filename))/../../bash-completion/completions/gpubench
complete -c gpubench -f -a '(bash $_gpubench_bash (commandline -cp))'

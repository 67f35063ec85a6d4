# completion.zsh -- TAB in an interactive bash and zsh completes gpubench's words; run by
# tests/roots.sh.
zmodload zsh/zpty
for shell start in 'bash --norc --noprofile' '. /usr/share/bash-completion/bash_completion' \
	'zsh -f -i' 'autoload -Uz compinit; compinit -u'; do
	zpty -e shell $=shell
	zpty -w shell "$start; PS1=; echo "'re""ady'
	zpty -r -m shell line '*ready*' || exit 1
	zpty -w -n shell $'gpubench radix --type=u32,u\t'
	zpty -r -m shell line '*u32,u64*' || exit 1
	zpty -d shell
done

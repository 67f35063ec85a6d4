# completion.zsh -- TAB in an interactive zsh completes gpubench's words; run by tests/roots.sh.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "autoload -Uz compinit; compinit -u; PS1=; echo re""ady"
zpty -r -m shell line '*ready*' || exit 1
zpty -w -n shell $'gpubench radix --type=u32,u\t'
zpty -r -m shell line '*u32,u64*'

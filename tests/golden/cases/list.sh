# `list` prints every variant of variants.def under its benchmark, in that order, with its summary.
gpubench list >list || exit
gpubench list radix >radix || exit
sed -n '/^[A-Z]*_VARIANT(/,/)$/p' "$TESTS/../common/variants.def" | tr -s '\n\t ' ' ' |
	sed 's/ \([A-Z]*_VARIANT(\)/\n\1/g' | awk -F '"' '{
		split($1, word, /[(, ]+/)
		peer = word[1] == "PEER_VARIANT"
		backend = peer ? word[2] : tolower(substr(word[1], 1, index(word[1], "_") - 1))
		kind = peer ? "library" : tolower($3)
		gsub(/[, ]/, "", kind)
		printf "%s:   %-18s %s: %s\n", word[2 + peer], backend "/" $2, kind, $4
	}' | sed 's/ ([A-Za-z0-9+]*[ 0-9.]*)$//' | sort -s -k 1,1 >wanted
sed 's/ (not in this build:.*//; s/ ([A-Za-z0-9+]*[ 0-9.]*)$//' list | awk '/^[a-z]/ { name = $1 } /^  [a-z]+\// { print name " " $0 }' |
	sort -s -k 1,1 >listed
diff wanted listed || exit
awk '/^[a-z]/ { named = $1 == "radix:" } named' list | diff - radix || exit
grep -v '^  [a-z]*/' radix
grep -e '^  cpu/split ' -e '^  cpu/qsort ' radix | sed 's/(glibc [0-9.]*)/(glibc VERSION)/'

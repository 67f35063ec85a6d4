# A misspelled word gives one error line. The line suggests the nearest valid word, if one is near.
for words in "raidx" "comp x y" "help octre" "radix --cuont=5" "radix --type=u23" "radix --distribution=zip" "radix cpu/split-opm" \
	"radix cpu/nothing-near" "run radx" "list octre" "run --preset=papr" "repro radix:tabel1" "repro rdix" "report --fromat=csv x" \
	"compare --formt=json a b" "ab --threshhold=1" "list --format=jsn" "bfs --result=bot"; do
	gpubench $words
	[ $? = 2 ] || echo "$words: not status 2"
done

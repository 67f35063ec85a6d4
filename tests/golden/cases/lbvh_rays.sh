# Every kind of ray, by one variant that takes all and one that takes no stream of nearest hits; keys of primary rays are as before.
gpubench lbvh cpu/wide cpu/packet --op=trace --scene=teapot --primitives=100 --rays=8 --samples=1 --threads=1 \
	--rays-kind=primary,shadow,random --rays-order=given,sorted -o records.jsonl >/dev/null 2>&1 || exit
grep -o '"key":"[^"]*"\|"status":"[a-z]*"\|"reason":"[^"]*"' records.jsonl | sed 's/.*:"//; s/"$//' |
	sed 's/^lbvh/\nlbvh/' && grep -o '"excluded":\[[^]]*\]' records.jsonl | sort -u && "$TESTS/schema.py" records.jsonl

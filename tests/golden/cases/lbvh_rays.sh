# cpu/wide traces primary, shadow and random rays. cpu/packet skips streams of nearest hits.
# The keys of primary rays in the given order do not name the kind of rays.
gpubench lbvh cpu/wide cpu/packet --op=trace --scene=teapot --primitives=100 --rays=8 --samples=1 --threads=1 \
	--rays-kind=primary,shadow,random --rays-order=given,sorted -o records.jsonl >/dev/null 2>&1 || exit
grep -o '"key":"[^"]*"\|"status":"[a-z]*"\|"reason":"[^"]*"' records.jsonl | sed 's/.*:"//; s/"$//' |
	sed 's/^lbvh/\nlbvh/' && grep -o '"excluded":\[[^]]*\]' records.jsonl | sort -u && "$TESTS/schema.py" records.jsonl

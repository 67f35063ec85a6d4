# cpu/wide traces primary, shadow and random rays, and takes them one by one or in calls of 16, which
# the key says; cpu/stack takes no such parameter, and is not measured twice.
# The keys of primary rays in the given order do not name the kind of rays.
gpubench lbvh cpu/wide cpu/stack --op=trace --scene=teapot --count=100 --rays=8 --samples=1 --threads=1 \
	--rays-kind=primary,random --order=own,spatial --rays-per-call=all,1,16 -o records.jsonl >/dev/null 2>&1 || exit
grep -o '"key":"[^"]*"\|"status":"[a-z]*"\|"reason":"[^"]*"' records.jsonl | sed 's/.*:"//; s/"$//' |
	sed 's/^lbvh/\nlbvh/' && grep -o '"excluded":\[[^]]*\]' records.jsonl | sort -u && "$TESTS/schema.py" records.jsonl

#!/bin/bash
# gpu-hashes.sh PROGRAM -- print the hashes of trees that a gpubench's cuda variants build, as lines
# "key metric hash".  Those of a GPU must equal those of the emulator, gpubench-simt.  ploc is left
# out: it numbers its nodes as they come.
set -eu -o pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
how=(--backend=cuda --samples=1 --warmup=0 -q)
"$1" octree --count=5000 --dist="plummer,cube,pairs" "${how[@]}" -o "$scratch/octree.jsonl" >&2
"$1" lbvh '!ploc' --scene="terrain,city,soup" --primitives=5000 "${how[@]}" \
	-o "$scratch/lbvh.jsonl" >&2
sed -n 's/.*"key": *"\([^"]*\)".*"\([a-z]*_hash\)": *"\([^"]*\)".*/\1 \2 \3/p' "$scratch"/*.jsonl |
	sort

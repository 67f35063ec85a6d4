gpubench report --format=github "$TESTS/../results/measured/cpu-2026-11-22/example.jsonl"

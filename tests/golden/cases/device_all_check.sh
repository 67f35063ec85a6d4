gpubench check --device=all

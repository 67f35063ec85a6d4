gpubench bfs --batch=65 cpu/ccam-batch

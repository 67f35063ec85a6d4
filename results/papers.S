/* papers.S -- results/papers/<bench>.json as text inside the program, NUL terminated. */
	.section .rodata
	.globl gb_paper_radix
gb_paper_radix:
	.incbin "results/papers/radix.json"
	.byte 0
	.globl gb_paper_octree
gb_paper_octree:
	.incbin "results/papers/octree.json"
	.byte 0
	.globl gb_paper_cbt
gb_paper_cbt:
	.incbin "results/papers/cbt.json"
	.byte 0
	.globl gb_paper_bfs
gb_paper_bfs:
	.incbin "results/papers/bfs.json"
	.byte 0
	.globl gb_paper_lbvh
gb_paper_lbvh:
	.incbin "results/papers/lbvh.json"
	.byte 0
	.section .note.GNU-stack, "", @progbits

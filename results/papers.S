/* papers.S -- results/papers/<benchmark>.json as text inside the program: one NUL-terminated document
 * after the other (generated/papers.bin, by the Makefile), then an empty one. */
	.section .rodata
	.globl gb_papers
gb_papers:
	.incbin "papers.bin"
	.byte 0
	.section .note.GNU-stack, "", @progbits

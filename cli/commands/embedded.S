/* embedded.S -- published tables as text inside the program, made by the Makefile.
 *
 * gb_papers: results/papers/<benchmark>.json, one NUL-terminated document after the other.  An empty
 * string ends them. */
	.section .rodata
	.globl gb_papers
gb_papers:
	.incbin "papers.bin"
	.byte 0
	.section .note.GNU-stack, "", @progbits

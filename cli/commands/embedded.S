/* embedded.S -- files of this repository as text inside the program, made by the Makefile.
 *
 * gb_papers: results/papers/<benchmark>.json, one NUL-terminated document after the other.
 * gb_examples: examples/, of each file its NUL-terminated name and text.
 * An empty string ends either. */
	.section .rodata
	.globl gb_papers
gb_papers:
	.incbin "papers.bin"
	.byte 0
	.globl gb_examples
gb_examples:
	.incbin "examples.bin"
	.byte 0
	.section .note.GNU-stack, "", @progbits

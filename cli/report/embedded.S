/* embedded.S -- texts inside the program, NUL-terminated.
 *
 * gb_papers: results/papers/<benchmark>.json, one document after the other, put together by the
 * Makefile; an empty string ends them.  gb_page_style, gb_page_script: of pages (page.c). */
	.section .rodata
	.globl gb_papers, gb_page_style, gb_page_script
gb_papers:
	.incbin "papers.bin"
	.byte 0
gb_page_style:
	.incbin "cli/report/page.css"
	.byte 0
gb_page_script:
	.incbin "cli/report/page.js"
	.byte 0
	.section .note.GNU-stack, "", @progbits

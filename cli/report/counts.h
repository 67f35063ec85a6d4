/* counts.h -- the name of a kernel. */
#ifndef GPUBENCH_CLI_REPORT_COUNTS_H
#define GPUBENCH_CLI_REPORT_COUNTS_H

/* The kernel's name without return type, namespaces and parameters, abridged.  Returns text. */
enum { GB_KERNEL_TEXT = 54 };
char *gb_kernel_text(const char *kernel, char text[GB_KERNEL_TEXT]);

#endif

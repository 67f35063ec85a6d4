/* figures.h -- charts of the rows of a section, for a page. */
#ifndef GPUBENCH_CLI_REPORTS_FIGURES_H
#define GPUBENCH_CLI_REPORTS_FIGURES_H

#include "cli/reports/section.h"

void gb_section_print_figures(const struct gb_section *section);

#endif

#include "cli/reports/page.h"

#include <string.h>

#include "cli/records/json.h"
#include "cli/reports/grid.h"
#include "common/text.h"

static const char style[] =
	":root{color-scheme:light dark;--ink:#1b1f24;--soft:#59636e;--line:#d1d9e0;--paper:#fff;"
	"--good:#116329;--warn:#7d4e00;--bad:#a40e26}\n"
	"@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9198a1;--line:#3d444d;"
	"--paper:#0d1117;--good:#56d364;--warn:#e3b341;--bad:#ff7b72}}\n"
	"body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);"
	"max-width:76rem;margin:0 auto;padding:1rem}\n"
	"h1,h2{line-height:1.2;margin:1.6em 0 .4em}h1{margin-top:.4em}\n"
	"p,li,figcaption{color:var(--soft);overflow-wrap:anywhere}ul{padding-left:1.2em}\n"
	".wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
	"th,td{padding:.15rem .6rem;white-space:nowrap}th{border-bottom:1px solid var(--line)}\n"
	"tr.gap td{border-top:1px solid "
	"var(--line)}.left{text-align:left}.right{text-align:right}\n"
	".good{color:var(--good);font-weight:600}.warn{color:var(--warn)}.bad{color:var(--bad)}\n"
	"figure{display:inline-block;margin:.8rem 1rem .8rem 0;max-width:100%;"
	"vertical-align:top;break-inside:avoid}\n"
	"svg{max-width:100%;height:auto}svg text{fill:var(--ink);font:12px system-ui,sans-serif}\n"
	"svg .soft{fill:var(--soft)}svg .rule{stroke:var(--line)}\n"
	"@media (max-width:700px){figure{overflow-x:auto}svg{max-width:none}}\n"
	"details pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:12px}\n"
	"@media print{body{max-width:none;font-size:10pt}details{display:none}"
	".wide{overflow:visible}}\n";

void gb_page_open(FILE *file, const char *what)
{
	(void)fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
		    "<link rel=\"icon\" href=\"data:,\">\n<title>gpubench",
		    file);
	if (what) {
		(void)fputs(", ", file);
		gb_grid_print_text(file, what, GB_MARKUP_HTML);
	}
	(void)fprintf(file, "</title>\n<style>\n%s</style></head>\n<body>\n<h1>gpubench</h1>\n",
		      style);
}

void gb_page_close(FILE *file)
{
	(void)fputs("</body></html>\n", file);
}

void gb_page_begin(FILE *file, const struct gb_records *list)
{
	const char *started = NULL;

	for (size_t i = 0; i < list->count && !started; i++)
		started = gb_json_text(list->line[i], "started");
	gb_page_open(file, started);
}

void gb_page_end(FILE *file, const struct gb_records *list)
{
	(void)fputs("<h2>Machine and build</h2>\n", file);
	for (size_t i = 0; i < list->count; i++) {
		char *text = gb_is_record(list->line[i]) ? NULL : cJSON_Print(list->line[i]);
		const char *id = gb_json_text(list->line[i], "run_id");

		if (!text)
			continue;
		(void)fputs("<details><summary>run ", file);
		gb_grid_print_text(file, id ? id : "", GB_MARKUP_HTML);
		(void)fputs("</summary><pre>", file);
		for (const char *line = text; *line;) {
			const char *end = strchrnul(line, '\n');
			char piece[4096];

			(void)snprintf(piece, sizeof piece, "%.*s", (int)(end - line), line);
			for (char *c = piece; *c; c++)
				if (*c == '\t')
					*c = ' ';
			gb_grid_print_text(file, piece, GB_MARKUP_HTML);
			(void)fputc('\n', file);
			line = *end ? end + 1 : end;
		}
		(void)fputs("</pre></details>\n", file);
		cJSON_free(text);
	}
	gb_page_close(file);
}

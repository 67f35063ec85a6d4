/* page.c -- the style sheet, script, head and foot of an HTML report. */
#include "cli/report/page.h"

#include "cli/report/names.h"
#include "cli/report/table.h"
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
	"th[tabindex]{cursor:pointer}th[aria-sort=ascending]::after{content:\" \\2191\"}"
	"th[aria-sort=descending]::after{content:\" \\2193\"}.sorted .gap td{border-top:0}\n"
	"input{font:inherit;color:inherit;background:inherit;border:1px solid var(--line);"
	"padding:.1rem .5rem;margin:.3rem 0;max-width:100%}\n"
	".good{color:var(--good);font-weight:600}.warn{color:var(--warn)}.bad{color:var(--bad)}\n"
	"figure{display:inline-block;margin:.8rem 1rem .8rem 0;max-width:100%;width:480px;"
	"vertical-align:top;break-inside:avoid}\n"
	"svg{max-width:100%;height:auto}svg text{font:12px system-ui,sans-serif}svg "
	"text:not([fill]){fill:var(--ink)}\n"
	"svg text.soft{fill:var(--soft)}svg .rule{stroke:var(--line)}\n"
	"@media print{body{max-width:none;font-size:10pt}input{display:none}"
	".wide{overflow:visible}}\n";

/* A click on a title, or Enter, sorts a table; words filter it.  Cells that begin with a number
 * sort first, by value including the unit, then texts, then empty cells. */
static const char script[] =
	"'use strict';\n"
	"const unit={ns:1e-9,us:1e-6,ms:1e-3,k:1e3,M:1e6,G:1e9,T:1e12,"
	"Ki:2**10,Mi:2**20,Gi:2**30,Ti:2**40};\n"
	"function value(cell){const text=cell.textContent.trim(),"
	"m=/^[\u00b1+]?(-?[\\d.]+(?:e[-+]?\\d+)?) ?([a-zA-Z]*)/.exec(text);\n"
	" return text===''?[2,0]:m?[0,m[1]*(unit[m[2]]||1)]:[1,text]}\n"
	"function sort(table,column){const body=table.tBodies[0],titles=table.tHead.rows[0].cells,"
	"up=titles[column].getAttribute('aria-sort')!=='ascending';\n"
	" for(const t of titles)t.removeAttribute('aria-sort');\n"
	" titles[column].setAttribute('aria-sort',up?'ascending':'descending');\n"
	" const rows=[...body.rows].map(row=>({row,key:value(row.cells[column])}));\n"
	" rows.sort(({key:a},{key:b})=>a[0]!==b[0]?a[0]-b[0]:"
	"(a[1]<b[1]?-1:a[1]>b[1]?1:0)*(up?1:-1));\n"
	" table.classList.add('sorted');body.append(...rows.map(r=>r.row))}\n"
	"function filter(table,words){for(const row of table.tBodies[0].rows)"
	"row.hidden=!words.every(word=>row.textContent.toLowerCase().includes(word))}\n"
	"for(const table of document.querySelectorAll('table')){\n"
	" [...table.tHead.rows[0].cells].forEach((title,column)=>{title.tabIndex=0;"
	"title.title='sort by this column';title.onclick=()=>sort(table,column);"
	"title.onkeydown=event=>{if(event.key==='Enter')sort(table,column)}});\n"
	" if(table.tBodies[0].rows.length>7){const input=document.createElement('input');"
	"input.type='search';input.placeholder='rows with these words';"
	"input.ariaLabel='show only rows with these words';\n"
	"  input.oninput=()=>filter(table,input.value.toLowerCase().split(/\\s+/));"
	"table.parentNode.before(input)}}\n";

void gb_page_open(FILE *file, const char *title)
{
	(void)fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
		    "<link rel=\"icon\" href=\"data:,\">\n<title>gpubench",
		    file);
	if (title) {
		(void)fputs(", ", file);
		gb_table_print_text(file, title, GB_FORMAT_HTML);
	}
	(void)fprintf(file, "</title>\n<style>\n%s</style></head>\n<body>\n<h1>gpubench", style);
	if (title) {
		(void)fputs(", ", file);
		gb_table_print_text(file, title, GB_FORMAT_HTML);
	}
	(void)fputs("</h1>\n", file);
}

void gb_page_close(FILE *file)
{
	(void)fprintf(file, "<script>\n%s</script>\n</body></html>\n", script);
}

const char *gb_page_title(char text[GB_PAGE_TITLE], const struct gb_records *list)
{
	const char *first = list->context_count ? gb_context_machine(list->context[0]) : NULL;
	bool others = false;

	for (size_t i = 0; i < list->context_count; i++)
		others |= !gb_equal(gb_context_machine(list->context[i]), first);
	(void)snprintf(text, GB_PAGE_TITLE, "%.80s%s", first ? first : "",
		       others ? " and others" : "");
	return first ? text : NULL;
}

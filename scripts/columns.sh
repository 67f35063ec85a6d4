#!/bin/sh
# columns.sh [TITLE=]COLUMN... -- some columns of CSV as a Markdown table: what `gpubench report` has in
# its CSV and not in its tables (metrics, phases).
#
#	gpubench report --format=csv FILE | scripts/columns.sh scene=param_scene variant metric_sah_cost
#
# Integers are printed in full, other numbers to four digits.  Rows without a value in any of the metric_
# columns asked for are left out (skipped variants); exit status 1 for a column that is not there.
exec awk -v wanted="$*" '
# Split a line of RFC 4180 into field[1..]; no field has a line break.
function split_csv(line,    n, c, quoted) {
	n = 1
	field[1] = ""
	while (line != "") {
		c = substr(line, 1, 1)
		line = substr(line, 2)
		if (c == "\"" && quoted && substr(line, 1, 1) == "\"") {
			field[n] = field[n] c
			line = substr(line, 2)
		} else if (c == "\"") {
			quoted = !quoted
		} else if (c == "," && !quoted) {
			field[++n] = ""
		} else {
			field[n] = field[n] c
		}
	}
	return n
}
function shown(text) {
	if (text ~ /^-?[0-9]*\.[0-9]+(e[-+]?[0-9]+)?$/)
		return sprintf("%.4g", text)
	return text
}
{ sub(/\r$/, "") }
NR == 1 {
	n = split_csv($0)
	for (i = 1; i <= n; i++)
		place[field[i]] = i
	columns = split(wanted, column, " ")
	for (i = 1; i <= columns; i++) {
		title = name = column[i]
		sub(/=.*/, "", title)
		sub(/.*=/, "", name)
		if (!(name in place)) {
			printf "columns.sh: there is no column %s\n", name | "cat >&2"
			exit 1
		}
		metric[i] = name ~ /^metric_/
		column[i] = place[name]
		head = head " " title " |"
	}
	next
}
{
	split_csv($0)
	line = "|"
	there = 0
	asked = 0
	for (i = 1; i <= columns; i++) {
		text = field[column[i]]
		line = line " " shown(text) " |"
		asked += metric[i]
		there += metric[i] && text != ""
		if (text != "" && text !~ /^[-+.0-9e]+$/)
			left[i] = 1
	}
	if (there || !asked)
		rows[++count] = line
}
END {
	if (!count)
		exit 1
	print "|" head
	rule = "|"
	for (i = 1; i <= columns; i++)
		rule = rule (left[i] ? " :--- |" : " ---: |")
	print rule
	for (i = 1; i <= count; i++)
		print rows[i]
}'

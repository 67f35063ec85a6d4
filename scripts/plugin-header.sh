#!/bin/sh
# plugin-header.sh -- prints common/plugin.h and all headers of this repository that it includes as
# one file, which `make install` installs as gpubench/plugin.h.
set -eu
cd "$(dirname "$0")/.."
exec awk '
function put(file,    line) {
	if (file in seen)
		return
	seen[file] = 1
	while ((getline line < file) > 0)
		if (match(line, /^#include "common\/[^"]*"/))
			put(substr(line, 11, length(line) - 11))
		else
			print line
	close(file)
}
BEGIN { put("common/plugin.h") }'

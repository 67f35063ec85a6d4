gpubench list >&-

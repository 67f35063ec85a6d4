gpubench cbt --shape=uniform --fill=0.3 --depth=10

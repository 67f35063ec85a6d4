gpubench cbt --fill=0.0001 --depth=10

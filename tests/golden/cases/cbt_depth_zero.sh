gpubench cbt --depth=0

gpubench cbt --depth=28:31

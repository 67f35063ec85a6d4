gpubench cbt --fill=1.5

gpubench cbt --shape=full --fill=0.5

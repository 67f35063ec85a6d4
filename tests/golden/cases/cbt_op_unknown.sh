gpubench cbt --op=reduce,split

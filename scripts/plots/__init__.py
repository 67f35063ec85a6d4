"""What scripts/plot.py draws: records.py reads, style.py decides how all pictures look, the other files
draw one family of pictures each."""

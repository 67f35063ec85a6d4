"""Pictures of scripts/plot.py: records.py reads records, style.py sets the look of all pictures,
and each of the other files draws one family of pictures."""

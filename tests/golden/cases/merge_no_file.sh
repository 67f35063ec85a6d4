gpubench merge

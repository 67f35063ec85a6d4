gpubench compare a b --threshold=-1

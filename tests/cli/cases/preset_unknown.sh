gpubench run --preset=huge

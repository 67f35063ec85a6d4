gpubench run nothing

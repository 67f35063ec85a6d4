gpubench ab a=/bin/true b=nowhere -- radix

gpubench ab a=/bin/true b=/bin/true

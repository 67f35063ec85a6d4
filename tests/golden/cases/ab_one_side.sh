gpubench ab a=/bin/true -- radix

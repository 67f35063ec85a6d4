gpubench radix --hot=yes

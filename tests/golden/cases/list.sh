gpubench list radix >list || exit
sed "s/ (not in this build:.*//" list

# gpubench without a command prints the help on standard error.
gpubench --help >help || exit 9
gpubench 2>usage
status=$?
diff help usage || exit 9
exit $status

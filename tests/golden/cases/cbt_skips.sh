# A variant that lacks a requirement is skipped with the reason; the exit status stays 0.
gpubench cbt cpu/descent cpu/libcbt --op=bitfield --depth=8 --samples=2 >out || exit
sed -n '/^skipped/p' out

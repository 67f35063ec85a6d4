# A measurement has one key for every spelling of its numbers.
# The values of a range keep the decimals in which the range is written.
# A list with two spellings of one value is refused.
keys() {
	gpubench "$@" --dry-run | sed -n 's/^\([a-z]*\/[^:]*\): .*/\1/p'
}
keys radix cpu/qsort --count=1e6,1.5M,0.5Ki,2^20,1000
keys cbt cpu/serial --depth=5 --fill=5%,1e-1
keys cbt cpu/serial --depth=5 --fill=0.05:0.15:0.05
keys cbt cpu/serial --depth=5 --fill=0.1:0.9:0.1
keys cbt cpu/serial --depth=5 --fill=0.1:0.9:x3
gpubench radix --count=1M,1e6

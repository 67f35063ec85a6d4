#!/bin/bash
# nosys.sh GPUBENCH NOSYS.so -- without /sys the cache sizes come from the C library; if it does not
# know them either, the record states that the flush uses an assumed size.  Files of other machines
# are described as expected.
set -eu
gpubench=$(realpath "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Spaces separate paths in LD_PRELOAD.
library=$scratch/preloaded.so
ln -s "$(realpath "$2")" "$library"
cd "$scratch"
if grep -q libasan <(ldd "$gpubench"); then
	echo "nosys: skipped, AddressSanitizer has to be loaded first"
	exit 0
fi
passed=0 failed=0
expect() { # FILE TEXT
	if grep -qF -- "$2" "$1"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "nosys: no $2 in $1:"
		cat "$1"
	fi
}
run() { # NOSYS NAME
	NOSYS=$1 LD_PRELOAD=$library "$gpubench" stream 'cpu/*' --count=1k --threads=1 \
		--samples=1 -q -o "$2.jsonl"
}

run sys libc
run libc assumed
if [ "$(getconf LEVEL3_CACHE_SIZE || :)" -gt 0 ] 2>/dev/null; then
	expect libc.jsonl "\"l3_bytes\":$(getconf LEVEL3_CACHE_SIZE)"
	expect libc.jsonl "\"cache_bytes\":$(getconf LEVEL3_CACHE_SIZE),\"cache_from\":\"libc\""
fi
expect assumed.jsonl '"cache_bytes":33554432,"cache_from":"assumed"'
# Unknown members are left out.
grep -E '"(l1d_bytes|l2_bytes|l3_bytes|sockets|cores)"' assumed.jsonl >known || echo nothing >known
expect known nothing
expect assumed.jsonl '"status":"ok"'

# ---- other machines -----------------------------------------------------------------------------
cpus=/sys/devices/system/cpu
put() { # FILE TEXT: write a file of the machine
	mkdir -p "$scratch/$machine$(dirname "$1")"
	printf '%b\n' "$2" >"$scratch/$machine$1"
}
cache() { # CPU INDEX LEVEL TYPE SIZE SHARED
	put $cpus/cpu$1/cache/index$2/level "$3"
	put $cpus/cpu$1/cache/index$2/type "$4"
	put $cpus/cpu$1/cache/index$2/size "$5"
	put $cpus/cpu$1/cache/index$2/shared_cpu_list "$6"
}
topology() { # CPU THREADS CORES
	put $cpus/cpu$1/topology/thread_siblings_list "$2"
	put $cpus/cpu$1/topology/core_siblings_list "$3"
}
described() { # TEXT...: the members of "host" that do not depend on this machine
	NOSYS=$scratch/$machine LD_PRELOAD=$library "$gpubench" env >env.json
	/usr/bin/python3 - >host <<'END'
import json
host = json.load(open("env.json"))["host"]
for name in "hostname", "kernel", "machine", "usable_cpus", "available_bytes", "load":
    host.pop(name, None)
print(json.dumps(host, separators=(",", ":")))
END
	expect host "$(printf %s "$@")"
}

machine=x86
put /proc/cpuinfo 'processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143
model name\t: Toy 1\nstepping\t: 8\nflags\t\t: fpu hypervisor_x avx'
put /proc/meminfo 'MemTotal:       16384 kB'
put /etc/os-release 'NAME=x\nPRETTY_NAME="Toys 12 (b)"'
put /sys/kernel/mm/transparent_hugepage/enabled 'always [madvise] never'
put /sys/devices/system/node/online 0-1,3
put $cpus/cpu0/cpufreq/scaling_governor powersave
put $cpus/intel_pstate/no_turbo 0
put $cpus/cpufreq/boost 0
put /sys/fs/cgroup/cpu.max '150000 100000'
for cpu in 0 1 2 3; do topology $cpu $((cpu % 2)),$((cpu % 2 + 2)) 0-3; done
cache 0 0 1 Data 32K 0,2
cache 0 1 1 Instruction 64K 0,2
cache 0 2 2 Unified 2048K 0,2
cache 0 3 3 Unified 36M 0-3
described '{"os":"Toys 12 (b)","cpu":"Toy 1","cpu_vendor":"GenuineIntel","cpu_family":6,' \
	'"cpu_model":143,"cpu_stepping":8,"sockets":1,"cores":2,"logical_cpus":4,' \
	'"cpu_quota":1.5,"numa_nodes":3,"l1d_bytes":32768,"l2_bytes":2097152,' \
	'"l3_bytes":37748736,"cache_bytes":37748736,"cache_from":"sysfs",' \
	'"memory_bytes":16777216,"governor":"powersave","turbo":true,' \
	'"huge_pages":"madvise","virtualized":false}'

machine=two-sockets
put /proc/cpuinfo 'vendor_id\t: AuthenticAMD\nflags\t\t: fpu hypervisor'
put /sys/kernel/mm/transparent_hugepage/enabled '[always] madvise never'
put /sys/devices/system/node/online 1
put $cpus/cpufreq/boost 0
put /sys/fs/cgroup/cpu/cpu.cfs_quota_us 50000
put /sys/fs/cgroup/cpu/cpu.cfs_period_us 100000
for cpu in 0 1 2 3; do
	topology $cpu $cpu $((cpu / 2 * 2))-$((cpu / 2 * 2 + 1))
	cache $cpu 0 1 Data 49152 $cpu
	cache $cpu 1 2 Unified 1G $cpu
	cache $cpu 3 3 Unified 16M $((cpu / 2 * 2))-$((cpu / 2 * 2 + 1))
done
described '{"cpu_vendor":"AuthenticAMD","sockets":2,"cores":4,"logical_cpus":4,' \
	'"cpu_quota":0.5,"numa_nodes":1,"l1d_bytes":49152,"l2_bytes":1073741824,' \
	'"l3_bytes":16777216,"cache_bytes":33554432,"cache_from":"sysfs","turbo":false,' \
	'"huge_pages":"always","virtualized":true}'

machine=arm
put /proc/cpuinfo 'processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\nprocessor\t: 1
CPU implementer\t: 0x41\nCPU part\t: 0xd40'
put /sys/kernel/mm/transparent_hugepage/enabled never
put /sys/devices/system/node/online ,
put /sys/fs/cgroup/cpu.max 'max 100000'
put $cpus/cpufreq/boost 1
cache 0 0 4 Unified 1M 0
mkdir -p "$machine$cpus/cpu1"
described '{"cpu":"Neoverse-N1 + Neoverse-V1","cpu_vendor":"0x41","cpu_part":"0xd0c",' \
	'"logical_cpus":2,"cache_bytes":1048576,"cache_from":"sysfs","turbo":true}'
echo "nosys: $passed passed, $failed failed"
[ $failed = 0 ]

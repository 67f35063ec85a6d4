#!/bin/bash
# slurm.sh GPUBENCH -- runs scripts/sweep.slurm on a real one-node Slurm, started here on the
# loopback interface (as root; Debian: slurm-wlm munge).  One of four tasks is killed half-way and
# requeued.  The merged keys must be those of the whole sweep, each once.
set -eu
gpubench=$(realpath "$1")
script=$(realpath "$(dirname "$0")/../scripts/sweep.slurm")
for program in slurmctld slurmd munged; do
	PATH=$PATH:/usr/sbin command -v $program >/dev/null || {
		echo "slurm: skipped, there is no $program"
		exit 0
	}
done
[ "$(id -u)" = 0 ] || { echo "slurm: skipped, its daemons must be started by root"; exit 0; }

scratch=$(mktemp -d)
host=$(hostname -s)
export SLURM_CONF=$scratch/slurm.conf PATH=$PATH:/usr/sbin
mkdir "$scratch/state" "$scratch/spool"
cat >"$SLURM_CONF" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldLogFile=$scratch/ctld.log
SlurmdLogFile=$scratch/d.log
SlurmctldPidFile=$scratch/ctld.pid
SlurmdPidFile=$scratch/d.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobRequeue=1
MinJobAge=300
SchedulerParameters=sched_min_interval=100000
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
END
if ! munge -n >/dev/null 2>&1; then
	mkdir -p /run/munge
	chown munge /run/munge
	runuser -u munge -- munged
	sleep 1
fi
slurmctld -D >"$scratch/ctld.out" 2>&1 &
controller=$!
slurmd -D >"$scratch/d.out" 2>&1 &
node=$!
trap 'scancel --quiet --user=root || :; kill $node $controller 2>/dev/null || :; wait
rm -rf "$scratch"' EXIT

wait_until() { # SECONDS WHAT COMMAND...
	local end=$((SECONDS + $1)) what=$2
	shift 2
	until "$@"; do
		[ $SECONDS -lt $end ] || {
			echo "slurm: FAILED, $what"
			tail -n 5 "$scratch"/*.log
			exit 1
		}
		sleep 0.2
	done
}
idle() { sinfo -h -o %T 2>/dev/null | grep -q '^idle'; }
records() {
	[ "$(cat "$scratch"/out/shard-1.jsonl 2>/dev/null | grep -c '"type":"record"')" -ge "$1" ]
}
finished() { [ -z "$(squeue -h 2>/dev/null)" ]; }
wait_until 60 "no node after a minute" idle

words=(radix cpu/best cpu/lsd8 --count=1k,2k,4k,8k,16k,32k --threads=1 --max-time=3)
export GPUBENCH=$gpubench GPUBENCH_OUT=$scratch/out
job=$(cd "$scratch" && sbatch --parsable --array=1-4 "$script" "${words[@]}")
wait_until 60 "the first task has not begun" records 1
scontrol requeue "${job}_1"
wait_until 180 "the tasks have not ended" finished
restarts=$(grep -c '"type":"run"' "$scratch/out/shard-1.jsonl")

cat "$scratch"/out/shard-*.jsonl >"$scratch/merged.jsonl"
"$gpubench" "${words[@]}" --samples=1 --quiet -o "$scratch/whole.jsonl"
for file in merged whole; do
	grep -o '"key":"[^"]*"' "$scratch/$file.jsonl" | sort >"$scratch/$file.keys"
done
diff "$scratch/merged.keys" "$scratch/whole.keys" || { echo "slurm: FAILED, other keys"; exit 1; }
[ "$restarts" -ge 2 ] || { echo "slurm: FAILED, the requeued task did not start again"; exit 1; }
echo "slurm: 4 tasks, one requeued: $(wc -l <"$scratch/merged.keys") keys, each once"

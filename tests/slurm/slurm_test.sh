#!/usr/bin/env bash
# A study on a real Slurm: controller and daemon on this machine, set up and taken down here. One
# task is cancelled before its runs and one is killed in the middle of them; they are named, given
# to Slurm again, and the answers are those of a local run. Prints what tasks cost besides runs.
# Usage: slurm_test.sh HIGHWATER. Exit code 77: Slurm cannot be run here, so nothing was tested.
set -euo pipefail
highwater=$(realpath "$1")
skip() { echo "slurm_test: skipped: $1"; exit 77; }
[[ $(id -u) -eq 0 ]] || skip "the daemons need root"
for program in munged slurmctld slurmd sbatch squeue scancel; do
  PATH=$PATH:/usr/sbin:/sbin command -v $program >/dev/null || skip "there is no $program"
done
export PATH=$PATH:/usr/sbin:/sbin

work=$(mktemp -d)
chmod 755 "$work"
daemons=()
clean() {
  scancel --user=root 2>/dev/null || true
  { kill -9 "${daemons[@]}" && wait "${daemons[@]}"; } 2>/dev/null || true
  [[ -z ${munge:-} ]] || kill "$munge" 2>/dev/null || true
  rm -rf "$work"
}
trap clean EXIT

# Ports of this process's own, so that two of these do not meet.
port=$((20000 + $$ % 20000))
if ! munge -n >/dev/null 2>&1; then
  [[ -s /etc/munge/munge.key ]] || mungekey --create --force 2>/dev/null ||
    skip "munge has no key"
  install -d -o munge /run/munge /var/log/munge /var/lib/munge
  chown munge: /etc/munge /etc/munge/munge.key
  setpriv --reuid=munge --regid=munge --clear-groups munged --force ||
    skip "munged does not start"
  munge=$(cat /run/munge/munged.pid)
  munge -n >/dev/null 2>&1 || skip "munge does not answer"
fi
host=$(hostname -s)
cat > "$work/slurm.conf" <<CONF
ClusterName=highwater
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
MinJobAge=600
Prolog=$work/clock.sh
Epilog=$work/clock.sh
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP
CONF
mkdir "$work/state" "$work/spool"
printf '#!/bin/sh\necho "$SLURM_JOB_ID $(date +%%s.%%N)" >> %s/clock\n' "$work" > "$work/clock.sh"
chmod 755 "$work/clock.sh"
export SLURM_CONF=$work/slurm.conf
slurmctld -D -c -f "$SLURM_CONF" >/dev/null 2>&1 & daemons+=($!)
slurmd -D -N "$host" -f "$SLURM_CONF" >/dev/null 2>&1 & daemons+=($!)
for _ in $(seq 120); do
  if sinfo -h -o %t 2>/dev/null | grep -q idle; then break; fi
  sleep 0.5
done
sinfo -h -o %t 2>/dev/null | grep -q idle ||
  { tail -5 "$work"/*.log; skip "the node does not become idle"; }

cd "$work"
cat > study.toml <<'STUDY'
models = ["samples:resnet50", "samples:squeezenet", "samples:mobilenet_v1", "samples:inception_v3"]
allocators = ["best", "free-list", "greedy-by-size"]
platform = ["generic-npu"]
l2 = {from = "256KiB", to = "4MiB", steps = 9, scale = "log"}
channels = [1, 2, 4]
dma = {from = "2GB/s", to = "32GB/s", steps = 12, scale = "log"}
align = [16, 64]
STUDY
answers() {
  "$highwater" study "$1" --format csv --sql \
    "select identity, state, status, fits, peak, latency_ps, moved_bytes from runs order by 1"
}
fail() { echo "slurm_test: $1"; exit 1; }
# Until the command succeeds.
wait_for() {
  for _ in $(seq 2400); do
    if "$@"; then return 0; fi
    sleep 0.05
  done
  squeue
  fail "waited for '$*'"
}
# Tasks that wait or run, of all jobs or of those that squeue is told.
queued() { squeue -h --array "$@" 2>/dev/null; }
ended() { [[ -z $(queued "$@") ]]; }

"$highwater" sweep study.toml -o local.db -q
answers local.db > local.csv

sweep=("$highwater" sweep study.toml -o all.db)
slurm=("${sweep[@]}" --engine slurm --threads 1)
"${slurm[@]}" --tasks 4 --sbatch "--time=5 --hold"
job=$(cut -d' ' -f1 all.db.shards/job)
scancel "${job}_3"
scontrol release "$job" || true

# Of the two that run beside each other, the one that tells first that it is amid its runs.
amid() {
  for killed in 1 2; do
    pid=$(sed -n 's/^running: [1-9].* process //p' "all.db.shards/shard-$killed.status" 2>/dev/null)
    [[ -z $pid ]] || return 0
  done
  return 1
}
wait_for amid
kill -9 "$pid" $(pgrep -P "$pid")
task_ended() { ! queued -j "$job" -o %K | grep -qx "$killed"; }
wait_for task_ended
code=0
"${sweep[@]}" --collect all.db.shards 2> errors.txt || code=$?
[[ $code -eq 1 ]] || { cat errors.txt; fail "a missing shard ends with $code, not 1"; }
grep -q "shard 3: not begun (all.db.shards/shard-3.log)" errors.txt &&
  grep -q "shard $killed: running: .* process $pid (all.db.shards/shard-$killed.log)" errors.txt ||
  { cat errors.txt; fail "shards 3 and $killed are not named"; }
"${slurm[@]}" --resume --sbatch "--time=5 --hold" | tee again.txt
grep -q "with 2 tasks" again.txt || fail "not the two tasks that died are run again"
"${slurm[@]}" --resume | grep -q "no task is to be run again" ||
  fail "a task that waits is given to Slurm once more"
scontrol release "$(sed 's/.*: job \([0-9]*\) .*/\1/' again.txt)"
wait_for ended
for _ in 1 2; do "${sweep[@]}" --collect all.db.shards; done
answers all.db > all.csv
cmp local.csv all.csv || fail "the answers are not those of a local run"

# What a task takes besides its runs: from the prolog of Slurm to its epilog, without them.
rm clock
printf '%s\n' 'models = "samples:resnet50"' 'allocators = ["best", "free-list"]' 'align = [1, 16]' \
  'order = ["given", "least-peak"]' 'alias = ["views", "all"]' > small.toml
"$highwater" sweep small.toml -o small.db --engine slurm --tasks 8 --threads 1
wait_for ended
"$highwater" sweep small.toml -o small.db --collect small.db.shards
runs=$("$highwater" study small.db --format csv --sql "select sum(seconds) from runs" | tail -1)
awk -v runs="$runs" '
  $1 in first { all += $2 - first[$1]; ++tasks } { first[$1] = $2 }
  END { printf "slurm_test: %d tasks take %.2f s each (wanted 1) besides their runs\n", tasks,
               (all - runs) / tasks }' clock
echo "slurm_test: passed"

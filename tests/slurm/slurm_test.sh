#!/usr/bin/env bash
# A study on a real Slurm: controller and daemon on this machine, set up and taken down here. One
# task is killed, collected around, and run again; then the answers are those of a local run.
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
  for daemon in "${daemons[@]}"; do kill -9 "$daemon" 2>/dev/null || true; done
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
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=60 State=UP
CONF
mkdir "$work/state" "$work/spool"
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
models = ["samples:resnet8", "samples:squeezenet", "samples:mobilenet_v1"]
allocators = ["best", "free-list", "greedy-by-size"]
platform = ["generic-npu"]
l2 = {from = "256KiB", to = "4MiB", steps = 9, scale = "log"}
channels = [1, 2, 4]
STUDY
answers() {
  "$highwater" study "$1" --format csv --sql \
    "select model, allocator, l2, channels, state, peak, latency_ps from runs order by 1, 2, 3, 4"
}
fail() { echo "slurm_test: $1"; exit 1; }

"$highwater" sweep study.toml -o local.db -q
answers local.db > local.csv

# Six tasks; one of them is killed before it has begun its runs.
sweep=("$highwater" sweep study.toml -o all.db)
"${sweep[@]}" --engine slurm --tasks 6 --threads 1 --sbatch "--time=5 --hold"
job=$(cut -d' ' -f1 all.db.shards/job)
scancel "${job}_3"
scontrol release "$job" || true
wait_for() {
  for _ in $(seq 240); do
    [[ -n $(squeue -h -j "$1" 2>/dev/null) ]] || return 0
    sleep 0.5
  done
  squeue
  fail "job $1 does not end"
}
wait_for "$job"
code=0
"${sweep[@]}" --collect all.db.shards 2> errors.txt || code=$?
[[ $code -eq 1 ]] || { cat errors.txt; fail "a missing shard ends with $code, not 1"; }
grep -q "shard 3: not begun" errors.txt || { cat errors.txt; fail "shard 3 is not named"; }
"${sweep[@]}" --engine slurm --resume --threads 1 --sbatch "--time=5"
again=$(cut -d' ' -f1 all.db.shards/job)
[[ $again != "$job" ]] || fail "nothing was given to Slurm again"
wait_for "$again"
[[ $(ls all.db.shards/shard-*.log | wc -l) -ge 6 ]] || fail "a task has no log"
for _ in 1 2; do "${sweep[@]}" --collect all.db.shards; done
answers all.db > all.csv
cmp local.csv all.csv || fail "the answers are not those of a local run"
echo "slurm_test: passed"

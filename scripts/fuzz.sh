#!/usr/bin/env bash
# Fuzzes one reader with libFuzzer and AddressSanitizer, seeded from tests/fuzz/seeds, the models
# that come with the program and, where there is one, the corpus of models.
# Usage: scripts/fuzz.sh TARGET [SECONDS [--quiet]]; TARGET as in tests/fuzz/targets.txt. With
# --quiet the program must be built, the seed is fixed, a finding counts only if its input alone
# repeats it, and its report is written to build/fuzz/TARGET.finding.
# An input is a finding when it crashes, leaks, takes over 5 s or asks for 1 GiB at once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=$1
seconds=${2:-60}
quiet=${3:-}
if [[ -z $quiet ]]; then scripts/build.sh asan "fuzz_$target"; fi
found=build/fuzz/found/$target
models=build/fuzz/models/$target
mkdir -p "$found" "$models"

# Small files only: mutations of a large file mostly hit its weights, and each run takes longer.
corpus=${HIGHWATER_CORPUS:-../shared/corpus}
folders=()
case $target in
  json) folders=(sample_graphs) endings='*.graph.json' ;;
  toml) folders=(core/machine/presets) endings='*.toml' ;;
  csv) folders=("$corpus/csv" sample_graphs) endings='*.csv' ;;
  foreign | machine) folders=("$corpus/foreign") endings='*' ;;
  onnx | tflite) folders=("$corpus/$target") endings="*.$target" ;;
esac
for folder in "${folders[@]}"; do
  if [[ ! -d $folder ]]; then continue; fi
  find "$folder" -type f -name "$endings" -size -100k -exec cp --backup=numbered -t "$models" {} +
done

program=build/asan/tests/fuzz_$target
limits=(-timeout=5 -rss_limit_mb=2048 -malloc_limit_mb=1024 -max_len=10000000)
run() {
  "$program" -max_total_time="$seconds" "${limits[@]}" -print_final_stats=1 \
    -artifact_prefix="$found/" "$@" "$found" "tests/fuzz/seeds/$target" "$models"
}
if [[ -z $quiet ]]; then
  run
  exit
fi

# Prints the finding, its stack, and the input in base64 if it is short, for the end of a log.
tell() {
  echo "fuzz $target: $2 $(basename "$1")"
  { grep -E '^SUMMARY|ERROR: |runtime error|^ +#[0-9]+ .* in hw::' "$3" || true; } | head -n 8
  if [[ $(stat -c %s "$1") -le 3000 ]]; then echo "base64: $(base64 -w 0 "$1")"; fi
}
log=build/fuzz/$target.log
finding=build/fuzz/$target.finding
rm -f "$finding"
if run -seed=1 >"$log" 2>&1; then
  echo "fuzz $target: $(grep -E '^Done' "$log")"
  exit
fi
# A time-out that does not repeat was the machine's fault.
input=$(grep -oE "$found/(crash|timeout|oom|leak)-[0-9a-f]+" "$log" | head -n 1) || {
  tail -n 60 "$log" | tee "$finding"
  exit 1
}
if "$program" "${limits[@]}" "$input" >"$log.again" 2>&1; then
  tell "$input" "did not happen again:" "$log"
else
  tell "$input" "found" "$log.again" | tee "$finding"
  exit 1
fi

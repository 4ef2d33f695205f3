#!/usr/bin/env bash
# Fuzzes one reader with libFuzzer and AddressSanitizer, seeded from tests/fuzz/seeds, the models
# that come with the program and, where there is one, the corpus of models.
# Usage: scripts/fuzz.sh TARGET [SECONDS [--quiet]]; TARGET as in tests/fuzz/targets.cpp. With
# --quiet the program is there already, and only the end of its log is shown.
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

# Small files only: changing a large one mostly changes weights, slowly.
corpus=${HIGHWATER_CORPUS:-../shared/corpus}
folders=()
case $target in
  json) folders=(sample_graphs) endings='*.graph.json' ;;
  toml) folders=(core/machine/presets) endings='*.toml' ;;
  csv) folders=("$corpus/csv" sample_graphs) endings='*.csv' ;;
  foreign) folders=("$corpus/foreign") endings='*' ;;
  onnx | tflite) folders=("$corpus/$target") endings="*.$target" ;;
esac
for folder in "${folders[@]}"; do
  if [[ ! -d $folder ]]; then continue; fi
  find "$folder" -type f -name "$endings" -size -100k -exec cp --backup=numbered -t "$models" {} +
done

run() {
  "build/asan/tests/fuzz_$target" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 \
    -malloc_limit_mb=1024 -max_len=10000000 -print_final_stats=1 -artifact_prefix="$found/" \
    "$found" "tests/fuzz/seeds/$target" "$models"
}
if [[ -z $quiet ]]; then
  run
else
  log=build/fuzz/$target.log
  run >"$log" 2>&1 || { tail -n 60 "$log"; exit 1; }
  echo "fuzz $target: $(grep -E '^Done' "$log")"
fi

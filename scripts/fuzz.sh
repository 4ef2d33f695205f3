#!/usr/bin/env bash
# Fuzzes one reader with libFuzzer and AddressSanitizer, seeded from tests/fuzz/seeds and, where
# there is one, the corpus of models. Usage: scripts/fuzz.sh TARGET [SECONDS]; TARGET as in
# tests/fuzz/targets.cpp.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=$1
seconds=${2:-60}
scripts/build.sh fuzz "fuzz_$target"
found=build/fuzz/found/$target
mkdir -p "$found"
seeds=("$found" "tests/fuzz/seeds/$target")
corpus=${HIGHWATER_CORPUS:-../shared/corpus}
if [[ -d $corpus/$target ]]; then seeds+=("$corpus/$target"); fi
exec "build/fuzz/tests/fuzz_$target" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=1024 \
  -max_len=10000000 -artifact_prefix="$found/" "${seeds[@]}"

#!/usr/bin/env bash
# Drives the studio through a whole session, with keys and clicks, on samples and on models of
# yours, in both themes, at three sizes and at twice the pixels, and leaves its screenshots.
# Usage: scripts/tour.sh [FOLDER [MODEL…]]   (default: build/tour, and models of the corpus where
# there is one: a large model, one with free dimensions, one with two signatures)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ ${1:-} == -* ]]; then
  sed -n '2,5s/^# //p' "scripts/tour.sh"
  [[ $1 == -h || $1 == --help ]] && exit 0
  echo "tour: no option '$1'" >&2
  exit 2
fi
folder=${1:-build/tour}
models=("${@:2}")
corpus=${HIGHWATER_CORPUS:-../shared/corpus}
if [[ ${#models[@]} -eq 0 ]]; then
  for model in onnx/light_densenet121.onnx onnx/genai_tiny_lfm2_decoder.onnx \
    tflite/aeq_toy_kv_cache_multi_sig.tflite; do
    [[ -f $corpus/$model ]] && models+=("$corpus/$model")
  done
fi
scripts/build.sh release studio_tour
status=0
for theme in light dark; do
  while read -r width height scale; do
    QT_SCALE_FACTOR=$scale build/release/tests/studio_tour "$folder/$theme-$width-x$scale" \
      "$theme" "$width" "$height" "${models[@]}" || status=1
  done <<'SIZES'
1920 1080 1
1366 768 1
1024 700 1
1366 768 2
SIZES
done
echo "tour: the pictures are in $folder"
exit "$status"

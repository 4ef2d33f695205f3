#!/usr/bin/env bash
# Drives the studio through a whole session, with keys and clicks, on samples and on models of
# yours, in both themes, large and small, and leaves its screenshots.
# Usage: scripts/tour.sh [FOLDER [MODEL…]]   (default: build/tour, and light_densenet121 of the
# corpus where there is one)
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
if [[ ${#models[@]} -eq 0 && -f $corpus/onnx/light_densenet121.onnx ]]; then
  models=("$corpus/onnx/light_densenet121.onnx")
fi
scripts/build.sh release studio_tour
status=0
while read -r name theme width height; do
  build/release/tests/studio_tour "$folder/$name" "$theme" "$width" "$height" "${models[@]}" ||
    status=1
done <<'SIZES'
light light 1920 1080
dark dark 1920 1080
small light 1280 800
SIZES
echo "tour: the pictures are in $folder"
exit "$status"

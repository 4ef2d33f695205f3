#!/usr/bin/env bash
# Writes the pages of docs/lessons and the pictures that play in docs/pictures/stages with the
# program itself: the same program, the same bytes.
# Usage: scripts/make_lessons.sh [BUILD_FOLDER]   (default build/release)
set -euo pipefail
cd "$(dirname "$0")/.."
highwater=${1:-build/release}/app/cli/highwater
[ -x "$highwater" ] || { echo "make_lessons: no $highwater: build it" >&2; exit 2; }
mkdir -p docs/lessons docs/pictures/stages

lesson() { # METHOD MODEL [OPTION…]
  local method=$1 model=$2
  shift 2
  "$highwater" lesson "$method" -o "docs/lessons/$method.html"
  "$highwater" plan "$model" --allocator "$method" --align 1 --alias none "$@" --quiet \
    --stage "docs/pictures/stages/$method.svg" > /dev/null
}

for method in block-id two-sided free-list placement-search greedy-by-size; do
  lesson "$method" samples:inception
done
lesson partition samples:two_devices --platform two-devices

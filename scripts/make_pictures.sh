#!/usr/bin/env bash
# Draws the pictures of docs/ with the studio itself: the same program, the same bytes.
# Usage: scripts/make_pictures.sh [BUILD_FOLDER]   (default build/release)
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
studio=$build/app/gui/highwater-studio
folder=docs/pictures/methods
[ -x "$studio" ] || { echo "make_pictures: no studio at $studio: build it first" >&2; exit 2; }
mkdir -p "$folder"

draw() { # NAME ALLOCATOR MODEL [OPTION…]
  local name=$1 allocator=$2 model=$3
  shift 3
  "$studio" --export "$folder/$name.svg" --view map --size 900x420 --theme light --align 1 \
    --alias none --allocator "$allocator" "$@" "$model"
}

for sample in chain residual inception; do
  for allocator in block-id two-sided free-list placement-search; do
    draw "${sample}_$allocator" "$allocator" "samples:$sample"
  done
done
draw two_devices_partition partition samples:two_devices --platform two-devices
"$build/app/cli/highwater" compare samples:squeezenet --platform hexagon-vtcm \
  --weights prefetch --picture docs/pictures/machine_squeezenet.svg --quiet \
  --allocators best,greedy-by-size,two-sided,free-list,in-order,idle-longest,best:for=latency \
  > /dev/null
# docs/guides/less.md: one network from its lower bound to a tenth of it.
less=docs/pictures/less
mkdir -p "$less"
step() { # NAME [OPTION…]
  local name=$1
  shift
  "$studio" --export "$less/$name.png" --view map --size 1100x380 --theme light --footer no \
    --l2 unlimited "$@" samples:mobilenet_v2_int8
}
step plain
step in_place --alias all
step lines --tile lines
step rows --tile lines --inputs rows
"$build/app/cli/highwater" shrink samples:mobilenet_v2_int8 --quiet --picture "$less/front.svg" \
  > /dev/null
# Two plans of one size on one machine, and how fast within how much memory.
board=(--platform docs/pictures/board.toml --weights prefetch --inputs loaded)
"$studio" --export docs/pictures/two_plans.png --view views --size 1400x1150 --theme light \
  --axis time --footer no "${board[@]}" --l2 6308352 --allocator best \
  --below best:for=latency samples:squeezenet
"$studio" --export docs/pictures/late_input.png --view views --size 1100x1000 --theme light \
  --axis time --footer no --platform one-engine --residency belady --align 1 --l2 120 \
  --allocator greedy-by-size --below best:for=latency samples:late_input
"$build/app/cli/highwater" front samples:squeezenet "${board[@]}" --quiet \
  --picture docs/pictures/front_squeezenet.svg > /dev/null
# docs/constraints.md: a problem for each picture.
constraints=docs/pictures/constraints
mkdir -p "$constraints"
rules() { # PROBLEM VIEW HEIGHT [OPTION…]
  local problem=$1 view=$2 height=$3
  shift 3
  "$studio" --export "$constraints/$problem.svg" --view "$view" --size "760x$height" --theme light \
    --footer no "$@" "docs/figures/constraints/$problem.csv"
}
rules apart map 260 --select key
rules exclusive map 260 --select then
rules together map 260 --select first
rules penalty map 260 --allocator best:for=penalty --l2 platform --select c
rules allowed map 420 --l2 platform
rules reserved map 260
rules conflicts conflicts 340
window() { # FILE [OPTION…]
  local file=$1
  shift
  "$studio" --export "docs/pictures/$file" --theme light --l2 2MiB "$@"
}
window studio_resnet50.png --view window --size 1600x960 samples:resnet50
study=$(mktemp -d)
trap 'rm -rf "$study"' EXIT
sed -n '/^```toml$/,/^```$/{//!p}' docs/guides/studies.md > "$study/study.toml"
"$build/app/cli/highwater" sweep "$study/study.toml" -o "$study/npu-sizing.db" --quiet
"$studio" --export docs/pictures/study.png --theme light --view window --size 1600x1000 \
  "$study/npu-sizing.db"
window run.webp --view views --size 1100x620 samples:resnet50
window compare_inception.png --view window --size 1500x900 --panel compare --below free-list \
  samples:inception_v3
window improve_inception.png --view window --size 1500x900 --panel shrink samples:inception_v3

# Pictures of the tour for docs/guides/pictures.md.
tour=build/tour
scripts/tour.sh "$tour"
mkdir -p docs/pictures/tour
pick() { # THEME-WIDTH-xSCALE PICTURE NAME
  cp "$tour/$1/"??"_$2.png" "docs/pictures/tour/$3.png"
}
pick light-1366-x1 selected selected
pick dark-1920-x1 below below
pick light-1366-x1 capacity capacity
pick light-1366-x1 graph graph
pick light-1920-x1 devices devices
if [ -n "$(find "$tour/light-1920-x1" -name '*_light_densenet121.png')" ]; then
  pick light-1920-x1 light_densenet121 densenet
fi

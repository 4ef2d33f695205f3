#!/usr/bin/env bash
# Configures a preset if it needs that, then builds. Usage: scripts/build.sh PRESET [TARGET…]
# HIGHWATER_GUI=OFF leaves the studio out; with CI set, warnings of the release build are errors.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=$1
shift
tree=build/$preset
gui=${HIGHWATER_GUI:-ON}
if [[ $preset == asan ]]; then gui=OFF; fi
werror=OFF
# Only the g++ build treats warnings as errors: clang warns of other things.
if [[ -n ${CI:-} && $preset == release ]]; then werror=ON; fi

# True when the tree was configured, here and with these options, or stricter on warnings. Ninja
# itself notices changed CMake files and new sources.
is_configured() {
  [[ -f $tree/build.ninja ]] &&
    grep -qx "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$tree/CMakeCache.txt" &&
    grep -qx "HIGHWATER_GUI:[A-Z]*=$gui" "$tree/CMakeCache.txt" &&
    grep -qE "^HIGHWATER_WERROR:[A-Z]*=(ON|$werror)$" "$tree/CMakeCache.txt"
}

# CMake refuses a tree that was made for another folder: a clone that was moved starts afresh.
if [[ -f $tree/CMakeCache.txt ]] &&
  ! grep -qx "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$tree/CMakeCache.txt"; then
  rm -rf "$tree"
fi
is_configured ||
  cmake --preset "$preset" "-DHIGHWATER_GUI=$gui" "-DHIGHWATER_WERROR=$werror"

targets=()
if [[ $# -gt 0 ]]; then targets=(--target "$@"); fi
cmake --build "$tree" --parallel "$(nproc)" "${targets[@]}"

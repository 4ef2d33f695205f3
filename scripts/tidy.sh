#!/usr/bin/env bash
# Runs clang-tidy over what changed since BASE, each source on its own: a tree is configured for it
# (build/tidy) that shares no headers between sources, and nothing is built in it.
# Usage: scripts/tidy.sh [BASE]
#   BASE                    a commit; default: the newest that is twelve hours older than HEAD;
#                           without any, all sources are checked
#   HIGHWATER_TIDY_SECONDS  start no file after this long (default 300); says what was left out
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

base=${1:-$(git rev-list -1 --min-age=$(($(git log -1 --format=%ct) - 12 * 3600)) HEAD)}
tree=build/tidy
budget=${HIGHWATER_TIDY_SECONDS:-300}
if [[ -n $base ]] && ! git rev-parse -q --verify "$base^{commit}" >/dev/null; then
  echo "tidy: there is no commit '$base'" >&2
  exit 2
fi
cmake --preset release -B "$tree" -DHIGHWATER_UNITY=OFF -DHIGHWATER_PRECOMPILE=OFF \
  "-DHIGHWATER_GUI=${HIGHWATER_GUI:-ON}" >/dev/null

# The sources to look at: those that changed, and for a changed header its own source or, when it
# has none, the first source that includes it.
changed_sources() {
  if [[ -z $base ]]; then
    git ls-files 'core/*.cpp' 'widgets/*.cpp' 'app/*.cpp'
    return
  fi
  git diff --name-only --diff-filter=d "$base" -- core widgets app | while read -r file; do
    case $file in
      *.cpp) echo "$file" ;;
      *.h)
        if [[ -f ${file%.h}.cpp ]]; then
          echo "${file%.h}.cpp"
        else
          git grep -lF "#include \"$file\"" -- 'core/*.cpp' 'widgets/*.cpp' 'app/*.cpp' |
            head -n 1 || true
        fi ;;
    esac
  done
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Shuffled with the commit as the seed, so that another commit checks other files first.
git rev-parse HEAD >"$work/seed"
changed_sources | sort -u | while read -r file; do
  if grep -qF "\"file\": \"$PWD/$file\"" "$tree/compile_commands.json"; then echo "$file"; fi
done | awk -v seed="$(cksum <"$work/seed" | cut -d' ' -f1)" \
  'BEGIN { srand(seed) } { print rand() "\t" $0 }' | sort | cut -f2 >"$work/files"

export WORK=$work TREE=$tree DEADLINE=$(($(date +%s) + budget))
look_at() {
  if [[ $(date +%s) -ge $DEADLINE ]]; then
    echo "$1" >>"$WORK/left_out"
  elif ! clang-tidy-14 --quiet --extra-arg=-Wno-unknown-warning-option -p "$TREE" "$1" \
    >"$WORK/log.$$" 2>/dev/null; then
    { echo "$1"; } >>"$WORK/failed"
    cat "$WORK/log.$$"
  fi
}
export -f look_at
xargs -r -P "$(nproc)" -I{} bash -c 'look_at "$1"' _ {} <"$work/files"

count() { if [[ -f $1 ]]; then wc -l <"$1"; else echo 0; fi; }
total=$(count "$work/files")
left_out=$(count "$work/left_out")
failed=$(count "$work/failed")
if [[ $left_out -gt 0 ]]; then
  echo "tidy: $left_out of $total changed files NOT looked at: $budget s were over"
  sort "$work/left_out" | sed 's/^/  /'
fi
echo "tidy: $((total - left_out)) files, $failed with findings"
# Findings fail the stage only if all files were checked; otherwise they are listed.
[[ $failed -eq 0 || $left_out -gt 0 ]]

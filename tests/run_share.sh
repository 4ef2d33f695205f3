#!/usr/bin/env bash
# Runs a share of the tests of a Catch program in one process: under sanitizers a program takes
# longer to start than most tests to run. Usage: run_share.sh PROGRAM SHARE SHARES
# The last line with a duration tells behind which test it ended, where it did not end by itself.
set -euo pipefail
names=$(mktemp)
trap 'rm -f "$names"' EXIT
# The listing has the number of tests as its exit code; in a list of names [ ] , and \ mean
# something else.
("$1" --list-test-names-only || true) |
  awk -v share="$2" -v shares="$3" 'NF && NR % shares == share % shares' |
  sed 's/[],\\[]/\\&/g' >"$names"
"$1" --input-file "$names" --durations yes

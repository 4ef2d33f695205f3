#!/usr/bin/env bash
# Checks that clang-format would change nothing. Usage: scripts/check_format.sh [--fix]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -t files < <(find core widgets app tests -name '*.h' -o -name '*.cpp' | sort)
if [[ ${1:-} == --fix ]]; then
  clang-format-14 -i "${files[@]}"
  exit 0
fi
clang-format-14 --dry-run --Werror "${files[@]}" || {
  echo "format: run scripts/check_format.sh --fix" >&2
  exit 1
}
echo "format: ${#files[@]} files, 0 findings"

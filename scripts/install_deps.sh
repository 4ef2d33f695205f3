#!/usr/bin/env bash
# Installs what is missing of the package groups named (see scripts/packages.txt).
# Does nothing, quickly, when all is there. Usage: scripts/install_deps.sh GROUP…
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

wanted=()
while read -r group package; do
  for asked in "$@"; do
    if [[ $group == "$asked" ]]; then wanted+=("$package"); fi
  done
done < <(grep -v '^#' "$here/packages.txt")
[[ ${#wanted[@]} -gt 0 ]] || { echo "install_deps: no package group '$*'" >&2; exit 2; }

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "install_deps: no apt here, so nothing was installed; the build needs what Debian calls:" >&2
  echo "  ${wanted[*]}" >&2
  exit 0
fi

installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null |
  sed -n 's/^installed //p' | tr '\n' ' ' || true) "
missing=()
for package in "${wanted[@]}"; do
  if [[ $installed != *" $package "* ]]; then missing+=("$package"); fi
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

# Ends with the reason and the command that the user can run.
give_up() {
  echo "install_deps: $1" >&2
  echo "Install these packages, then try again:" >&2
  echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
}

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null ||
    give_up "packages are missing, this is not root and there is no sudo"
  as_root=(sudo)
  # Nobody can type a password where there is no terminal.
  if [[ ! -t 0 ]]; then as_root=(sudo -n); fi
  "${as_root[@]}" true || give_up "packages are missing and sudo was refused"
fi

echo "Installing: ${missing[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
"${apt[@]}" update </dev/null || give_up "apt-get update failed: is the network there?"
"${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null ||
  give_up "apt-get could not install them: is the network there, and is this Debian 12 or later?"

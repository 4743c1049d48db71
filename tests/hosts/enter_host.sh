#!/usr/bin/env bash
# What mpiexec calls in the place of ssh: enter_host.sh [OPTION...] HOST COMMAND...
# HOSTS_AND_INITS, set by hosts.sh, says which process holds the namespaces of which host.
set -euo pipefail
while [[ $1 == -* ]]; do shift; done
host=$1
shift
init=$(tr ' ' '\n' <<<"$HOSTS_AND_INITS" | sed -n "s/^$host://p")
if [ -z "$init" ]; then
  echo "enter_host.sh: there is no host '$host' among:$HOSTS_AND_INITS" >&2
  exit 1
fi
# Like ssh, the words are joined and read again by a shell at the other end.
exec nsenter --target "$init" --net --uts --ipc --pid --mount --wdns="$PWD" sh -c "$*"

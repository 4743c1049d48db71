#!/usr/bin/env bash
# Runs a program under mpiexec on several "hosts" of this one machine: each has its own network, host name, IPC, process
# and mount namespace, and a rate-limited link to a switch. Everything lives inside one outer set of namespaces, so
# nothing of this machine's network is touched, runs may overlap, and all of it vanishes with this script's process.
#
# Separate IPC and PID namespaces are needed, not only networks: otherwise the MPI library finds that the hosts share
# memory and sends nothing over the wire. The wire's bytes are counted and can be asserted.
#
# usage: hosts.sh [--hosts 2] [--per-host 2] [--rate 1gbit|none] [--least-wire-bytes 0] [--seconds 100] [--shim LIB]
#                 [--env NAME=VALUE]... PROGRAM [ARG...]
#
# --rate is for each direction of each link. --shim is tests/hosts/finalize_shim.c, built by Meson; it says why it exists.
# Exit status: the program's; 1 if fewer bytes crossed the switch than asserted; 77, which Meson takes as "skipped", after
# saying what this machine refuses.
set -euo pipefail

network=10.91.0 # visible inside the namespaces only
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

skip() {
  printf '\n*** hosts.sh: SKIPPED, NOT TESTED: %s\n' "$*" >&2
  exit 77
}

hosts=2 per_host=2 rate=1gbit least_wire_bytes=0 seconds=100
environment=()
parse() {
  while [ $# -gt 0 ]; do
    case $1 in
      --hosts) hosts=$2 ;;
      --per-host) per_host=$2 ;;
      --rate) rate=$2 ;;
      --least-wire-bytes) least_wire_bytes=$2 ;;
      --seconds) seconds=$2 ;;
      --shim) environment+=(-genv LD_PRELOAD "$(readlink -f "$2")") ;;
      --env) environment+=(-genv "${2%%=*}" "${2#*=}") ;;
      --*) echo "hosts.sh: unknown option $1" >&2 && exit 2 ;;
      *) break ;;
    esac
    shift 2
  done
  program=("$@")
  [ $# -gt 0 ] || { echo "hosts.sh: which program?" >&2 && exit 2; }
}

# ------------------------------------------------------------------------------------------- outside: may we do this?
isolate=(unshare --net --mount --uts --ipc --pid --fork --kill-child --mount-proc)

require_permission() {
  local tool
  [ "$(id -u)" = 0 ] || skip "namespaces and links need root"
  for tool in ip tc unshare nsenter mpiexec timeout; do
    command -v "$tool" >/dev/null || skip "there is no '$tool'; install iproute2, util-linux and mpich"
  done
  "${isolate[@]}" true 2>/dev/null || skip "the kernel or the container refuses namespaces (CAP_SYS_ADMIN)"
  "${isolate[@]}" bash -c 'ip link add name switch type bridge && ip link add name a type veth peer name b' 2>/dev/null ||
    skip "the kernel has no bridge or veth"
  [ "$rate" = none ] || "${isolate[@]}" tc qdisc add dev lo root tbf rate "$rate" burst 256kb limit 4mb 2>/dev/null ||
    skip "the kernel has no tbf queue for --rate $rate"
}

# ------------------------------------------------------------------------------------------------- inside: the switch
limit() { # DEVICE [nsenter ...]
  local device=$1
  shift
  [ "$rate" = none ] || "$@" tc qdisc add dev "$device" root tbf rate "$rate" burst 256kb limit 4mb
}

start_switch() {
  ip link set lo up
  ip link add name switch type bridge
  ip addr add "$network.254/24" dev switch
  ip link set switch up
  {
    echo "127.0.0.1 localhost"
    for ((i = 1; i <= hosts; ++i)); do echo "$network.$i h$i"; done
  } >"$scratch/hosts"
}

# start_host NUMBER: an init process that holds the namespaces of h<NUMBER>, and its cable to the switch.
start_host() {
  local number=$1 holder ready init
  exec {ready}< <(exec "${isolate[@]}" "${BASH_SOURCE[0]}" --be-host "h$number" "$scratch/hosts")
  holder=$!
  read -r -u "$ready" _ # the host says that its name and mounts are in place
  init=$(tr -d ' ' <"/proc/$holder/task/$holder/children")
  hosts_and_inits+=" h$number:$init"
  local inside=(nsenter --target "$init" --net)
  ip link add name "port$number" type veth peer name eth0 netns "$init"
  ip link set "port$number" master switch up
  "${inside[@]}" ip addr add "$network.$number/24" dev eth0
  "${inside[@]}" ip link set eth0 up
  limit eth0 "${inside[@]}" # what the host sends
  limit "port$number"       # what it receives; matters when several send to one
}

be_host() {
  hostname "$1"
  mount --bind "$2" /etc/hosts
  mount -t tmpfs tmpfs /dev/shm
  ip link set lo up
  echo ready
  exec sleep infinity
}

# Bytes that the hosts have sent into the switch.
wire_bytes() { awk '$1 ~ /^port[0-9]+:$/ { sum += $2 } END { printf "%d", sum }' /proc/net/dev; }

run_inside() {
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 143' TERM INT
  hosts_and_inits=
  start_switch
  local names=() status=0 before sent
  for ((i = 1; i <= hosts; ++i)); do
    start_host "$i"
    names+=("h$i")
  done
  before=$(wire_bytes)
  HOSTS_AND_INITS=$hosts_and_inits timeout --kill-after=5 "$seconds" mpiexec -launcher ssh \
    -launcher-exec "$here/enter_host.sh" -localhost "$network.254" -hosts "$(IFS=, && echo "${names[*]}")" \
    -ppn "$per_host" -n $((hosts * per_host)) "${environment[@]}" "${program[@]}" </dev/null || status=$?
  sent=$(($(wire_bytes) - before))
  echo "hosts.sh: $hosts hosts x $per_host ranks at $rate: $sent bytes crossed the switch, status $status"
  if [ "$status" = 0 ] && [ "$sent" -lt "$least_wire_bytes" ]; then
    echo "hosts.sh: at least $least_wire_bytes bytes should have crossed it" >&2
    status=1
  fi
  return "$status"
}

case ${1:-} in
  --be-host) be_host "$2" "$3" ;;
  --inside)
    parse "${@:2}"
    run_inside
    ;;
  *)
    parse "$@"
    require_permission
    exec "${isolate[@]}" "${BASH_SOURCE[0]}" --inside "$@"
    ;;
esac

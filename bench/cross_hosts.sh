#!/usr/bin/env bash
# One 64 MiB allreduce over 2 hosts with 2 ranks at 1 Gbit/s, against the same bytes in both directions over one plain TCP
# connection on the same links: what the wire allows. Three times each, alternating; prints medians in ms and the ratio.
#
# usage: cross_hosts.sh BUILD_DIRECTORY        as root; the hosts are those of tests/hosts/hosts.sh
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
build=$(readlink -f "$1")
hosts=$here/../tests/hosts/hosts.sh
bytes=67108864

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The first host listens, the second connects; which one a process is on shows in its host name.
cat >"$scratch/wire" <<SCRIPT
#!/bin/sh
case \$(hostname) in
  *1) exec "$build/bench/raw_tcp" listen 0.0.0.0 7001 $bytes ;;
  *) sleep 1 && exec "$build/bench/raw_tcp" connect 10.91.0.1 7001 $bytes ;;
esac
SCRIPT
chmod +x "$scratch/wire"

median() { sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }

for _ in 1 2 3; do
  "$hosts" --hosts 2 --per-host 1 --rate 1gbit --seconds 60 "$scratch/wire" </dev/null 2>/dev/null | grep -E '^[0-9.]+$' |
    head -n 1 >>"$scratch/raw"
  "$hosts" --hosts 2 --per-host 2 --rate 1gbit --seconds 100 --shim "$build/tests/hosts/libfinalize_shim.so" \
    "$build/bench/treering_bench" --case cross --rounds 5 </dev/null 2>/dev/null |
    awk '$1 == "cross" { for (i = 2; i <= NF; ++i) if ($i + 0 > 0) { print $i; exit } }' >>"$scratch/product"
done
raw=$(median <"$scratch/raw")
product=$(median <"$scratch/product")
awk -v raw="$raw" -v product="$product" 'BEGIN {
  printf "2 hosts x 2 ranks, 1 Gbit/s, 64 MiB: raw TCP %.0f ms, treering %.0f ms, ratio %.2f (must be <= 1.25: %s)\n",
    raw, product, product / raw, product <= 1.25 * raw ? "ok" : "MISSED"
}'

#!/usr/bin/env bash
# A program outside the tree: installs a build, takes the README's first program, compiles it with nothing but what
# pkg-config says and runs it on two ranks.
#
# usage: outside_program.sh BUILD MPIEXEC
set -euo pipefail
build=$(readlink -f "$1")
mpiexec=$2
root=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

DESTDIR=$scratch meson install -C "$build" --no-rebuild --quiet
awk '/^```cpp$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' "$root/README.md" >"$scratch/first.cpp"
[ -s "$scratch/first.cpp" ] || { echo "the README has no cpp block" >&2 && exit 1; }

# The build was configured for another prefix than the scratch folder it now lies in.
PKG_CONFIG_PATH=$(dirname "$(find "$scratch" -name treering.pc)")
export PKG_CONFIG_PATH
prefix=$scratch$(pkg-config --variable=prefix treering)
read -ra flags <<<"$(pkg-config --define-variable=prefix="$prefix" --cflags --libs treering)"

cd "$scratch"
g++ -std=c++20 -Wall -Wextra -Werror first.cpp "${flags[@]}" -o first
output=$("$mpiexec" -n 2 ./first </dev/null)
echo "$output"
# Three steps with average gradients 0.5, 1.5 and 2.5 take 0.1 of each off the weight 1.
for rank in 0 1; do grep -qx "rank $rank of 2: weight 0.550" <<<"$output"; done

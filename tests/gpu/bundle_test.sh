#!/usr/bin/env bash
# What a machine without Debian's packages would do with the bundle of tests/gpu/run: configure without MPI, pkg-config
# finding nothing, and compile the files that need the bundle most.
#
# usage: bundle_test.sh ROOT
set -euo pipefail
root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$root/tests/gpu/run" --bundle "$scratch/bundle"
[ "$(du -sm "$scratch/bundle" | cut -f1)" -lt 8 ] # it travels

export PKG_CONFIG_LIBDIR=$scratch/nothing
meson setup "$scratch/build" "$root" -Dmpi=disabled -Dcuda=disabled -Dtools=false -Dbench=false -Dexamples=false \
  -Dbuildtype=plain "-Dbundle=$scratch/bundle" </dev/null
objects=()
for source in base_log topology_read_nccl_xml timeline_json_text; do
  objects+=("libtreering_core.a.p/$source.cpp.o")
done
ninja -C "$scratch/build" -j 2 "${objects[@]}"
for object in "${objects[@]}"; do
  # Nothing of fmt or spdlog may be left for a library that is not there.
  if nm -C -u "$scratch/build/$object" | grep -E '\b(fmt|spdlog)::'; then exit 1; fi
done
# The headers came from the bundle, not from /usr/include.
grep -q "$scratch/bundle/include/spdlog/logger.h" <<<"$(ninja -C "$scratch/build" -t deps "${objects[0]}")"
grep -q "$scratch/bundle/include/pugixml.hpp" <<<"$(ninja -C "$scratch/build" -t deps "${objects[1]}")"

#!/bin/sh
# Usage: level_symbols.sh LIBRARY...
# An inline function that two levels share would be kept once by the linker, perhaps in the form that this CPU cannot
# run: so each level's library may define its table and nothing else that others can see, and nothing weak.
status=0
for library in "$@"; do
  visible=$(nm "$library" | grep -E ' [A-TV-Zuvw] ' | grep -vE ' [DR] [^ ]*_kernelsE?$')
  if [ -n "$visible" ]; then
    echo "$library shares symbols with other levels:"
    echo "$visible"
    status=1
  fi
  nm "$library" | grep -qE ' [DR] [^ ]*_kernelsE?$' || { echo "$library defines no kernels"; status=1; }
done
exit $status

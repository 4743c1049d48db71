#!/bin/sh
# Runs a job in which ranks die, so that its exit status says nothing: expect.sh COUNT PATTERN COMMAND...
# passes if exactly COUNT lines (at least that many if COUNT ends in +) of its output and of the report that its ranks
# write contain PATTERN (grep's basic syntax). Ranks may outlive their launcher, so the report is waited for.
count=${1%+}
at_least=${1#"$count"}
pattern=$2
shift 2
report=$(mktemp)
trap 'rm -f "$report" "$report.out"' EXIT
"$@" --report "$report" >"$report.out" 2>&1 </dev/null
found=0
for wait in $(seq 100); do
  found=$(cat "$report.out" "$report" | grep -c -- "$pattern")
  [ "$found" -ge "$count" ] && break
  sleep 0.2
done
[ "$found" -eq "$count" ] && exit 0
[ -n "$at_least" ] && [ "$found" -gt "$count" ] && exit 0
cat "$report.out" "$report"
echo "expected $count$at_least lines with '$pattern', found $found"
exit 1

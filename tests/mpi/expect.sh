#!/bin/sh
# Runs a job in which ranks die, so that its exit status says nothing: expect.sh COUNT PATTERN COMMAND...
# passes if exactly COUNT lines of its output contain PATTERN (grep's basic syntax).
count=$1
pattern=$2
shift 2
output=$("$@" 2>&1 </dev/null)
found=$(printf '%s\n' "$output" | grep -c -- "$pattern")
[ "$found" -eq "$count" ] && exit 0
printf '%s\n' "$output"
echo "expected $count lines with '$pattern', found $found"
exit 1

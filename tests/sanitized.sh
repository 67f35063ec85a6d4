#!/bin/bash
# sanitized.sh REPORT COMMAND... -- runs COMMAND, whose sanitizers write to REPORT.<process>, and
# fails if there is any report.
#
# gcc before 14 takes one dynamic TLS block in 256 for glibc 2.19's and then reads wild addresses
# (github.com/google/sanitizers/issues/1322), hence intercept_tls_get_addr=0.
set -u
mkdir -p "$(dirname "$1")"
report=$(realpath "$1")
top=$(realpath "$(dirname "$0")")
shift
rm -f "$report".*
export ASAN_OPTIONS="log_path='$report':intercept_tls_get_addr=0"
export LSAN_OPTIONS="suppressions='$top/lsan.supp':print_suppressions=0"
export UBSAN_OPTIONS="print_stacktrace=1:log_path='$report'"
status=0
"$@" || status=$?
! cat "$report".* 2>/dev/null || status=1
exit $status

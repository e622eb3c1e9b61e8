#!/usr/bin/env bash
# All contenders in one run, and the table of docs/evidence/benchmarks/operator.md from it: bash bench/operator/compare.sh [build|n1000|n5000|informers|table]…
# `recorded` measures ours with and without the flight recorder in turns, and prints what it costs. Both have its code loaded, as every operator has.
# All parts in this order by default; each adds to the results of the same run. `fresh` before them forgets earlier results. `trial` is a run of a hundred
# resources that prints its table and leaves the page alone.
# CONTENDERS: names of contenders.json, to run these only; the floor is always among them. KUBE_BIN: the folder of etcd and kube-apiserver.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
export BENCH_BUILD=${BENCH_BUILD:-${TMPDIR:-/tmp}/ordinal-bench/build} BENCH_RUN=${BENCH_RUN:-${TMPDIR:-/tmp}/ordinal-bench/run}
export KUBE_BIN=${KUBE_BIN:-$HOME/.cache/ordinal-cluster/bin} NODE=$root/node_modules/node/bin/node
results=$BENCH_RUN/results.jsonl trial=$BENCH_RUN/trial.jsonl informers=$BENCH_RUN/informers.jsonl
mkdir -p "$BENCH_BUILD" "$BENCH_RUN"
# The harness reads its lists, and the contenders their files, from here.
cd "$here"

say() { echo "$(date +%T) $*" >&2; }

wanted() { [ -z "${CONTENDERS:-}" ] || [ "$1" = floor ] || [[ " $CONTENDERS " == *" $1 "* ]]; }

# What of build.sh the wanted contenders need.
build() {
  local parts=(harness)
  if wanted controller-runtime; then parts+=(controller-runtime); fi
  if wanted client-node || wanted client-node-pooled; then parts+=(client-node); fi
  if wanted kube-rs || wanted kube-rs-cached; then parts+=(kube-rs); fi
  if [[ " ${CONTENDERS:-} " == *" kopf "* ]]; then parts+=(kopf); fi
  bash build.sh "${parts[@]}"
}

prepare() {
  for program in etcd kube-apiserver; do
    [ -x "$KUBE_BIN/$program" ] || { say "there is no $KUBE_BIN/$program: npm run cluster -- build, or name its folder in KUBE_BIN"; exit 1; }
  done
  # Bundled before anything is timed.
  BUNDLE_ONLY=1 bash contender.sh
  BUNDLE_ONLY=1 bash contender.sh informer
}

run() { # RESULTS N PHASES CONTENDER…
  local out=$1 n=$2 phases=$3 name
  shift 3
  for name in "$@"; do
    wanted "$name" || continue
    say "$name, N=$n"
    "$BENCH_BUILD/bench" run --contender "$name" --n "$n" --phases "$phases" --out "$out" >/dev/null ||
      say "$name, N=$n: failed; the reason stands in $out"
  done
}

# kopf is not limited to ten reconciles at a time, so that it is not like the others: it runs where CONTENDERS names it.
n1000() {
  run "$results" 1000 1,2,3,6 floor ordinal controller-runtime client-node-pooled kube-rs-cached client-node kube-rs
  if [[ " ${CONTENDERS:-} " == *" kopf "* ]]; then run "$results" 1000 1,2,3,6 kopf; fi
  run "$results" 1000 1 ordinal-apply floor ordinal controller-runtime
}

n5000() { run "$results" 5000 1,3 floor ordinal controller-runtime client-node-pooled kube-rs-cached; }

# In turns, so that what else the machine does meets both.
recorded() {
  local out=$BENCH_RUN/recorded.jsonl round
  rm -f "$out"
  for round in $(seq "${ROUNDS:-3}"); do
    say "round $round"
    CONTENDERS='' run "$out" "${RESOURCES:-1000}" 1 ordinal-unrecorded ordinal-recorded
  done
  "$NODE" recorded-table.ts "$out"
}

trial() {
  rm -f "$trial"
  # shellcheck disable=SC2086 -- names, each a word
  run "$trial" 100 1,2,3,6 floor ${CONTENDERS:-ordinal controller-runtime}
  "$BENCH_BUILD/bench" table "$trial"
}

informers() {
  say "informers: filling the server takes a minute"
  "$BENCH_BUILD/bench" informers --rounds 1 --out "$informers" >/dev/null || say "the informers' run ended early"
}

table() {
  "$NODE" table.ts "$results" "$informers" "$root/docs/evidence/benchmarks/operator.md"
  say "written: docs/evidence/benchmarks/operator.md"
}

if [ "${1:-}" = fresh ]; then
  rm -f "$results" "$informers"
  shift
fi
[ $# -gt 0 ] || set -- build n1000 n5000 informers table
for part in "$@"; do
  case $part in
    build | table) "$part" ;;
    n1000 | n5000 | informers | trial | recorded)
      prepare
      "$part"
      ;;
    *)
      echo "unknown part $part" >&2
      exit 2
      ;;
  esac
done

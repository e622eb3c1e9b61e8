#!/usr/bin/env bash
# All contenders in one run, and the table of docs/benchmarks/operator.md from it: bash bench/operator/compare.sh [build|n1000|n5000|informers|table]…
# All parts in this order by default; each adds to the results of the same run. `fresh` before them forgets earlier results.
# BENCH_SOURCE: the harness with the contenders of others; KUBE_BIN: etcd and kube-apiserver. Go, Rust and npm are needed for `build` only.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source=${BENCH_SOURCE:-$root/../shared/bench}
export BENCH_BUILD=${BENCH_BUILD:-${TMPDIR:-/tmp}/ordinal-bench/build} BENCH_RUN=${BENCH_RUN:-${TMPDIR:-/tmp}/ordinal-bench/run}
export KUBE_BIN=${KUBE_BIN:-$HOME/.cache/ordinal-cluster/bin} NODE24=$root/node_modules/node/bin/node
results=$BENCH_RUN/results.jsonl informers=$BENCH_RUN/informers.jsonl
mkdir -p "$BENCH_BUILD" "$BENCH_RUN"

say() { echo "$(date +%T) $*" >&2; }

# Theirs and ours in one list.
lists() {
  "$NODE24" - "$source" "$root" "$BENCH_BUILD" <<'JS'
const { readFileSync, writeFileSync } = require('node:fs');
const [source, root, build] = process.argv.slice(2);
const contender = `${root}/bench/operator/contender.sh`;
const contenders = JSON.parse(readFileSync(`${source}/contenders.json`, 'utf8'));
contenders.ordinal = { cmd: ['bash', contender], env: { BUNDLED: '1' } };
contenders['ordinal-apply'] = { cmd: ['bash', contender], env: { BUNDLED: '1', CHILDREN: 'apply' } };
writeFileSync(`${build}/contenders.json`, JSON.stringify(contenders, null, 2));
const informers = JSON.parse(readFileSync(`${source}/informers.json`, 'utf8'));
for (const [name, MODE] of [['ordinal fields', 'fields'], ['ordinal meta', 'meta']])
  informers.push({ name, cmd: ['bash', contender, 'informer'], env: { BUNDLED: '1', MODE } });
writeFileSync(`${build}/informers.json`, JSON.stringify(informers, null, 2));
JS
}

build() {
  if [ -x "$BENCH_BUILD/bench" ] && [ -x "$BENCH_BUILD/controller-runtime" ] && [ -x "$BENCH_BUILD/target/release/bench-kube-rs" ] &&
    [ -x "$BENCH_BUILD/target/release/informer" ] && [ -d "$BENCH_BUILD/client-node/node_modules" ]; then
    say "the contenders are built already: $BENCH_BUILD"
    return
  fi
  say "building the harness and the contenders of others into $BENCH_BUILD (Rust takes minutes)"
  bash "$source/build.sh"
}

run() { # N PHASES CONTENDER…
  local n=$1 phases=$2 name
  shift 2
  for name in "$@"; do
    say "$name, N=$n"
    (cd "$source" && "$BENCH_BUILD/bench" run --contender "$name" --contenders "$BENCH_BUILD/contenders.json" --n "$n" --phases "$phases" --out "$results" >/dev/null) ||
      say "$name, N=$n: failed; the reason stands in $results"
  done
}

n1000() {
  run 1000 1,2,3,6 floor ordinal controller-runtime client-node-pooled kube-rs-cached client-node kube-rs
  run 1000 1 ordinal-apply floor ordinal controller-runtime
}

n5000() { run 5000 1,3 floor ordinal controller-runtime client-node-pooled kube-rs-cached; }

informers() {
  say "informers: filling the server takes a minute"
  (cd "$source" && "$BENCH_BUILD/bench" informers --rounds 1 --informers "$BENCH_BUILD/informers.json" --out "$informers" >/dev/null) ||
    say "the informers' run ended early"
}

table() {
  "$NODE24" "$root/bench/operator/table.ts" "$results" "$informers" "$root/docs/benchmarks/operator.md"
  say "written: docs/benchmarks/operator.md"
}

if [ "${1:-}" = fresh ]; then
  rm -f "$results" "$informers"
  shift
fi
[ $# -gt 0 ] || set -- build n1000 n5000 informers table
for part in "$@"; do
  case $part in
    build) build ;;
    n1000 | n5000 | informers)
      lists
      # Bundled before anything is timed.
      BUNDLE_ONLY=1 bash "$root/bench/operator/contender.sh"
      BUNDLE_ONLY=1 bash "$root/bench/operator/contender.sh" informer
      "$part"
      ;;
    table) table ;;
    *)
      echo "unknown part $part" >&2
      exit 2
      ;;
  esac
done

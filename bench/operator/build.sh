#!/usr/bin/env bash
# Builds the harness and the contenders of others into $BENCH_BUILD: bash bench/operator/build.sh [harness|controller-runtime|client-node|kube-rs|kopf]…
# All but kopf by default. Libraries come from the registries of Go modules, npm, Cargo and PyPI, in the versions that the manifests pin; nothing is written beside
# the sources. What is built already is built again only where a source is newer.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
build=${BENCH_BUILD:-${TMPDIR:-/tmp}/ordinal-bench/build}
mkdir -p "$build"

say() { echo "$(date +%T) $*" >&2; }

# outdated PRODUCT SOURCES
outdated() { [ ! -e "$1" ] || [ -n "$(find "$2" -type f -newer "$1" -print -quit)" ]; }

need() { command -v "$1" >/dev/null || { say "$1 is needed to build $2"; exit 1; }; }

go_program() { # PROGRAM SOURCES
  outdated "$build/$1" "$2" || return 0
  need go "$1"
  say "$1: go build"
  (cd "$2" && go build -o "$build/$1" .)
}

client_node() {
  outdated "$build/client-node/node_modules" contenders/client-node || return 0
  need npm client-node
  say "client-node: npm install"
  mkdir -p "$build/client-node"
  cp contenders/client-node/{package.json,*.ts} "$build/client-node/"
  (cd "$build/client-node" && npm install --silent --ignore-scripts --no-audit --no-fund)
  touch "$build/client-node/node_modules"
}

kube_rs() {
  outdated "$build/target/release/bench-kube-rs" contenders/kube-rs || return 0
  need cargo kube-rs
  say "kube-rs: cargo build, minutes at the first time"
  mkdir -p "$build/kube-rs"
  cp -r contenders/kube-rs/{Cargo.toml,src} "$build/kube-rs/"
  (cd "$build/kube-rs" && CARGO_TARGET_DIR="$build/target" cargo build --release --quiet)
  touch "$build/target/release/bench-kube-rs"
}

kopf() {
  outdated "$build/kopf/bin/kopf" contenders/kopf || return 0
  need python3 kopf
  say "kopf: pip install"
  python3 -m venv "$build/kopf"
  "$build/kopf/bin/pip" install --quiet --requirement contenders/kopf/requirements.txt
  touch "$build/kopf/bin/kopf"
}

[ $# -gt 0 ] || set -- harness controller-runtime client-node kube-rs
for part in "$@"; do
  case $part in
    harness) go_program bench harness ;;
    controller-runtime) go_program controller-runtime contenders/controller-runtime ;;
    client-node) client_node ;;
    kube-rs) kube_rs ;;
    kopf) kopf ;;
    *) say "unknown contender $part"; exit 2 ;;
  esac
done

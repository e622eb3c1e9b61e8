#!/usr/bin/env bash
# `npx nx run cdk8s-app:try`, which builds the packages first. Packs them, installs them into a copy of this app outside of the workspace, and synthesizes it. Fails where an object is missing.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export PATH="$root/node_modules/.bin:$PATH"
tarballs=()
for package in libs/schema libs/client libs/api libs/constructs; do
  tarballs+=("$work/$(cd "$root/$package" && npm pack --silent --pack-destination "$work")")
done

mkdir "$work/app"
cp "$here"/{package.json,tsconfig.json,cdk8s.yaml,main.ts} "$work/app"
cd "$work/app"
npm install --silent --no-audit --no-fund --ignore-scripts "${tarballs[@]}"
npm run synth --silent

for kind in ClusteredCache KVStoreCluster CloudDatabase MonitoredStatefulSet; do
  grep -q "^kind: $kind$" dist/*.yaml || { echo "no $kind in what was synthesized" >&2; exit 1; }
done
cat dist/*.yaml

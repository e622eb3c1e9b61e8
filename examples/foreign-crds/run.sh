#!/usr/bin/env bash
# `npx nx run foreign-crds:try`, which builds the packages first. Packs them, installs them into a copy of this app outside of the workspace, generates from the CRDs of two other projects, and synthesizes.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export PATH="$root/node_modules/.bin:$PATH"
tarballs=()
for package in libs/schema libs/client tools/codegen; do
  tarballs+=("$work/$(cd "$root/$package" && npm pack --silent --pack-destination "$work")")
done

mkdir -p "$work/app/crds"
cp "$here"/{package.json,tsconfig.json,main.ts} "$work/app"
cp "$root"/tools/codegen/fixtures/crds/{cert-manager.io_certificates,cert-manager.io_issuers,postgresql.cnpg.io_clusters}.yaml "$work/app/crds"
cd "$work/app"
npm install --silent --no-audit --no-fund --ignore-scripts "${tarballs[@]}"
npm run generate --silent
npm run check --silent
npm run synth --silent

for kind in Certificate Issuer Cluster; do
  grep -q "^kind: $kind$" dist/*.yaml || { echo "no $kind in what was synthesized" >&2; exit 1; }
done
cat dist/*.yaml

#!/usr/bin/env bash
# Starts our contender, or with "informer" our informer, as the operator is started in its image: one bundled file, with the same flags of Node and the same
# settings of the allocator. KUBECONFIG names the API server.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
name=${1:-contender}
folder=$root/node_modules/.cache/ordinal-bench
bundle=$folder/$name.mjs
# BUNDLED: the caller has seen to it, and the time for looking is not to be measured.
if [ -z "${BUNDLED:-}" ]; then
  mkdir -p "$folder"
  "$root/node_modules/.bin/node" "$root/bench/operator/image-runtime.ts" >"$folder/image-runtime.sh"
  newest=$(find "$root/bench/operator" "$root/libs/client/src" "$root/libs/runtime/src" "$root/apps/operator/src/recording" -name '*.ts' -newer "$bundle" -print -quit 2>/dev/null || echo missing)
  if [ ! -e "$bundle" ] || [ -n "$newest" ]; then
    # The flight recorder is a file of its own: it counts where it is opened, and nowhere else.
    "$root/node_modules/.bin/esbuild" "$root/bench/operator/$name.ts" --bundle --splitting --platform=node --format=esm --target=node22 \
      --conditions=ordinal-source --minify-syntax --log-level=warning --outdir="$folder" --out-extension:.js=.mjs \
      --external:@kubernetes/client-node \
      --banner:js="import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"
  fi
fi
[ -z "${BUNDLE_ONLY:-}" ] || exit 0
# shellcheck source=/dev/null -- written above
. "$folder/image-runtime.sh"
exec "${NODE_PROGRAM:-$root/node_modules/.bin/node}" "${flags[@]}" "$bundle"

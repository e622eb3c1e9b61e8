#!/bin/sh
# Before a reduction: waits until all that stay are in step. Those that leave need no more: a server that ends by SIGTERM leaves the cluster, which counts without it then.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
tries=0
until said=$(all_synced "$(around | awk -v stay="$ORDINAL_TARGET_REPLICAS" '$1 < stay')"); do
  tries=$((tries + 1)); [ "$tries" -lt "${TRIES:-120}" ] || { say "$said"; exit 1; }
  sleep 1
done

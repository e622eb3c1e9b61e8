#!/bin/sh
# Makes a backup the data of member 0, which leads the new cluster: all others have none, and follow it. The RDB file becomes the base of an append-only file
# in the layout of several parts, which Redis has from 7.0 on.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
claims=${CLAIMS:-/claims}
file=${ORDINAL_BACKUP_LOCATION:-$ORDINAL_BACKUP_NAME}
"$STORE-check-rdb" "$file" >"${TMPDIR:-/tmp}/checked" || { tail -n 3 "${TMPDIR:-/tmp}/checked"; echo "$file is no whole RDB file"; exit 1; }
rm -rf "$claims"/*/appendonlydir "$claims"/*/lead "$claims"/*/lead.offered
parts=$claims/0/appendonlydir
mkdir -p "$parts" &&
  cp "$file" "$parts/appendonly.aof.1.base.rdb" &&
  : >"$parts/appendonly.aof.1.incr.aof" &&
  printf 'file appendonly.aof.1.base.rdb seq 1 type b\nfile appendonly.aof.1.incr.aof seq 1 type i\n' >"$parts/appendonly.aof.manifest" &&
  sync && echo restored

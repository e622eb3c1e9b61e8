#!/bin/sh
# Writes what the leader holds as an RDB file into /backups, checks it, and prints where it is.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
file=${BACKUPS:-/backups}/${ORDINAL_NAMESPACE:-default}/$ORDINAL_BACKUP_NAME.rdb
mkdir -p "${file%/*}" || exit 1
for address in $(addresses); do
  [ "$(ask "$address" role | head -n 1)" = master ] || continue
  limit=86400 client "$address" --rdb "$file.part" >"${TMPDIR:-/tmp}/copied" 2>&1 || { tail -n 3 "${TMPDIR:-/tmp}/copied"; exit 1; }
  "$STORE-check-rdb" "$file.part" >"${TMPDIR:-/tmp}/checked" || { tail -n 3 "${TMPDIR:-/tmp}/checked"; exit 1; }
  mv "$file.part" "$file" && sync && echo "$file"
  exit
done
echo 'no member leads'
exit 1

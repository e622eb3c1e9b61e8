#!/bin/sh
# Copies the data of a member into /backups, checks the copy, and prints where it is. A standby is asked where one streams: it has time.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
folder=${BACKUPS:-/backups}/$namespace/$name/base/$ORDINAL_BACKUP_NAME
mkdir -p "${folder%/*}" && passwords || exit 1
k=0; from=
while [ "$k" -lt "$ORDINAL_REPLICAS" ]; do
  case $(sql "$k" "select pg_is_in_recovery(), exists (select from pg_stat_wal_receiver where status = 'streaming')") in
    't|t') from=$k; break ;;
    f*) from=$k ;;
  esac
  k=$((k + 1))
done
[ -n "$from" ] || { say 'no member leads or streams'; exit 1; }
rm -rf "$folder.part"
said=$(pg_basebackup -d "$(connection "$from" replicator)" -D "$folder.part" -X stream -c fast --no-sync 2>&1) || { last_line "$said"; exit 1; }
said=$(pg_verifybackup "$folder.part" 2>&1) || { last_line "$said"; exit 1; }
rm -rf "$folder" && mv "$folder.part" "$folder" && sync && echo "$folder"

#!/bin/sh
# Copies the data of a member in sync into /backups, makes it one that a server can start with, and prints where it is. The highest is asked first: clients write to the lowest.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
folder=${BACKUPS:-/backups}/${ORDINAL_NAMESPACE:-default}/$name/$ORDINAL_BACKUP_NAME
from=$(around | awk '$2 == "synced" {k = $1} END {print k}')
[ -n "$from" ] || { say 'no member is in sync'; exit 1; }
{ at=$(address "$from") && [ -n "$at" ]; } || { say "$name-$from has no pod"; exit 1; }
rm -rf "$folder.part" && mkdir -p "$folder.part" || exit 1
wget -q -O - "http://member:$(cat "$AUTH/member-password")@$(bracketed "$at"):$STATE_PORT/cgi-bin/stream" | mbstream -x -C "$folder.part" || { say "$name-$from sends no whole copy"; exit 1; }
said=$(mariadb-backup --prepare --target-dir="$folder.part" 2>&1) || { last_line "$said"; say "the copy of $name-$from is not whole"; exit 1; }
rm -rf "$folder" && mv "$folder.part" "$folder" && sync && echo "$folder"

#!/bin/sh
# Writes a snapshot of a member that takes writes into /backups, checks it, and prints where it is. A follower is asked where there is one: it has time.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
file=${BACKUPS:-/backups}/${ORDINAL_NAMESPACE:-default}/$ORDINAL_BACKUP_NAME.db
mkdir -p "${file%/*}" || exit 1
k=0; urls=
while [ "$k" -lt "$ORDINAL_REPLICAS" ]; do urls=$(client_url "$k")${urls:+,$urls}; k=$((k + 1)); done
alive=$(ctl "$urls" endpoint health | sed -n 's/^\(http[^ ]*\) is healthy.*/\1/p')
[ -n "$alive" ] || { say 'no member takes writes'; exit 1; }
for url in $alive; do
  read -r id leader _ <<STATUS
$(status "$url")
STATUS
  [ "$id" = "$leader" ] || break
done
rm -f "$file.part"
said=$(limit=86400 ctl "$url" snapshot save "$file.part") || { last_line "$said"; exit 1; }
said=$(utility snapshot status "$file.part") || { last_line "$said"; exit 1; }
mv "$file.part" "$file" && sync && echo "$file"

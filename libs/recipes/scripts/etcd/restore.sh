#!/bin/sh
# Makes a backup the data of member 0, as a new cluster of it alone: all others have none, and join it.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
claims=${CLAIMS:-/claims}
file=${ORDINAL_BACKUP_LOCATION:-$ORDINAL_BACKUP_NAME}
said=$(utility snapshot status "$file") || { last_line "$said"; say "$file is no whole snapshot"; exit 1; }
rm -rf "$claims/0/restored"
said=$(utility snapshot restore "$file" --name "$name-0" --data-dir "$claims/0/restored" --initial-cluster "$name-0=$(peer_url 0)" \
  --initial-cluster-token "$name-$(date +%s)-$$" --initial-advertise-peer-urls "$(peer_url 0)") || { last_line "$said"; exit 1; }
rm -rf "$claims"/*/etcd "$claims"/*/size "$claims"/*/removed
mv "$claims/0/restored" "$claims/0/etcd" && sync && echo restored

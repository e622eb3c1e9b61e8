#!/bin/sh
# Makes a backup the data of member 0, which founds a cluster with it: all others have no data, and copy it.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
claims=${CLAIMS:-/claims}
backup=${ORDINAL_BACKUP_LOCATION:-$ORDINAL_BACKUP_NAME}
info() { content "$backup/mariadb_backup_$1" | grep . || content "$backup/xtrabackup_$1"; }
IFS=: read -r uuid seqno <<POSITION
$(info galera_info | head -n 1 | tr ' ' ':')
POSITION
of=$(info info | sed -n 's/^server_version = \([0-9]*\.[0-9]*\).*/\1/p')
{ [ -n "$seqno" ] && [ -n "$of" ]; } || { say "$backup is no whole backup"; exit 1; }
data=$claims/0/restored
rm -rf "$data" && cp -a "$backup" "$data" && chmod 700 "$data" || exit 1
printf '# GALERA saved state\nversion: 2.1\nuuid:    %s\nseqno:   %s\nsafe_to_bootstrap: 1\n' "$uuid" "${seqno%%:*}" >"$data/grastate.dat" || exit 1
for claim in "$claims"/*; do (cd "$claim" && rm -rf mysql mysql.new version joins view removed found); done
echo "$of" >"$claims/0/version" && mv "$data" "$claims/0/mysql" && sync && echo restored

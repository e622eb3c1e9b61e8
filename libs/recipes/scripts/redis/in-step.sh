#!/bin/sh
# Whether this member has what its leader has: a replica by its link and the age of the last word, a leader by the lag of each replica.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
info=$(ask "$POD_IP" info replication)
case $(field role "$info") in
  master) ! printf '%s\n' "$info" | grep '^slave[0-9]' | grep -qvE 'state=online.*lag=[01](,|$)' ;;
  slave) [ "$(field master_link_status "$info")" = up ] && [ "$(field master_last_io_seconds_ago "$info")" -le 2 ] && [ "$(field master_sync_in_progress "$info")" = 0 ] ;;
  *) exit 1 ;;
esac

# Whether this member has what its leader has: a replica by its link and the age of the last word, a leader by the lag of each replica.
info=$(redis-cli info replication | tr -d '\r')
case $info in
  *role:master*) ! echo "$info" | grep '^slave[0-9]' | grep -qvE 'state=online.*lag=[01]$' ;;
  *) echo "$info" | grep -q '^master_link_status:up' && echo "$info" | grep -qE '^master_last_io_seconds_ago:[012]$' && echo "$info" | grep -q '^master_sync_in_progress:0' ;;
esac

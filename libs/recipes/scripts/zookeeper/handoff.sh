#!/bin/sh
# The member that leads gives that up. ZooKeeper has no command for it: a leader that is removed from the cluster names a successor, which costs less than an election after
# the leader is gone. It is added again at once, by this script or, where that ends before, by `look` in start.sh. Every other member has nothing to hand over.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
if has_left || ! runs; then exit 0; fi
ordinal=${POD_NAME##*-}
id=$(id_of "$ordinal")
leads() { state "$POD_IP" | grep -q '^leader '; }
leads || exit 0
list=$(members "$POD_IP") || { say 'does not serve'; exit 1; }
[ "$(printf '%s\n' "$list" | grep -c .)" -gt 1 ] || exit 0
# Only one member at a time may be without a vote.
can_spare "$ordinal" || exit 1
: >"$tools/hands-over"
said=$(reconfig "$POD_IP" -remove "$id") || true
tries=0
while leads; do
  tries=$((tries + 1)); [ "$tries" -le 10 ] || { say "still leads: $said"; exit 1; }
  sleep 1
done
until list=$(members "$POD_IP") && [ -n "$(role_in "$list" "$id")" ]; do
  tries=$((tries + 1)); [ "$tries" -le 30 ] || { say "has no vote yet: $said"; exit 1; }
  said=$(reconfig "$POD_IP" -add "$(server_line "$ordinal" participant)") || sleep 1
done
rm -f "$tools/hands-over"
! leads || { say 'leads again'; exit 1; }

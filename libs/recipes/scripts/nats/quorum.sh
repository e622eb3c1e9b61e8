#!/bin/sh
# Whether the others can do without this member: each other server of the cluster is there, and has everything of the streams and consumers that are its own. So a stream
# with three replicas keeps two that have everything. A server that has no pod counts as well: it takes part in the quorum.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
! has_left || exit 0
list=$(peers_by "$POD_IP") || { say 'the cluster has no leader, or it does not answer'; exit 1; }
own=$(own_name)
while read -r peer state _; do
  [ "$peer" != "$own" ] || continue
  [ "$state" != away ] || { say "$peer is away; if it is gone for good: nats server raft peer-remove $peer"; exit 1; }
  [ "$state" = current ] || { say "$peer is behind in the cluster's state"; exit 1; }
  at=$(address "$(ordinal_of "$peer")")
  [ -n "$at" ] || { say "$peer has no pod"; exit 1; }
  why=$(is_healthy "$at") || { say "$peer: $why"; exit 1; }
done <<PEERS
$list
PEERS

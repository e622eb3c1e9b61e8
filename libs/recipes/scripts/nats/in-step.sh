#!/bin/sh
# Whether this member has everything that it should have of the cluster's state, of streams and of consumers.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
! has_left || exit 0
[ -n "$(leader_by "$POD_IP")" ] || { say 'no leader'; exit 1; }
is_healthy "$POD_IP"

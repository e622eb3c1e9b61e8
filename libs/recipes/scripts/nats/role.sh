#!/bin/sh
# Prints whether this member leads the cluster: leader or follower. Streams have leaders of their own.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
! has_left || { echo follower; exit 0; }
fetch "$POD_IP" /jsz >/dev/null || { say 'no answer'; exit 1; }
if [ "$(leader_by "$POD_IP")" = "$(own_name)" ]; then echo leader; else echo follower; fi

#!/bin/sh
# Prints whether this member leads the quorum: leader or follower. Which broker leads a partition does not count: each leads some, and hands them over when it ends.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
! has_left || { echo follower; exit 0; }
leader=$(of "$(quorum "$POD_IP")" leader)
[ -n "$leader" ] || leader=$(of "$(quorum "$(anyone)")" leader)
[ -n "$leader" ] || { say 'no member leads the quorum'; exit 1; }
if [ "$leader" = "${POD_NAME##*-}" ]; then echo leader; else echo follower; fi

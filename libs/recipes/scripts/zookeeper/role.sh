#!/bin/sh
# Prints whether this member leads: leader or follower. One that runs and does not serve leads nothing.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
read -r mode _ <<STATE
$(state "$POD_IP")
STATE
[ -n "$mode" ] || runs || has_left || { say 'no server'; exit 1; }
if [ "$mode" = leader ]; then echo leader; else echo follower; fi

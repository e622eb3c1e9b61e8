#!/bin/sh
# Prints whether this member leads: leader or follower.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
! has_left || { echo follower; exit 0; }
read -r id leader _ <<STATUS
$(status self)
STATUS
[ -n "$id" ] || { say 'no answer'; exit 1; }
if [ "$id" = "$leader" ]; then echo leader; else echo follower; fi

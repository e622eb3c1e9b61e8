#!/bin/sh
# Prints whether this member leads the metadata store: leader or follower. Which member leads a queue does not count: each leads some, and hands them over when it ends.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
! has_left || { echo follower; exit 0; }
lines=$(ask "$POD_IP" cluster)
[ -n "$(of "$lines" own)" ] || { say 'no answer'; exit 1; }
if [ "$(of "$lines" leader)" = "$(of "$lines" own)" ]; then echo leader; else echo follower; fi

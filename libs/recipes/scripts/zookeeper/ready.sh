#!/bin/sh
# Whether this member serves clients and takes part: one that joins does not yet. One that waits for others which have no pod yet is ready as well, because theirs are made only
# then: after a stop of all members one alone can't serve, nor does one without data know whether it may found the cluster.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
! has_left || exit 0
if list=$(members "$POD_IP"); then
  [ -z "$(role_in "$list" "$(id_of "${POD_NAME##*-}")")" ] || exit 0
  say 'has no vote yet'; exit 1
fi
[ -e "$tools/waits" ] || runs || { say 'no server'; exit 1; }
for k in $(ordinals "$(size)"); do
  at=$(address "$k") || { say 'the name server does not answer'; exit 1; }
  [ -n "$at" ] || exit 0
done
say 'waits for the others'
exit 1

#!/bin/sh
# Whether this member serves clients and has a vote. One that waits for others which have no pod yet is ready as well, because theirs are made only then: after a stop of all
# members one alone has no quorum.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
ordinal=${POD_NAME##*-}
if metadata "$POD_IP" | grep -qx "broker $ordinal"; then
  ! has_left || exit 0
  [ ! -e "$tools/voted" ] || exit 0
  say 'has no vote yet'
  exit 1
fi
for k in $(ordinals "$(size)"); do
  at=$(address "$k") || { say 'the name server does not answer'; exit 1; }
  [ -n "$at" ] || exit 0
done
say 'does not serve'
exit 1

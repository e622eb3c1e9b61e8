#!/bin/sh
# Whether this member serves clients. One that waits for others which have no pod yet is ready as well, because theirs are made only then: after a stop of all members one alone
# has no majority.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
! has_left || exit 0
if serves "$(ask "$POD_IP" cluster)"; then
  [ ! -e "$tools/served" ] || exit 0
  say 'is no member yet'
  exit 1
fi
for k in $(ordinals "$(size)"); do
  at=$(address "$k") || { say 'the name server does not answer'; exit 1; }
  [ -n "$at" ] || exit 0
done
say 'does not serve'
exit 1

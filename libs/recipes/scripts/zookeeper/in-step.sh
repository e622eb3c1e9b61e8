#!/bin/sh
# Whether this member takes part, and has what its leader had when it was asked.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
! has_left || exit 0
ordinal=${POD_NAME##*-}
list=$(members "$POD_IP") || { say 'does not serve'; exit 1; }
[ -n "$(role_in "$list" "$(id_of "$ordinal")")" ] || { say 'has no vote yet'; exit 1; }
zxid=$(committed "$list")
[ -n "$zxid" ] || { say 'no leader'; exit 1; }
follows "$ordinal" "$zxid"

#!/bin/sh
# Whether this member serves, has a vote, and has what the others had when it was asked: as a voter of the quorum, and as a replica of each partition that it has.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
ordinal=${POD_NAME##*-}
! has_left || exit 0
metadata "$POD_IP" | grep -qx "broker $ordinal" || { say 'does not serve'; exit 1; }
[ -e "$tools/voted" ] || { say 'has no vote yet'; exit 1; }
via=$(anyone) || { say 'no member serves'; exit 1; }
lines=$(metadata "$via" all)
printf '%s\n' "$lines" | grep -qx "broker $ordinal" || { say 'the others know no broker here'; exit 1; }
said=$(printf '%s\n' "$lines" | awk -v id="$ordinal" '$1 == "partition" && index("," $4 ",", "," id ",") && !index("," $5 ",", "," id ",") {print "is behind in " $2 "-" $3; exit}')
[ -z "$said" ] || { say "$said"; exit 1; }
voters_in_step "$via" none | grep "^$name-$ordinal " && exit 1
exit 0

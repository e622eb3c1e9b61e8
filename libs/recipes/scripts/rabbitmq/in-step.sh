#!/bin/sh
# Whether this member serves, and has of each queue, and of the metadata store, what was acknowledged when it was asked; and each queue the replicas that it is to have.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
! has_left || exit 0
{ [ -e "$tools/served" ] && serves "$(ask "$POD_IP" cluster)"; } || { say 'does not serve'; exit 1; }
said=$(limit=15 ask "$POD_IP" own)
[ "$said" = ok ] || { say "${said:-no answer}"; exit 1; }

#!/bin/sh
# Whether this member serves clients. One that waits for others which have no pod yet is ready as well, because theirs are made only then: after a stop of all members one
# alone can't serve, nor does one without data know whether it may found the cluster.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
! has_left || exit 0
if [ ! -e "$tools/waits" ]; then
  runs || { say 'no server'; exit 1; }
  case $(fetch "$POD_IP" '/healthz?js-server-only=true') in *'"status":"ok"'* | *'"status": "ok"'*) exit 0 ;; esac
fi
k=0; count=$(size)
while [ "$k" -lt "$count" ]; do
  [ -n "$(address "$k")" ] || exit 0
  k=$((k + 1))
done
say 'waits for the others'
exit 1

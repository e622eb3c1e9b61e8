#!/bin/sh
# Prints what this member says of itself to the others, who ask by HTTP: see `state`.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
[ -z "${GATEWAY_INTERFACE:-}" ] || printf 'Content-type: text/plain\r\n\r\n'
echo "$POD_NAME $(state)"

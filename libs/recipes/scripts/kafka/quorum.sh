#!/bin/sh
# Whether the others can do without this member.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
has_left || can_spare "${POD_NAME##*-}"

#!/bin/sh
# ctl.sh PROGRAM ARGUMENT…: one of the software's own tools, for this member's server, whose name has the time in it. Such as: ctl.sh rabbitmqctl list_queues
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
program=$1; shift
tool "$program" "$(of "$(ask "$POD_IP" cluster)" own)" "$@"

#!/bin/sh
# Whether the others can do without this member: each other one is in step with a primary component, and none of them gives its data to another or waits for data.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
all_synced "$(around)"

#!/bin/sh
# Before an upgrade: turns on what the version that runs has (stable feature flags), which the next version may take for granted. Not after it: what is on can't be turned off, and
# the former version could then not be put back.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
# shellcheck disable=SC2046 # A list of words.
via=$(serving $(ordinals "$(declared || echo 1)")) || { say 'no member serves'; exit 1; }
said=$(tool rabbitmqctl "$(of "$(ask "$via" cluster)" own)" enable_feature_flag all) || { reason "$said"; exit 1; }

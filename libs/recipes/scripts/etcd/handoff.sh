#!/bin/sh
# A leader moves the lead to a voter that has what it has committed: to the one with the newest software, so that it moves once in an upgrade, and of those to the one
# that has applied most. Every other member has nothing to hand over.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
tools=${TOOLS:-/tools}
read -r id leader _ <<STATUS
$(status self)
STATUS
if [ -z "$id" ]; then [ ! -e "$tools/pid" ] || ! kill -0 "$(cat "$tools/pid")" 2>/dev/null; exit; fi
[ "$id" = "$leader" ] || exit 0
urls=$(members self | awk -v id="$id" '$1 != id && $3 == "false" && $4 != "" {urls = urls "," $4} END {print substr(urls, 2)}')
[ -n "$urls" ] || exit 0
successor=$(status "$urls" | awk -v leader="$id" '$2 == leader && $3 == "false" {
  split($6, part, "."); newness = part[1] * 1000000 + part[2] * 1000 + part[3]
  if (newness > newest || (newness == newest && $5 > most)) { newest = newness; most = $5; best = $1 }
} END {print best}')
[ -n "$successor" ] || { say 'no other member follows'; exit 1; }
moved=$(limit=5 ctl self move-leader "$successor") || { last_line "$moved"; exit 1; }

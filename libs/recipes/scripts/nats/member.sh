# shellcheck shell=dash
# What the scripts share. The environment says where members listen: PORT for clients, PEER_PORT for one another, MONITOR_PORT for questions about their state, STATE_PORT
# for what `start.sh` says of a member; POD_IP is this one's address. AUTH is a folder with `system-password` and `accounts.conf`. HOSTS, for members without a name
# server, is a file with lines "ORDINAL HOST" or, without a pod, "ORDINAL HOST gone"; "silent" for one of which the name server says nothing.
#
# A server is called as its pod where it has founded the cluster, and otherwise POD-TIME: one that has lost its volume is another one for the cluster, and never votes
# as the one that it was.
name=${ORDINAL_CLUSTER:-${POD_NAME%-*}}
service=${ORDINAL_SERVICE:-$name.${POD_NAMESPACE:-default}.svc}
tools=${TOOLS:-/tools}

say() { echo "$*"; }

# Whether this member was removed while it ran, and only waits for its pod to go. It is ready: Kubernetes takes no member of an ordered set away while one before it is not.
has_left() { [ -e "$tools/left" ]; }
# Whether the server runs.
runs() { [ -e "$tools/pid" ] && kill -0 "$(cat "$tools/pid")" 2>/dev/null; }

host() { if [ -n "${HOSTS:-}" ]; then awk -v k="$1" '$1 == k {print $2}' "$HOSTS"; else echo "$name-$1.$service"; fi; }
# The address of a member's pod, or nothing where it has none. Fails where the name server does not say. This client of it knows no search domains.
address() {
  local domain
  if [ -n "${HOSTS:-}" ]; then awk -v k="$1" '$1 == k && $3 == "silent" {exit 1} $1 == k && $3 != "gone" {print $2}' "$HOSTS"; return; fi
  domain=$(sed -n 's/^search .*\<svc\.\([^ ]*\).*/\1/p' /etc/resolv.conf | head -n 1)
  nslookup "$(host "$1").${domain:-cluster.local}" 2>&1 | awk '
    /NXDOMAIN/ {known = 1}
    /^Name:/ {found = 1}
    found && /^Address/ && at == "" {sub(/^[^:]*: */, ""); at = $1}
    END {if (at != "") print at; else exit !known}'
}
# Which server runs, or is to run, on this member's volume.
own_name() { cat "${DATA:-/data}/name" 2>/dev/null; }
# The ordinal of the member with a server's name.
ordinal_of() { local rest=${1#"$name"-}; echo "${rest%%-*}"; }

# fetch ADDRESS PATH: what a member's monitoring answers, with any status. Fails where there is no answer.
fetch() { printf 'GET %s HTTP/1.0\r\n\r\n' "$2" | timeout "${limit:-3}" nc "$1" "$MONITOR_PORT" 2>/dev/null | tr -d '\r' | sed '1,/^$/d' | grep .; }

# Whether the member at an address has everything that it should have of the cluster's state, of streams and of consumers; says what it lacks.
is_healthy() {
  local answer
  answer=$(fetch "$1" /healthz) || { echo 'does not answer'; return 1; }
  case $answer in
    *'"status":"ok"'* | *'"status": "ok"'*) ;;
    *) printf '%s' "$answer" | tr -d '\n"' | sed -n 's/.*error: *\([^,}]*\).*/\1/p' | grep . || echo 'is not healthy'; return 1 ;;
  esac
}

# The server that leads the cluster as a member knows it, or nothing.
leader_by() { fetch "$1" /jsz | awk -F'"' '$2 == "meta_cluster" {inside = 1} inside && $2 == "leader" {print $4; exit}'; }

# The servers of the cluster, each as a line "NAME STATE ID", as the leader knows them, which a member names; the leader's own is the first. STATE is current, behind or
# away. A leader knows no name of a server that was away since it started itself: members keep the names on record. One that has crashed and started again says that it
# knows no leader, by leaving that out, while others still take it for theirs: it has no list.
peers_by() {
  local leader at
  leader=$(leader_by "$1")
  [ -n "$leader" ] || return 1
  at=$(address "$(ordinal_of "$leader")")
  [ -n "$at" ] || return 1
  fetch "$at" /jsz | awk -F'"' -v leader="$leader" -v record="${DATA:-/data}/peers" '
    BEGIN { while ((getline line <record) > 0) { split(line, part, " "); name[part[1]] = part[2] } }
    function flush() {
      if (peer ~ / /) peer = id in name ? name[id] : "unknown-" id
      if (peer != "" && peer != leader) print peer, away ? "away" : current ? "current" : "behind", id
      peer = ""
    }
    $2 == "meta_cluster" {inside = 1; next}
    !inside {next}
    $2 == "leader" {if ($4 != leader) exit; leads = 1; next}
    !leads && $2 != "name" {exit}
    $2 == "peer" && !list {print leader, "current", $4}
    $2 == "replicas" {list = 1; next}
    list && $2 == "name" {flush(); peer = $4; current = away = 0}
    list && $2 == "current" {current = $3 ~ /true/}
    list && $2 == "offline" {away = $3 ~ /true/}
    list && $2 == "peer" {id = $4}
    $2 == "cluster_size" {flush(); exit}' | grep .
}

# ask ADDRESS SUBJECT BODY: a question to the system account, by the server at an address. Prints the answer; fails without one, and where it is an error.
ask() {
  local answer
  answer=$(REQUEST_SUBJECT=$2 REQUEST_BODY=$3 timeout "${limit:-5}" nc "$1" "$PORT" -e sh "${0%/*}/request.sh" 3>&1) || return 1
  echo "$answer"
  case $answer in '' | *'"error"'*) return 1 ;; esac
}
# The description of an error in such an answer, or all of it.
reason_of() { printf '%s\n' "$1" | sed -n 's/.*"description":"\([^"]*\)".*/\1/p' | grep . || echo "${1:-no answer}"; }

# How many members the set is declared with, which fails where that is missing, and how many there are for all that this one knows: it keeps on record how many there were at
# last. `kubectl scale` makes more: who looks for members looks further.
declared() { grep -x '[1-9][0-9]*' "${0%/*}/members-$name" 2>/dev/null; }
reach() { echo $(($(size) + 8)); }
size() {
  local seen=0 least
  [ ! -e "${DATA:-/data}/size" ] || read -r seen <"${DATA:-/data}/size"
  for least in "$(declared || echo 1)" $((${POD_NAME##*-} + 1)); do [ "$seen" -ge "$least" ] || seen=$least; done
  echo "$seen"
}

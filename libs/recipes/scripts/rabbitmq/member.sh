# shellcheck shell=dash
# What the scripts share. The environment says where members listen: PORT for clients, DIST_PORT for one another, STATE_PORT for what each says of itself; POD_IP is this one's
# address. AUTH is a folder with `user` and `password` of the first user, and `erlang-cookie`, by which members and the software's tools reach one another. HOSTS, for members
# without a name server, is a file with lines "ORDINAL HOST" or, without a pod, "ORDINAL HOST gone"; "silent" for one of which the name server says nothing.
#
# A server is called POD-TIME: one that has lost its volume is another one for the cluster, and never votes as the one that it was.
name=${ORDINAL_CLUSTER:-${POD_NAME%-*}}
service=${ORDINAL_SERVICE:-$name.${POD_NAMESPACE:-default}.svc}
tools=${TOOLS:-/tools}
# The software's own programs, as its image and Debian lay them: what Debian has on the PATH runs as another user. Then the image's, and busybox's.
case :$PATH: in *":$tools:"*) ;; *) PATH=${PROGRAMS:-/opt/rabbitmq/sbin:/opt/erlang/bin:/usr/lib/rabbitmq/bin}:$PATH:$tools ;; esac
export PATH LC_ALL=C HOME="$tools"

say() { echo "$*"; }

# Whether this member was removed while it ran, and only waits for its pod to go. It is ready: Kubernetes takes no member of an ordered set away while one before it is not.
has_left() { [ -e "$tools/left" ]; }

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
# An address before a port.
bracketed() { case $1 in *:*) echo "[$1]" ;; *) echo "$1" ;; esac; }
ordinals() { local k=0; while [ "$k" -lt "$1" ]; do echo "$k"; k=$((k + 1)); done; }
# The ordinal of the member with a server's name, which is POD-TIME@HOST.
ordinal_of() { local rest=${1#"$name"-}; echo "${rest%%-*}"; }

# How many members the set is declared with, which fails where that is missing; how many there are for all that this one knows; and how far who looks for members looks:
# `kubectl scale` makes more.
declared() { grep -x '[1-9][0-9]*' "${0%/*}/members-$name" 2>/dev/null; }
size() {
  local count
  count=$(declared || echo 1)
  [ "$count" -gt "${POD_NAME##*-}" ] || count=$((${POD_NAME##*-} + 1))
  echo "$count"
}
reach() { echo $(($(size) + 8)); }

# ask ADDRESS QUESTION: what a member's server answers, by recipe.erl. Nothing where it does not.
ask() { { printf '%s\n' "$2" | timeout "${limit:-5}" nc "$1" "$STATE_PORT"; } 2>/dev/null; }
# Of such lines: what follows this word.
of() { printf '%s\n' "$1" | sed -n "s/^$2 //p"; }
# Whether the server that has answered so serves clients, and is in a cluster that has a leader.
serves() { printf '%s\n' "$1" | awk '$1 == "serves" {serves = 1} $1 == "leader" && $2 != "none" {led = 1} END {exit !(serves && led)}'; }
# The address of the first of these members that serves, other than this one. It is a member for good: one that joins does not count yet.
serving() {
  local k at
  for k in "$@"; do
    [ "$k" != "${POD_NAME##*-}" ] || [ -n "${ORDINAL_CLUSTER:-}" ] || continue
    at=$(address "$k") && [ -n "$at" ] && serves "$(ask "$at" cluster)" && { echo "$at"; return; }
  done
  return 1
}

# What the software's programs need to find a server.
cookie() { RABBITMQ_ERLANG_COOKIE=$(cat "$AUTH/erlang-cookie") && export RABBITMQ_ERLANG_COOKIE; }
export RABBITMQ_USE_LONGNAME=true RABBITMQ_CONF_ENV_FILE="$tools/none"
# tool PROGRAM NODE ARGUMENT…: one of the software's own tools, for a server.
tool() { local program=$1 node=$2; shift 2; cookie && timeout "${limit:-120}" "$program" --quiet --longnames --node "$node" "$@" 2>&1; }
# The last line that says why a tool failed.
reason() { printf '%s\n' "$1" | grep -v '^ *$' | tail -n 1 | cut -c 1-300 | grep . || say 'no answer'; }
# forget NODE OTHER: has a server remove another one from the cluster, and its replicas.
forget() { local said; said=$(tool rabbitmqctl "$1" forget_cluster_node "$2") || { reason "$said"; return 1; }; }

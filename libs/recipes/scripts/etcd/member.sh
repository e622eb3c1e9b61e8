# shellcheck shell=dash
# What the scripts share. The environment says where members listen (PORT for clients, PEER_PORT for one another, POD_IP for this one) and whether they speak TLS
# (a folder with ca.crt, tls.crt and tls.key). HOSTS, for members without a name server, is a file with lines "ORDINAL HOST" or, without a pod, "ORDINAL HOST gone";
# "silent" for one of which the name server says nothing.
name=${ORDINAL_CLUSTER:-${POD_NAME%-*}}
service=${ORDINAL_SERVICE:-$name.${POD_NAMESPACE:-default}.svc}
scheme=http; [ -z "${TLS:-}" ] || scheme=https

# Whether this member was removed while it ran, and only waits for its pod to go. It needs nothing more, and is ready: Kubernetes takes no member of an ordered set
# away while one before it is not.
has_left() { [ -e "${TOOLS:-/tools}/left" ]; }

say() { echo "$*"; }

# The host, and the URLs, of the member with an ordinal: what it is known by in the cluster.
host() { if [ -n "${HOSTS:-}" ]; then awk -v k="$1" '$1 == k {print $2}' "$HOSTS"; else echo "$name-$1.$service"; fi; }
client_url() { echo "$scheme://$(host "$1"):$PORT"; }
peer_url() { echo "$scheme://$(host "$1"):$PEER_PORT"; }
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
# Where this member listens.
own_address() { case $POD_IP in *:*) echo "[$POD_IP]" ;; *) echo "$POD_IP" ;; esac; }

# ctl URLS COMMAND…: the client, for three seconds unless `limit` says how many. This member is asked at its address, for which its certificate need not be.
ctl() {
  local urls=$1; shift
  if [ -n "${TLS:-}" ]; then
    set -- --cacert "$TLS/ca.crt" --cert "$TLS/tls.crt" --key "$TLS/tls.key" "$@"
    [ "$urls" != self ] || set -- --insecure-skip-tls-verify "$@"
  fi
  [ "$urls" != self ] || urls=$scheme://$(own_address):$PORT
  ETCDCTL_API=3 timeout "$((${limit:-3} + 2))" etcdctl --endpoints "$urls" --dial-timeout 2s --command-timeout "${limit:-3}s" "$@" </dev/null 2>&1
}

# The last line of what the client said that is no log line, as its message.
last_line() { printf '%s\n' "$1" | grep -v '^{' | tail -n 1; }

# What members say of themselves, each as a line "ID LEADER LEARNER INDEX APPLIED VERSION", with the IDs in hexadecimal digits and 0 for no leader.
status() {
  ctl "$1" endpoint status -w fields | awk -F' : ' '
    {gsub(/"/, ""); of[$1] = $2}
    $1 == "Endpoint" {print of["MemberID"], of["Leader"], of["IsLearner"], of["RaftIndex"], of["RaftAppliedIndex"], of["Version"]; delete of}' |
    while read -r id leader rest; do printf '%x %x %s\n' "$id" "$leader" "$rest"; done
}

# The members of the cluster as one of them knows them, each as a line "ID PEER_URL LEARNER CLIENT_URL"; the last is missing where it has not been started.
members() {
  local list
  list=$(ctl "$1" member list) || return 1
  printf '%s\n' "$list" | awk -F', ' 'NF >= 6 && $1 ~ /^[0-9a-f]+$/ {sub(/,.*/, "", $4); sub(/,.*/, "", $5); print $1, $4, $6, $5}'
}

# The IDs of the member with an ordinal in such a list, whichever scheme its peers know it by.
ids_of() { awk -v at="$(host "$1"):$PEER_PORT" '{sub(/^https?:\/\//, "", $2)} $2 == at {print $1}'; }

# The URL of the first of these members that takes writes, and so knows the cluster as it is now; fails where none does.
healthy() { [ -n "$1" ] && ctl "$1" endpoint health | sed -n 's/^\(http[^ ]*\) is healthy.*/\1/p' | head -n 1 | grep .; }

# A URL of a member, as the ordinal before its first dot, or the whole.
short() { local at=${1#*://}; case $at in "$name"-*) echo "${at%%.*}" ;; *) echo "$at" ;; esac; }

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

# What works on files: a program of its own from 3.5 on.
utility() { if command -v etcdutl >/dev/null; then etcdutl "$@" 2>&1; else ETCDCTL_API=3 etcdctl "$@" 2>&1; fi; }

# shellcheck shell=dash
# What the scripts share. The environment says where members listen: PORT for clients, PEER_PORT for those that follow, ELECTION_PORT for votes; POD_IP is this one's
# address. AUTH is a folder with `super-password`, by which members may be added and removed. HOSTS, for members without a name server, is a file with lines
# "ORDINAL HOST" or, without a pod, "ORDINAL HOST gone"; "silent" for one of which the name server says nothing.
#
# What a member is and has, it says by four-letter words at the port for clients. The software's own client, a program of its own, only changes who is a member.
name=${ORDINAL_CLUSTER:-${POD_NAME%-*}}
service=${ORDINAL_SERVICE:-$name.${POD_NAMESPACE:-default}.svc}
tools=${TOOLS:-/tools}
PATH=$tools:$PATH
for folder in /usr/lib/jvm/*/bin; do PATH=$PATH:$folder; done

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
# An address before a port.
bracketed() { case $1 in *:*) echo "[$1]" ;; *) echo "$1" ;; esac; }

# The jars: those of CLASSPATH, of the software's own archive, or of Debian.
jars() {
  local folder
  if [ -n "${CLASSPATH:-}" ]; then echo "$CLASSPATH"; return; fi
  for folder in /apache-zookeeper-* /opt/zookeeper /opt/apache-zookeeper-*; do
    if [ -d "$folder/lib" ]; then echo "/conf:$folder/conf:$folder/lib/*"; return; fi
  done
  echo /usr/share/java/zookeeper.jar:/usr/share/java/slf4j-simple.jar
}

# The number of the member with an ordinal, and all that the others know of it, as an observer or a participant. Where addresses are names, it listens at all that it has.
id_of() { echo $(($1 + 1)); }
server_line() {
  local at
  at=$(host "$1")
  case $at in 127.*) at=$at:$PEER_PORT:$ELECTION_PORT:$2\;$at:$PORT ;; *) at=$at:$PEER_PORT:$ELECTION_PORT:$2\;$PORT ;; esac
  echo "server.$(id_of "$1")=$at"
}

# ask ADDRESS WORD: what a server answers to a four-letter word.
ask() { printf '%s' "$2" | timeout "${limit:-3}" nc "$1" "$PORT" 2>/dev/null; }

# What a member is, also one without a vote, and the last transaction that it has: "leader 0x100000007". Nothing where it does not serve, as without a quorum.
state() { ask "$1" srvr | awk '/^Zxid:/ {zxid = $2} /^Mode:/ {mode = $2} END {if (mode != "") print mode, zxid}'; }

# The members of the cluster as one that serves knows them, each as a line "ID participant" or "ID observer". Fails where it does not serve.
members() {
  ask "$1" conf | awk '/^server\./ {line = $0; sub(/^server\./, "", line); id = line; sub(/=.*/, "", id); print id, line ~ /:observer(;|$)/ ? "observer" : "participant"}' | grep .
}
role_in() { printf '%s\n' "$1" | awk -v id="$2" '$1 == id {print $2}'; }

# The address of the first of these members that serves, other than this one.
serving() {
  local k at
  for k in "$@"; do
    [ "$k" != "${POD_NAME##*-}" ] || [ -n "${ORDINAL_CLUSTER:-}" ] || continue
    at=$(address "$k")
    if [ -n "$at" ] && [ -n "$(state "$at")" ]; then echo "$at"; return; fi
  done
  return 1
}
ordinals() { local k=0; while [ "$k" -lt "$1" ]; do echo "$k"; k=$((k + 1)); done; }

# The last transaction of the leader of the members in such a list, when it was asked. Nothing where none leads.
committed() {
  local id at mode zxid best=
  for id in $(printf '%s\n' "$1" | awk '{print $1}'); do
    at=$(address $((id - 1)))
    [ -n "$at" ] || continue
    read -r mode zxid <<STATE
$(state "$at")
STATE
    { [ "$mode" = leader ] && { [ -z "$best" ] || [ $((zxid)) -gt $((best)) ]; }; } && best=$zxid
  done
  echo "$best"
}

# Whether the member with an ordinal takes part and has a transaction of the leader; says what it lacks. A leader that was elected just now has none of its own, and those
# that follow it have all before.
follows() {
  local at mode zxid tries=0
  at=$(address "$1") || { say 'the name server does not answer'; return 1; }
  [ -n "$at" ] || { say "$name-$1 has no pod; if it is gone for good: reconfig -remove $(id_of "$1")"; return 1; }
  while :; do
    read -r mode zxid <<STATE
$(state "$at")
STATE
    case $mode in leader | follower) ;; *) say "$name-$1 ${mode:+serves as }${mode:-does not serve}"; return 1 ;; esac
    { [ $(($2 & 0xffffffff)) -gt 0 ] && [ $((zxid)) -lt $(($2)) ]; } || return 0
    tries=$((tries + 1)); [ "$tries" -le 3 ] || { say "$name-$1 is behind: $zxid of $2"; return 1; }
  done
}

# Whether the others can do without the member with an ordinal: each of them takes part, follows the leader and has what that one had when it was asked. So no quorum is lost
# where there are three or more. A member of the cluster that has no pod counts as well: it takes part in the quorum. A pod whose member has no vote yet may have had one.
can_spare() {
  local k via list zxid at
  # shellcheck disable=SC2046 # A list of words.
  list=$(members "$POD_IP") || { via=$(serving $(ordinals "$(reach)")) && list=$(members "$via"); } || { say 'no member serves'; return 1; }
  zxid=$(committed "$list")
  [ -n "$zxid" ] || { say 'no leader'; return 1; }
  for k in $(ordinals "$(reach)"); do
    [ "$k" != "$1" ] || continue
    if [ -n "$(role_in "$list" "$(id_of "$k")")" ]; then follows "$k" "$zxid" || return 1; continue; fi
    at=$(address "$k") || { say 'the name server does not answer'; return 1; }
    [ -z "$at" ] || { say "$name-$k has no vote yet"; return 1; }
  done
}

# reconfig ADDRESS CHANGE…: has the members changed, by the software's own client at a member. Says why not. A server knows the password that it started with: this member's
# own is in a copy, and another one's may be that or the one of now.
reconfig() {
  local at said='' file password tried=
  at=$(bracketed "$1"); shift
  for file in "$tools/super-password" "$AUTH/super-password"; do
    { password=$(cat "$file" 2>/dev/null) && [ "$password" != "$tried" ]; } || continue
    tried=$password
    said=$(printf 'addauth digest super:%s\nreconfig %s\nquit\n' "$password" "$*" |
      timeout "${limit:-20}" java -Xmx48m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$(jars)" org.apache.zookeeper.ZooKeeperMain -server "$at:$PORT" 2>&1)
    case $said in *'Committed new configuration'*) return 0 ;; *'nsufficient permission'* | *NoAuth*) ;; *) break ;; esac
  done
  printf '%s\n' "$said" | grep -E 'ErrorCode = |No quorum|in progress|not valid|ermission' | tail -n 1 | grep . || say 'no answer'
  return 1
}

# How many members the set is declared with, which fails where that is missing, and how many there are for all that this one knows: it keeps on record how many there were at
# last. `kubectl scale` makes more: who looks for members looks further.
declared() { grep -x '[1-9][0-9]*' "${0%/*}/members-$name" 2>/dev/null; }
size() {
  local seen=0 least
  [ ! -e "${DATA:-/data}/size" ] || read -r seen <"${DATA:-/data}/size"
  for least in "$(declared || echo 1)" $((${POD_NAME##*-} + 1)); do [ "$seen" -ge "$least" ] || seen=$least; done
  echo "$seen"
}
reach() { echo $(($(size) + 8)); }

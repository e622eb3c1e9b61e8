# shellcheck shell=dash
# What the scripts share. The environment says where members listen: PORT for clients and other members' copies, PEER_PORT for the quorum; POD_IP is this one's address.
# HOSTS, for members without a name server, is a file with lines "ORDINAL HOST" or, without a pod, "ORDINAL HOST gone"; "silent" for one of which the name server says
# nothing.
#
# What a member is and has, it says by Kafka's own protocol: two requests, each of the same bytes every time. The software's own tools take seconds for that, and half a
# gigabyte; they only change who has a vote, and move partitions.
name=${ORDINAL_CLUSTER:-${POD_NAME%-*}}
service=${ORDINAL_SERVICE:-$name.${POD_NAMESPACE:-default}.svc}
tools=${TOOLS:-/tools}
PATH=$tools:$PATH
for folder in /opt/java/openjdk/bin /usr/lib/jvm/*/bin; do PATH=$PATH:$folder; done
export LC_ALL=C

say() { echo "$*"; }

# Whether this member lost its vote while it ran, and only waits for its pod to go. It is ready: Kubernetes takes no member of an ordered set away while one before it is not.
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

# request ADDRESS BYTES: what a broker answers to a request, by Kafka's protocol: a line for each byte, in decimal, without the four of the size. The connection stays until the
# answer is whole: a broker does not answer one that is closed on one side.
request() {
  local answered tries=0
  answered=$(mktemp "$tools/answered.XXXXXX") || return 1
  {
    # shellcheck disable=SC2059 # These are bytes.
    printf "$2"
    until [ -s "$answered" ] || [ "$tries" -gt 200 ]; do tries=$((tries + 1)); usleep 20000; done
  } 2>/dev/null | timeout "${limit:-4}" nc "$1" "$PORT" 2>/dev/null | {
    size=$(dd bs=1 count=4 2>/dev/null | xxd -p)
    [ -z "$size" ] || dd bs=$((0x$size)) count=1 iflag=fullblock 2>/dev/null
    echo . >"$answered"
  } | hexdump -v -e '1/1 "%u\n"'
  rm -f "$answered"
}

# What an answer is read with: numbers of so many bytes, and texts, short ones and those whose length is a number of the compact kind.
# shellcheck disable=SC2016 # It is awk's.
reader='
  function number(bytes,  value) {for (value = 0; bytes > 0; bytes--) {if ((getline) <= 0) exit 1; value = value * 256 + $0} return value}
  function text(size,  value) {for (value = ""; size > 0; size--) value = value sprintf("%c", number(1)); return value}
  function word(  size) {size = number(2); return size == 65535 ? "" : text(size)}
  function compact(  value, scale, part) {for (scale = 1; ; scale *= 128) {part = number(1); value += part % 128 * scale; if (part < 128) return value}}
  function skip(size) {for (; size > 0; size--) number(1)}
  function ids(  size, all, id) {for (size = number(4); size > 0; size--) {id = number(4); all = all (all == "" ? "" : ",") id} return all == "" ? "-" : all}
'
# metadata ADDRESS [all]: what a broker knows. "cluster ID"; "broker ID" for each that serves; with `all`, "partition TOPIC NUMBER REPLICAS INSYNC" for each, the last two with
# commas. Nothing where it does not answer.
metadata() {
  local topics='\0\0\0\0'
  [ "${2:-}" != all ] || topics='\377\377\377\377'
  request "$1" "\0\0\0\016\0\003\0\002\0\0\0\0\377\377$topics" | awk "$reader"'BEGIN {
    number(4)
    for (brokers = number(4); brokers > 0; brokers--) {print "broker", number(4); word(); number(4); word()}
    print "cluster", word()
    number(4)
    for (topics = number(4); topics > 0; topics--) {
      number(2); topic = word(); number(1)
      for (parts = number(4); parts > 0; parts--) {number(2); part = number(4); number(4); replicas = ids(); print "partition", topic, part, replicas, ids()}
    }
  }'
}
# quorum ADDRESS: what the member that leads the quorum says, by a broker. "leader ID"; "committed OFFSET"; "voter ID OFFSET DIRECTORY" and "observer …" for each, with the
# directory in hexadecimal. Nothing where none leads.
quorum() {
  request "$1" '\0\0\0\047\0\067\0\002\0\0\0\0\377\377\0\002\023__cluster_metadata\002\0\0\0\0\0\0\0' | awk "$reader"'
    function members(kind,  size, id, folder, i, end) {
      for (size = compact() - 1; size > 0; size--) {
        id = number(4); folder = ""
        for (i = 0; i < 16; i++) folder = folder sprintf("%02x", number(1))
        end = number(8); skip(16); skip(number(1))
        print kind, id, end, folder
      }
    }
    BEGIN {
      number(4); number(1)
      if (number(2) != 0) exit 1
      skip(compact() - 1)
      if (compact() != 2) exit 1
      skip(compact() - 1)
      if (compact() != 2) exit 1
      number(4)
      if (number(2) != 0) exit 1
      skip(compact() - 1)
      print "leader", number(4)
      number(4)
      print "committed", number(8)
      members("voter"); members("observer")
    }'
}
# Of such lines: what follows these words.
of() { printf '%s\n' "$1" | awk -v what="$2" -v id="${3:-}" '$1 == what && (id == "" || $2 == id) {$1 = ""; if (id != "") $2 = ""; sub(/^ +/, ""); print}'; }

# Whether a broker serves.
serves() { metadata "$1" | grep -q '^broker'; }
# The address of the first of these members that serves, other than this one.
serving() {
  local k at
  for k in "$@"; do
    [ "$k" != "${POD_NAME##*-}" ] || [ -n "${ORDINAL_CLUSTER:-}" ] || continue
    at=$(address "$k") && [ -n "$at" ] && serves "$at" && { echo "$at"; return; }
  done
  return 1
}
# The same, or this one where no other does.
anyone() {
  # shellcheck disable=SC2046 # A list of words.
  serving $(ordinals "$(reach)") || { [ -z "${ORDINAL_CLUSTER:-}" ] && serves "$POD_IP" && echo "$POD_IP"; }
}

# Whether each voter but one has what was committed when it was asked, by a member that serves. Says which has not. What the leader knows of a voter is a little old.
voters_in_step() {
  local lines committed behind tries=0
  lines=$(quorum "$1")
  committed=$(of "$lines" committed)
  [ -n "$committed" ] || { say 'no member leads the quorum'; return 1; }
  while :; do
    behind=$(printf '%s\n' "$lines" | awk -v end="$committed" -v but="$2" '$1 == "voter" && $2 != but && $3 + 0 < end + 0 {print $2; exit}')
    [ -n "$behind" ] || return 0
    tries=$((tries + 1)); [ "$tries" -le 5 ] || { say "$name-$behind is behind in the quorum's log"; return 1; }
    sleep 0.5; lines=$(quorum "$1")
  done
}

# Whether the others can do without a member: each partition has all of its other replicas in step, each other voter has what the quorum has, and each other member that has
# a pod has a vote. So neither a quorum nor a partition is lost where there are three replicas or more.
can_spare() {
  local via lines said votes k at count
  via=$(anyone) || { say 'no member serves'; return 1; }
  lines=$(metadata "$via" all)
  [ -n "$lines" ] || { say 'no answer'; return 1; }
  said=$(printf '%s\n' "$lines" | awk -v id="$1" -v name="$name" '$1 == "partition" {
    count = split($4, replica, ",")
    for (i = 1; i <= count; i++) if (replica[i] != id && index("," $5 ",", "," replica[i] ",") == 0) {print name "-" replica[i] " is behind in " $2 "-" $3; exit}
  }')
  [ -z "$said" ] || { say "$said"; return 1; }
  voters_in_step "$via" "$1" || return 1
  votes=$(quorum "$via"); count=$(declared || echo 0)
  for k in $(ordinals "$(reach)"); do
    { [ "$k" != "$1" ] && [ "$k" -lt "$count" ]; } || continue
    [ -z "$(of "$votes" voter "$k")" ] || continue
    at=$(address "$k") || { say 'the name server does not answer'; return 1; }
    [ -z "$at" ] || { say "$name-$k has no vote yet"; return 1; }
  done
}

# tool CLASS ARGUMENT…: one of the software's own tools.
tool() { timeout "${limit:-90}" java -Xmx96m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "${CLASSPATH:-/opt/kafka/libs/*}" "$@" 2>&1; }
# The last line that says why a tool failed.
reason() { printf '%s\n' "$1" | grep -Ei 'exception|error|cannot|fail' | head -n 1 | cut -c 1-300 | grep . || say 'no answer'; }
# remove_voter ADDRESS ID DIRECTORY: takes a member's vote, by a broker.
remove_voter() {
  local folder said
  folder=$(printf '%s' "$3" | xxd -r -p | base64 | tr '/+' '_-' | tr -d =)
  said=$(tool org.apache.kafka.tools.MetadataQuorumCommand --bootstrap-server "$(bracketed "$1"):$PORT" remove-controller --controller-id "$2" --controller-directory-id "$folder") ||
    { reason "$said"; return 1; }
}

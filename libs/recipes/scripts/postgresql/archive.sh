#!/bin/sh
# archive.sh PATH FILE: puts a file of the log into the archive, whole or not at all. Every member does so: of a file that is there already, the same is the same.
# shellcheck source-path=SCRIPTDIR source=member.sh
. "${0%/*}/member.sh"
archive=${BACKUPS:-/backups}/$namespace/$name/wal
mkdir -p "$archive" || exit 1
if [ -e "$archive/$2" ]; then cmp -s "$1" "$archive/$2"; exit; fi
part=$archive/.$2.$POD_NAME
cp "$1" "$part" && sync "$part" && mv "$part" "$archive/$2"

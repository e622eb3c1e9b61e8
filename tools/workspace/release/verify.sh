#!/bin/sh
# Checks a release without a network: sh verify.sh PUBLIC-KEY.pem [FOLDER]. It needs sha256sum and openssl.
# Take this script and the key from where you trust them, not from the folder that they are to check.
set -eu
key=$(realpath "$1")
cd "${2:-$(dirname "$0")}"
signature=$(mktemp)
trap 'rm -f "$signature"' EXIT
openssl base64 -d -A -in SHA256SUMS.sig -out "$signature"
openssl dgst -sha256 -verify "$key" -signature "$signature" SHA256SUMS
sha256sum --check --strict --quiet SHA256SUMS
listed=$(sed 's/^[0-9a-f]*  //' SHA256SUMS | sort)
present=$(find . ! -type d | sed 's/^..//' | grep -vxE 'SHA256SUMS(\.sig|\.sigstore\.json)?' | sort)
[ "$listed" = "$present" ] || { echo 'there are files that SHA256SUMS does not list' >&2; exit 1; }
echo 'Verified: every file is as it was signed, and there is no other'

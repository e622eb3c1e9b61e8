#!/bin/sh
# One question over a connection that is the standard input and output: REQUEST_SUBJECT and REQUEST_BODY, as the system account. The answer goes to descriptor 3.
read -r _ || exit 1
printf 'CONNECT {"verbose":false,"user":"system","pass":"%s"}\r\nSUB _INBOX.recipe.%s 1\r\nPUB %s _INBOX.recipe.%s %s\r\n%s\r\n' \
  "$(cat "$AUTH/system-password")" "$$" "$REQUEST_SUBJECT" "$$" "${#REQUEST_BODY}" "$REQUEST_BODY"
while read -r word rest; do
  case $word in
    MSG) read -r answer; echo "$answer" >&3; exit 0 ;;
    HMSG) echo 'no server answers' >&3; exit 1 ;;
    -ERR) echo "$rest" >&3; exit 1 ;;
    PING*) printf 'PONG\r\n' ;;
  esac
done
exit 1

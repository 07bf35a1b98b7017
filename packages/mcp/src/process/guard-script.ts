/**
 * The guard itself: a program for `sh`, which every POSIX system has and which
 * is the smallest there is to run. Its input, from the host, is lines: `+ 123`
 * to watch over the group 123, `- 123` to forget it. The input ends when the
 * host does; what is being watched then has lost its host.
 *
 * It may only ever hit what it was told of. A number that is none, or 0 or 1
 * (which mean "everybody" to `kill`), is passed over, and so is a line that was
 * cut off. A group whose leader started at another time is somebody else's that
 * has got the same number. Only Linux tells that time; elsewhere the number would
 * have to change hands in the guard's last three seconds to be mistaken.
 *
 * `kill -TERM -123` without `--`, since not every `sh` knows that; whole
 * seconds, since not every `sleep` knows parts of one.
 */
export function guardScript(hostPid: number, procDir = "/proc"): string {
  return `# Plugboard: ends the servers of process ${hostPid} if it dies without having done so.
set -f
trap '' HUP INT QUIT TERM
watched=

start_of() {
  start= stat=
  read -r stat <"${procDir}/$1/stat" || return 0
  set -- \${stat##*) }
  start=\${20}
}

forget() {
  rest=
  for one in $watched; do [ "\${one%:*}" = "$1" ] || rest="$rest $one"; done
  watched=$rest
}

forget_the_dead() {
  rest=
  for one in $watched; do
    kill -0 "-\${one%:*}" || continue
    start_of "\${one%:*}"
    case "\${one#*:}:$start" in *: | :* | "$start:$start") rest="$rest $one" ;; esac
  done
  watched=$rest
}

while read -r what group; do
  case $group in '' | *[!0-9]* | 0* | 1) continue ;; esac
  case $what in
    +) start_of "$group"; watched="$watched $group:$start" ;;
    -) forget "$group" ;;
  esac
done

# Their input has ended with the host; most need no more than that.
for signal in 0 TERM 0 KILL; do
  forget_the_dead
  [ "$watched" ] || exit 0
  for one in $watched; do kill "-$signal" "-\${one%:*}"; done
  [ "$signal" = KILL ] || sleep 1
done
`;
}

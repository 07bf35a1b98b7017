/**
 * The shell script of the orphan guard. It runs under `sh`, which every POSIX system has. The host writes lines to its
 * stdin: `+ 123` watches process group 123, `- 123` stops watching it. Its stdin ends when the host dies. The guard
 * then stops all groups that it still watches.
 *
 * The guard must never signal an unrelated process. It skips a truncated line, a value that is not a number, and 0 and
 * 1, which `kill` treats specially. It also skips a group whose leader has another start time, because the number has
 * been reused. Only Linux shows the start time.
 *
 * The script avoids `kill --` and fractions of a second in `sleep`, because some systems do not support them.
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

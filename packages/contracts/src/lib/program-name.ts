/** Returns the lower-case name of a program without its folder and its Windows extension (.exe, .cmd, .bat). */
export function programName(command: string): string {
  const name = command.slice(Math.max(command.lastIndexOf("/"), command.lastIndexOf("\\")) + 1);
  return name.replace(/\.(?:cmd|exe|bat)$/i, "").toLowerCase();
}

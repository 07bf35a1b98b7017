/** Returns the name of a program without its folder and the endings of Windows. */
export function programName(command: string): string {
  const name = command.slice(Math.max(command.lastIndexOf("/"), command.lastIndexOf("\\")) + 1);
  return name.replace(/\.(?:cmd|exe|bat)$/i, "").toLowerCase();
}

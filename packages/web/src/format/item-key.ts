/** Returns the key of a tool, a resource or another item in a list of all servers. Pure. */
export function itemKey(server: string, name: string): string {
  return `${server}\n${name}`;
}

/**
 * The task ids that clients of the gateway see: the id of the server, a slash, and the id that the server gave the
 * task. The id of a server contains no slash.
 */
interface ServerTask {
  readonly server: string;
  readonly taskId: string;
}

export function outwardTaskId({ server, taskId }: ServerTask): string {
  return `${server}/${taskId}`;
}

/** Returns undefined for an id that the gateway has not made. */
export function parseOutwardTaskId(outward: string): ServerTask | undefined {
  const slash = outward.indexOf("/");
  return slash <= 0 ? undefined : { server: outward.slice(0, slash), taskId: outward.slice(slash + 1) };
}

/** The runtime of mcporter, as a program embeds it. One runtime connects all servers. */
import { createRuntime } from "mcporter";

export async function connectStdio(command, args) {
  const [client] = await connectServers(command, [args]);
  return client;
}

export async function connectServers(command, args) {
  const cwd = process.cwd();
  const servers = args.map((each, at) => ({
    name: `bench-${at}`,
    command: { kind: "stdio", command, args: each, cwd },
  }));
  const runtime = await createRuntime({ servers });
  const listed = await Promise.all(servers.map(({ name }) => runtime.listTools(name)));
  let closed;
  return listed.map((tools, at) => ({
    tools,
    call: (name, given) => runtime.callTool(`bench-${at}`, name, { args: given }),
    close: () => (closed ??= runtime.close()),
  }));
}

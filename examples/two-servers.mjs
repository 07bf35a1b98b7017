/** Embeds a host with two servers from npm, lists their tools and calls two of them. */
import { createHost } from "@plugboard/host";

const npx = (...args) => ({ command: "npx", args: ["-y", ...args] });
const host = await createHost({
  servers: {
    files: npx("@modelcontextprotocol/server-filesystem", "."),
    memory: npx("@modelcontextprotocol/server-memory"),
  },
  permissions: { allow: ["files:list_*", "memory:read_graph"] },
});
const { ready, errors } = await host.ready();
console.log({ ready, errors, tools: host.tools.list().length });
console.log(await host.tools.call("files:list_directory", { path: "." }));
console.log(await host.tools.call("memory:read_graph", {}));
await host.close();

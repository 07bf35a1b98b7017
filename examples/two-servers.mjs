/** A host in a program: two real servers, one list of tools, one way to call them. */
import { createHost } from "@plugboard/host";

const server = (name, ...args) => ({ command: "npx", args: ["-y", `@modelcontextprotocol/${name}`, ...args] });

const host = await createHost({
  servers: { files: server("server-filesystem", "."), memory: server("server-memory") },
  permissions: { allow: ["files:list_*", "memory:*"] },
});
const { ready, errors } = await host.ready();
console.log("ready:", ready, "failed:", errors);
console.log("tools:", host.tools.list().length);
console.log((await host.tools.call("files:list_directory", { path: "." })).content[0].text);
console.log((await host.tools.call({ server: "memory", tool: "read_graph" }, {})).structuredContent);
await host.close();

/**
 * Logs in at a server. Prints the URL of the login page; open it in a browser on this machine:
 *   node examples/log-in.mjs https://mcp.notion.com/mcp
 */
import { createHost } from "@plugboard/host";

const [, , url] = process.argv;
if (url === undefined) {
  console.error("Pass the URL of a server: node examples/log-in.mjs https://mcp.notion.com/mcp");
  process.exit(2);
}
const host = await createHost({
  servers: { it: { url } },
  ports: { openUrl: (page) => console.log(`Log in at ${page}`) },
});
try {
  const { errors } = await host.ready();
  // With a stored login, from this or another program, the server is ready by now.
  if (errors.it?.code === "AUTH_REQUIRED") await host.servers.login("it");
  const [{ state, login, lastError }] = host.status();
  console.log({ state, login, tools: host.tools.list().map(({ tool }) => tool) });
  if (lastError) throw new Error(lastError.message);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await host.close();
}

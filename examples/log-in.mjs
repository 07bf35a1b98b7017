/** Logs in at a server. Prints the URL of the login page; open it in a browser on this machine. */
import { createHost } from "@plugboard/host";

const [, , url] = process.argv;
const host = await createHost({
  servers: { it: { url } },
  ports: { openUrl: (page) => console.log(`Log in at ${page}`) },
});
const { errors } = await host.ready();
// With a stored login, from this or another program, the server is ready by now.
if (errors.it?.code === "AUTH_REQUIRED") await host.servers.login("it");
const [{ state, login }] = host.status();
console.log({ state, login, tools: host.tools.list().map(({ tool }) => tool) });
await host.close();

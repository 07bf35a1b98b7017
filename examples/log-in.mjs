/** Logging in at a server that wants it: the page is printed, to be opened in any browser of this machine. */
import { createHost } from "@plugboard/host";

const [, , url] = process.argv;
const host = await createHost({
  servers: { it: { url } },
  ports: { openUrl: (page) => console.log(`Log in at ${page}`) },
});
const { errors } = await host.ready();
// One that somebody has logged in at before, in whatever program, is ready by now.
if (errors.it?.code === "AUTH_REQUIRED") await host.servers.login("it");
const [{ state, login }] = host.status();
console.log({ state, login, tools: host.tools.list().map(({ tool }) => tool) });
await host.close();

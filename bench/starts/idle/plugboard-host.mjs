/**
 * Measures the memory that each connected server adds. One server is connected before the measurement, so that memory
 * that all servers share is not counted.
 */
import { fileURLToPath } from "node:url";
import { createHost } from "@plugboard/host";
import { emptyHome } from "../../contestants/empty-home.mjs";
import { residentBytes } from "../resident-bytes.mjs";

const [count] = process.argv.slice(2).map(Number);
const script = fileURLToPath(new URL("../../servers/stdio.mjs", import.meta.url));
// Each definition differs, because equal definitions share one process.
const server = (_, at) => [`server-${at}`, { command: process.execPath, args: [script, String(at)] }];
const servers = Array.from({ length: count + 1 }, server);

const home = emptyHome();
const host = await createHost({ ...home.options, servers: Object.fromEntries(servers.slice(0, 1)) });
await host.ready();
const before = await residentBytes();
await host.servers.set(Object.fromEntries(servers));
const ready = host.status().filter(({ state }) => state === "ready");
if (ready.length !== count + 1) throw new Error(`${ready.length} servers are ready`);
console.log(((await residentBytes()) - before) / count / 1e3);
await host.close();
home.remove();

// @ts-check
/**
 * An HTTP server of the host in a process of its own. Its argument is the keep-alive times as JSON. Prints its port.
 */
import { DrainingHttpServer } from "../../dist/http/draining-http-server.js";

const keepAlive = process.argv[2] ? { keepAlive: JSON.parse(process.argv[2]) } : {};
const { server } = new DrainingHttpServer(async (_, response) => void response.end("ok"), keepAlive);
server.listen(0, "0.0.0.0", () => {
  const address = server.address();
  if (address && typeof address === "object") process.stdout.write(`${address.port}\n`);
});
process.stdin.on("end", () => process.exit()).resume();

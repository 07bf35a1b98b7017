// @ts-check
/** A legacy HTTP server that responds with JSON and has no sessions. Prints its URL when it listens. */
import { createServer } from "node:http";
import { answer } from "./answer.mjs";

const server = createServer((request, response) => {
  if (request.method !== "POST") return void response.writeHead(405).end();
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => {
    const text = answer(body);
    if (text === "") return void response.writeHead(202).end();
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
    response.end(text);
  });
});

// Keeps idle connections open while other contestants run.
server.keepAliveTimeout = 600_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(`http://127.0.0.1:${address.port}/mcp`);
});

// Standard input ends when the parent has finished, or has crashed.
process.stdin.resume().on("end", () => process.exit());

/** Finds out whether `plugboard serve` could use a port, and otherwise which kind of program has it. */
import { once } from "node:events";
import { createServer } from "node:net";
import { isJsonObject } from "@plugboard/contracts";

export interface PortFacts {
  readonly port: number;
  readonly state: "free" | "plugboard" | "taken" | "forbidden";
}

const ANSWER_TIMEOUT_MS = 1000;

export async function probePort(port: number): Promise<PortFacts> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return { port, state: "free" };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") return { port, state: "forbidden" };
    return { port, state: (await isPlugboard(port)) ? "plugboard" : "taken" };
  } finally {
    server.close();
  }
}

/** Recognises the gateway by its error for a request without a token. */
async function isPlugboard(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
    const body: unknown = await response.json();
    const error = isJsonObject(body) ? body["error"] : undefined;
    return response.status === 401 && isJsonObject(error) && error["code"] === "UNAUTHORIZED";
  } catch {
    // Another program does not speak HTTP, or sends no JSON.
    return false;
  }
}

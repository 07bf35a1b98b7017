/** The wire to a server, by the way its definition names. What most don't use is loaded by the first that does. */
import type { Clock } from "../lib/clock.ts";
import type { Processes, ServerProcess } from "../process/index.ts";
import type { Credentials } from "../transport/http/credentials.ts";
import type { HttpTransportOptions } from "../transport/streamable-http/http-transport.ts";
import { StdioTransport } from "../transport/lines/stdio-transport.ts";
import type { Transport } from "../wire/transport.ts";
import { proxyUrl } from "./proxy-url.ts";
import type { Target } from "./target.ts";

export interface OpenTransportOptions {
  readonly server: string;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly random: () => number;
  /** For whoever is reached over a network. */
  readonly credentials?: Credentials | undefined;
  readonly maxMessageBytes: number;
  /** Fires when it is no longer wanted, be it half open. */
  readonly signal: AbortSignal;
  /** Told of the process, where one is started. */
  readonly onProcess: (process: ServerProcess) => void;
}

export async function openTransport(target: Target, options: OpenTransportOptions): Promise<Transport> {
  const { server, processes, clock, credentials, maxMessageBytes, signal, onProcess } = options;
  switch (target.transport) {
    case "stdio": {
      const { command, args, cwd, env } = target;
      const process = await processes.start({ server, command, args, cwd, env });
      onProcess(process);
      return new StdioTransport({ server, process, clock, maxMessageBytes });
    }
    case "http":
    case "claudeai-proxy": {
      const { HttpTransport } = await import("../transport/streamable-http/http-transport.ts");
      const url = target.transport === "http" ? target.url : proxyUrl(target.url, target.id);
      return new HttpTransport(httpOptions(url, target.headers, options));
    }
    case "sse": {
      const { SseTransport } = await import("../transport/sse/sse-transport.ts");
      return new SseTransport(httpOptions(target.url, target.headers, options));
    }
    case "websocket": {
      const { url, headers } = target;
      const { openWebSocket } = await import("../transport/websocket/websocket-transport.ts");
      return openWebSocket({ server, url, headers, credentials, clock, maxMessageBytes, signal });
    }
    case "in-process":
      return target.connect();
  }
}

export function httpOptions(
  url: string,
  headers: HttpTransportOptions["headers"],
  options: OpenTransportOptions,
): HttpTransportOptions {
  const { server, credentials, clock, random, maxMessageBytes } = options;
  return { server, url, headers, credentials, clock, random, maxMessageBytes };
}

/** The wire to a server, by the way its definition names. What most don't use is loaded by the first that does. */
import type { Clock } from "../clock.ts";
import type { Processes, ServerProcess } from "../process/index.ts";
import type { Credentials } from "../transport/credentials.ts";
import type { HttpOptions } from "../transport/http.ts";
import { StdioTransport } from "../transport/stdio.ts";
import type { Transport } from "../wire/transport.ts";
import { proxyUrl } from "./proxy-url.ts";
import type { Target } from "./target.ts";

export interface TransportPorts {
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

export async function openTransport(target: Target, ports: TransportPorts): Promise<Transport> {
  const { server, processes, clock, credentials, maxMessageBytes, signal, onProcess } = ports;
  switch (target.transport) {
    case "stdio": {
      const { command, args, cwd, env } = target;
      const process = await processes.start({ server, command, args, cwd, env });
      onProcess(process);
      return new StdioTransport({ server, process, clock, maxMessageBytes });
    }
    case "http":
    case "claudeai-proxy": {
      const { HttpTransport } = await import("../transport/http.ts");
      const url = target.transport === "http" ? target.url : proxyUrl(target.url, target.id);
      return new HttpTransport(httpOptions(url, target.headers, ports));
    }
    case "sse": {
      const { SseTransport } = await import("../transport/sse.ts");
      return new SseTransport(httpOptions(target.url, target.headers, ports));
    }
    case "websocket": {
      const { url, headers } = target;
      const { openWebSocket } = await import("../transport/websocket.ts");
      return openWebSocket({ server, url, headers, credentials, clock, maxMessageBytes, signal });
    }
    case "in-process":
      return target.connect();
  }
}

export function httpOptions(url: string, headers: HttpOptions["headers"], ports: TransportPorts): HttpOptions {
  const { server, credentials, clock, random, maxMessageBytes } = ports;
  return { server, url, headers, credentials, clock, random, maxMessageBytes };
}

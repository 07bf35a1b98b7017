/** The wire to a server, by the way its definition names. */
import type { Clock } from "../clock.ts";
import type { Processes, ServerProcess } from "../process/index.ts";
import { HttpTransport } from "../transport/http.ts";
import type { HttpOptions } from "../transport/http.ts";
import { SseTransport } from "../transport/sse.ts";
import { StdioTransport } from "../transport/stdio.ts";
import { openWebSocket } from "../transport/websocket.ts";
import type { Transport } from "../wire/transport.ts";
import { proxyUrl } from "./proxy-url.ts";
import type { Target } from "./target.ts";

export interface TransportPorts {
  readonly server: string;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly random: () => number;
  readonly maxMessageBytes: number;
  /** Fires when it is no longer wanted, be it half open. */
  readonly signal: AbortSignal;
  /** Told of the process, where one is started. */
  readonly onProcess: (process: ServerProcess) => void;
}

export async function openTransport(target: Target, ports: TransportPorts): Promise<Transport> {
  const { server, processes, clock, maxMessageBytes, signal, onProcess } = ports;
  switch (target.transport) {
    case "stdio": {
      const { command, args, cwd, env } = target;
      const process = await processes.start({ server, command, args, cwd, env });
      onProcess(process);
      return new StdioTransport({ server, process, clock, maxMessageBytes });
    }
    case "http":
      return new HttpTransport(httpOptions(target.url, target.headers, ports));
    case "claudeai-proxy":
      return new HttpTransport(httpOptions(proxyUrl(target.url, target.id), target.headers, ports));
    case "sse":
      return new SseTransport(httpOptions(target.url, target.headers, ports));
    case "websocket": {
      const { url, headers } = target;
      return openWebSocket({ server, url, headers, clock, maxMessageBytes, signal });
    }
    case "in-process":
      return target.connect();
  }
}

export function httpOptions(url: string, headers: HttpOptions["headers"], ports: TransportPorts): HttpOptions {
  const { server, clock, random, maxMessageBytes } = ports;
  return { server, url, headers, clock, random, maxMessageBytes };
}

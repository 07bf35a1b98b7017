/** Opens the transport to a server. Loads the code of the less common transports only when they are used. */
import type { Clock } from "@plugboard/contracts";
import type { Processes, ServerProcess } from "../process/index.ts";
import type { Credentials } from "../transport/http/credentials.ts";
import type { HttpTransportOptions } from "../transport/streamable-http/http-transport.ts";
import { StdioTransport } from "../transport/lines/stdio-transport.ts";
import type { Transport } from "../wire/transport.ts";
import { proxyUrl } from "./proxy-url.ts";
import type { Target } from "./target.ts";

/** The settings that are the same for every transport of a connection. */
export interface TransportOptions {
  readonly server: string;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly random: () => number;
  /** Used only by transports over a network. */
  readonly credentials?: Credentials | undefined;
  readonly maxMessageBytes: number;
}

export interface TransportAttempt {
  /** Aborts when the transport is no longer needed, even while it is being opened. */
  readonly signal: AbortSignal;
  /** Called if a process is started. */
  readonly onProcess: (process: ServerProcess) => void;
}

/** Returns an open transport that has not been started yet. */
export async function openTransport(
  target: Target,
  options: TransportOptions,
  { signal, onProcess }: TransportAttempt,
): Promise<Transport> {
  const { server, processes, clock, credentials, maxMessageBytes } = options;
  switch (target.transport) {
    case "stdio": {
      const { command, args, cwd, env, sandbox } = target;
      const process = await processes.start({ server, command, args, cwd, env, sandbox });
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
  options: TransportOptions,
): HttpTransportOptions {
  const { server, credentials, clock, random, maxMessageBytes } = options;
  return { server, url, headers, credentials, clock, random, maxMessageBytes };
}

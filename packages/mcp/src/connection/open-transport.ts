/** The wire to a server, by the way its definition names. */
import type { Clock } from "../clock.ts";
import type { Processes, ServerProcess } from "../process/index.ts";
import { HttpTransport } from "../transport/http.ts";
import { StdioTransport } from "../transport/stdio.ts";
import type { Transport } from "../wire/transport.ts";
import type { Target } from "./target.ts";

export interface TransportPorts {
  readonly server: string;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly maxMessageBytes: number;
  /** Told of the process, where one is started. */
  readonly onProcess: (process: ServerProcess) => void;
}

export async function openTransport(target: Target, ports: TransportPorts): Promise<Transport> {
  const { server, processes, clock, maxMessageBytes, onProcess } = ports;
  switch (target.transport) {
    case "stdio": {
      const { command, args, cwd, env } = target;
      const process = await processes.start({ server, command, args, cwd, env });
      onProcess(process);
      return new StdioTransport({ server, process, clock, maxMessageBytes });
    }
    case "http":
      return new HttpTransport({ server, url: target.url, headers: target.headers, maxMessageBytes });
  }
}

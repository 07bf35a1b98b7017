/** Serves one MCP client on a pair of byte streams, in the era that the client speaks. Ends when the input ends. */
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type { Caller, HostError, Clock } from "@plugboard/contracts";
import { systemClock } from "@plugboard/contracts";
import type { McpRequestHandler } from "../session/mcp-request-handler.ts";
import { LegacyServer } from "../dialect/legacy/legacy-server.ts";
import { isModernRequest, ModernServer } from "../dialect/modern/modern-server.ts";
import { ReadThrottle, SharedPause } from "../transport/messages/backpressure.ts";
import { LineReply } from "./line-reply.ts";
import { LineSplitter } from "../transport/lines/line-splitter.ts";
import { parseLine } from "../transport/messages/parse-message.ts";
import type { ParsedMessage } from "../wire/message.ts";

export interface StdioFrontOptions {
  readonly handler: McpRequestHandler;
  readonly caller: Caller;
  readonly input: Readable;
  readonly output: Writable;
  readonly maxMessageBytes?: number;
  readonly clock?: Clock;
  /** The ids of the hosts that started the client. */
  readonly parentHostIds?: readonly string[] | undefined;
}

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

export interface StdioFront {
  /** Resolves when the client's input has ended. */
  readonly ended: Promise<void>;
  /** Returns true while the client waits for an answer. */
  busy(): boolean;
  /** Answers pending requests with the error and ends the output. */
  close(error: HostError): void;
}

export function serveStdioFront(options: StdioFrontOptions): StdioFront {
  const {
    handler,
    caller,
    input,
    output,
    parentHostIds,
    maxMessageBytes = MAX_MESSAGE_BYTES,
    clock = systemClock,
  } = options;
  const reply = new LineReply(output, clock);
  const modern = new ModernServer({ handler, caller, session: caller, parentHostIds, clock });
  const legacy = new LegacyServer({ handler, caller, push: reply, parentHostIds, clock });
  const lines = new LineSplitter(maxMessageBytes);
  // Two reasons pause the input: the client does not read its responses, or its messages take too long to handle.
  const sharedPause = new SharedPause(input);
  const pauseUntilRead = sharedPause.createHandle();
  const throttle = new ReadThrottle(sharedPause.createHandle(), clock);

  const receive = (incoming: ParsedMessage) => {
    if (incoming.type === "request" && isModernRequest(incoming.message.params)) {
      return void modern.receive(incoming.message, reply);
    }
    // The cancelled request may belong to either era, so both servers get the notification.
    if (incoming.type === "notification" && incoming.message.method === "notifications/cancelled") {
      const id = incoming.message.params?.["requestId"];
      if (typeof id === "string" || typeof id === "number") modern.cancel(id);
    }
    legacy.receive(incoming, reply);
  };
  const read = (chunk: Buffer) => {
    const withinLimit = lines.push(chunk, (line) => {
      const incoming = parseLine(line);
      if (incoming) receive(incoming);
    });
    // Ends the connection if a line is over the limit, because the rest of the line can't be skipped.
    if (!withinLimit) input.destroy();
    // Stops reading from a client that does not read its responses.
    if (output.writableNeedDrain) pauseUntilRead.pause();
  };
  input.on("data", (chunk: Buffer) => throttle.handle(chunk, read));
  output.on("drain", () => pauseUntilRead.resume());
  // A write error means that the client has closed its end.
  output.on("error", () => input.destroy());
  /** Called when the input has ended. Then the client needs no answers to its pending requests. */
  const stop = () => {
    throttle.stop();
    modern.close();
    legacy.close();
    reply.close();
  };
  return {
    ended: finished(input, { writable: false }).then(stop, stop),
    busy: () => modern.busy || legacy.busy,
    close(error) {
      modern.close(error);
      legacy.close(error);
      reply.close();
    },
  };
}

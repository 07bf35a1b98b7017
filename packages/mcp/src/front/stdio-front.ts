/** One front on a pair of byte streams, in whichever era it speaks. Ends when its input ends. */
import type { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import type { Caller, HostError } from "@plugboard/contracts";
import { systemClock } from "../clock.ts";
import type { Clock } from "../clock.ts";
import type { Handler } from "../dialect/handler.ts";
import { LegacyServer } from "../dialect/legacy/server.ts";
import { isModern, ModernServer } from "../dialect/modern/server.ts";
import { FairShare } from "../transport/fair-share.ts";
import { LineReply } from "../transport/line-reply.ts";
import { LineSplitter } from "../transport/line-splitter.ts";
import { parseLine } from "../transport/parse-message.ts";
import { ReadHolds } from "../transport/read-holds.ts";
import type { Incoming } from "../wire/message.ts";

export interface StdioFrontOptions {
  readonly handler: Handler;
  readonly caller: Caller;
  readonly input: Readable;
  readonly output: Writable;
  readonly maxMessageBytes?: number;
  readonly clock?: Clock;
  /** The ids of the hosts that started the client. */
  readonly through?: readonly string[] | undefined;
}

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

export interface StdioFront {
  /** Resolves when the client's input has ended. */
  readonly ended: Promise<void>;
  /** Returns true while the client waits for an answer. */
  busy(): boolean;
  /** Answers pending requests with the error and ends the output. */
  close(because: HostError): void;
}

export function serveStdioFront(options: StdioFrontOptions): StdioFront {
  const { handler, caller, input, output, through, maxMessageBytes = MAX_MESSAGE_BYTES, clock = systemClock } = options;
  const reply = new LineReply(output);
  const modern = new ModernServer({ handler, caller, principal: caller, through });
  const legacy = new LegacyServer({ handler, caller, push: reply, through });
  const lines = new LineSplitter(maxMessageBytes);
  const holds = new ReadHolds(input);
  const unread = holds.party();
  const share = new FairShare(holds.party(), clock);

  const receive = (incoming: Incoming) => {
    if (incoming.type === "request" && isModern(incoming.message.params)) {
      return void modern.receive(incoming.message, reply);
    }
    if (incoming.type === "notification" && incoming.message.method === "notifications/cancelled") {
      const id = incoming.message.params?.["requestId"];
      if (typeof id === "string" || typeof id === "number") modern.cancel(id);
    }
    legacy.receive(incoming, reply);
  };
  const read = (chunk: Buffer) => {
    const within = lines.push(chunk, (line) => {
      const incoming = parseLine(line);
      if (incoming) receive(incoming);
    });
    // Nothing can be read behind a line without end.
    if (!within) input.destroy();
    // A client that does not read its answers is not read either.
    if (output.writableNeedDrain) unread.pause();
  };
  input.on("data", (chunk: Buffer) => share.handle(chunk, read));
  output.on("drain", () => unread.resume());
  // A client that is gone can't be written to; its input tells the same.
  output.on("error", () => input.destroy());
  // However it ends, the front is gone.
  const gone = () => {
    share.stop();
    modern.close();
    legacy.close();
  };
  return {
    ended: finished(input, { writable: false }).then(gone, gone),
    busy: () => modern.busy || legacy.busy,
    close(because) {
      modern.close(because);
      legacy.close(because);
      reply.close();
    },
  };
}

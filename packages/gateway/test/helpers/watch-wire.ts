/** Follows the messages between the host of a test and its servers. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { onTestFinished } from "vitest";

interface WireMessage {
  readonly direction: "sent" | "received";
  readonly role: "client" | "server";
  /** The method of the request that a response answers. */
  readonly answers?: string;
  readonly message: { readonly method?: string };
}

/** Calls the listener for each message to or from a server, until the test ends. */
export function watchWire(listener: (message: WireMessage) => void): void {
  const onMessage = (published: unknown) => {
    const message = published as WireMessage;
    if (message.role === "client") listener(message);
  };
  subscribe("plugboard.wire", onMessage);
  onTestFinished(() => void unsubscribe("plugboard.wire", onMessage));
}

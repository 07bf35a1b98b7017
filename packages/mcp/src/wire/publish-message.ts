/**
 * Publishes every message on the Node diagnostics channel `plugboard.wire`, for debugging and validation tools.
 * Costs one boolean check while the channel has no subscriber.
 */
import { channel } from "node:diagnostics_channel";
import type { Message } from "./message.ts";

export interface PublishedMessage {
  readonly direction: "sent" | "received";
  /** The role of Plugboard on this connection. */
  readonly role: "client" | "server";
  readonly revision: string;
  /** The method of the request that a response answers. */
  readonly answers?: string;
  readonly message: Message;
}

const wire = channel("plugboard.wire");

/** Lets code that runs for every message skip even the call of `publishMessage`. */
export function hasSubscribers(): boolean {
  return wire.hasSubscribers;
}

/** Calls `create` only if the channel has a subscriber. Publishes nothing before the revision is known. */
export function publishMessage(create: () => PublishedMessage): void {
  if (!wire.hasSubscribers) return;
  const published = create();
  if (published.revision !== "") wire.publish(published);
}

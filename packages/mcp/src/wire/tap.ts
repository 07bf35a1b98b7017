/**
 * Publishes every message on the Node diagnostics channel `plugboard.wire`, for debugging and validation tools.
 * Costs one boolean check while the channel has no subscriber.
 */
import { channel } from "node:diagnostics_channel";
import type { Message } from "./message.ts";

export interface TappedFrame {
  readonly direction: "sent" | "received";
  /** The role of Plugboard on this connection. */
  readonly role: "client" | "server";
  readonly revision: string;
  /** The method of the request that a response answers. */
  readonly answers?: string;
  readonly message: Message;
}

const wire = channel("plugboard.wire");

/** Lets hot code skip even the creation of the arguments. */
export function isTapped(): boolean {
  return wire.hasSubscribers;
}

/** Publishes nothing before the revision is known. */
export function tap(frame: () => TappedFrame): void {
  if (!wire.hasSubscribers) return;
  const tapped = frame();
  if (tapped.revision !== "") wire.publish(tapped);
}

export function tapClient(
  direction: TappedFrame["direction"],
  revision: string,
  message: Message,
  requestMethod: string | undefined,
): void {
  tap(() => ({
    direction,
    role: "client",
    revision,
    message,
    ...(requestMethod !== undefined && { answers: requestMethod }),
  }));
}

/**
 * Lets a tool outside watch the wire: every frame is published on the Node
 * diagnostics channel `plugboard.wire`. Costs one boolean while nobody listens.
 */
import { channel } from "node:diagnostics_channel";
import type { Message } from "./message.ts";

export interface TappedFrame {
  readonly direction: "sent" | "received";
  /** Which end of the protocol Plugboard is here. */
  readonly role: "client" | "server";
  readonly revision: string;
  /** For a response: the method it answers. */
  readonly answers?: string;
  readonly message: Message;
}

const wire = channel("plugboard.wire");

/** For where even making the function that makes the frame would cost too much. */
export function isTapped(): boolean {
  return wire.hasSubscribers;
}

/** A peer that no dialect has taken in hand speaks no revision, and has nothing to watch. */
export function tap(frame: () => TappedFrame): void {
  if (!wire.hasSubscribers) return;
  const tapped = frame();
  if (tapped.revision !== "") wire.publish(tapped);
}

/**
 * Collects the events of the host for about one animation frame, so that they are applied together. Hundreds of servers
 * can start at once, and drawing the page for each of their events would keep the browser busy. Uses a timer, because
 * animation frames stop while the page is hidden.
 */
import type { HostEvent } from "@plugboard/contracts";

export const BATCH_MS = 16;

export class EventBatch {
  readonly #apply: (events: readonly HostEvent[]) => void;
  #events: HostEvent[] = [];

  constructor(apply: (events: readonly HostEvent[]) => void) {
    this.#apply = apply;
  }

  add(event: HostEvent): void {
    this.#events.push(event);
    if (this.#events.length === 1) setTimeout(() => this.#flush(), BATCH_MS);
  }

  #flush(): void {
    const events = this.#events;
    this.#events = [];
    this.#apply(events);
  }
}

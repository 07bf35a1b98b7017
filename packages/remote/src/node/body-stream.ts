/** The body of a response. Pauses its connection while much of it is unread. */
import { AsyncQueue } from "../http/async-queue.ts";

/** The connection that a body arrives on. */
interface BodyFlow {
  pause(): void;
  resume(): void;
  cancel(): void;
}

const MAX_HELD_BYTES = 1024 * 1024;

export class BodyStream extends AsyncQueue<Uint8Array> {
  readonly #flow: BodyFlow;
  #heldBytes = 0;

  constructor(flow: BodyFlow) {
    super();
    this.#flow = flow;
  }

  override push(chunk: Uint8Array): void {
    super.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes > MAX_HELD_BYTES) this.#flow.pause();
  }

  override async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const item = await super.next();
    const wasPaused = this.#heldBytes > MAX_HELD_BYTES;
    this.#heldBytes -= item.value?.length ?? 0;
    if (wasPaused && this.#heldBytes <= MAX_HELD_BYTES) this.#flow.resume();
    return item;
  }

  override async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.ended) this.#flow.cancel();
    return super.return();
  }
}

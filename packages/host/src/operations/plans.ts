/** Planned changes that wait for the owner's confirmation. A plan belongs to the caller that made it, and expires. */
import { HostError } from "@plugboard/contracts";
import type { Clock } from "@plugboard/contracts";

export interface PlansOptions {
  readonly clock: Pick<Clock, "now">;
  readonly newId: () => string;
}

interface Plan<T> {
  readonly owner: object;
  readonly content: T;
  readonly expiresAt: number;
}

const LIFETIME_MS = 10 * 60_000;
const MAX_PLANS = 200;

export class Plans<T> {
  readonly #plans = new Map<string, Plan<T>>();
  readonly #options: PlansOptions;

  constructor(options: PlansOptions) {
    this.#options = options;
  }

  add(owner: object, content: T): string {
    const id = this.#options.newId();
    this.#dropExpired();
    this.#plans.set(id, { owner, content, expiresAt: this.#options.clock.now() + LIFETIME_MS });
    const [oldest] = this.#plans.keys();
    if (this.#plans.size > MAX_PLANS) this.#plans.delete(oldest!);
    return id;
  }

  /** Expired plans are dropped early, because a plan may contain secrets and tokens. The oldest plan is first. */
  #dropExpired(): void {
    const now = this.#options.clock.now();
    for (const [id, { expiresAt }] of this.#plans) {
      if (expiresAt > now) return;
      this.#plans.delete(id);
    }
  }

  /** Throws NOT_FOUND if the plan is unknown or expired, or belongs to another caller. */
  get(owner: object, id: string): T {
    const plan = this.#plans.get(id);
    if (plan?.owner === owner && plan.expiresAt > this.#options.clock.now()) return plan.content;
    throw new HostError("NOT_FOUND", { subject: "plan with this id" });
  }
}

/**
 * Planned changes that wait for the owner's confirmation. A plan belongs to the caller that made it, expires, and can be
 * applied once.
 */
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
  /** The ids of the plans that are being applied. */
  readonly #applying = new Set<string>();
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

  /** Throws NOT_FOUND if the plan is unknown, expired, applied or being applied, or belongs to another caller. */
  get(owner: object, id: string): T {
    const plan = this.#plans.get(id);
    const isUsable = plan?.owner === owner && plan.expiresAt > this.#options.clock.now() && !this.#applying.has(id);
    if (isUsable) return plan.content;
    throw new HostError("NOT_FOUND", { subject: "plan with this id" });
  }

  /**
   * Applies a plan and removes it, so that it can't undo what happened since. Keeps the plan if `apply` throws, because
   * the caller may try again. Throws like `get`.
   */
  async apply<Result>(owner: object, id: string, apply: (content: T) => Promise<Result>): Promise<Result> {
    const content = this.get(owner, id);
    this.#applying.add(id);
    try {
      const result = await apply(content);
      this.#plans.delete(id);
      return result;
    } finally {
      this.#applying.delete(id);
    }
  }
}

/** Gives out sealed states and takes each back once, from the caller and for the request it was given for. */
import { createHash, randomUUID } from "node:crypto";
import { canonicalJson, HostError } from "@plugboard/contracts";
import type { Caller } from "@plugboard/contracts";
import { steadyNow } from "@plugboard/mcp";
import type { Clock, Op, Suspended } from "@plugboard/mcp";
import { Seal } from "./seal.ts";

/** What a state stands for: a call that waits here, or one that its server has let go. */
export type Kept =
  | { readonly kind: "parked"; readonly parked: string }
  | ({ readonly kind: "portable" } & NonNullable<Suspended["portable"]>);

interface Ticket {
  readonly id: string;
  readonly caller: string;
  readonly request: string;
  /** Steady-clock time. It need not outlive this process, because the state does not. */
  readonly expires: number;
  readonly kept: Kept;
}

export class Tickets {
  readonly #seal = new Seal();
  readonly #clock: Clock;
  readonly #lifeMs: number;
  /** Used already, until they would have expired anyway; oldest first. */
  readonly #claimed = new Map<string, number>();

  constructor(clock: Clock, lifeMs: number) {
    this.#clock = clock;
    this.#lifeMs = lifeMs;
  }

  issue(kept: Kept, op: Op, caller: Caller): string {
    const expires = steadyNow(this.#clock) + this.#lifeMs;
    const ticket: Ticket = { id: randomUUID(), caller: caller.id, request: digest(op), expires, kept };
    return this.#seal.seal(ticket);
  }

  /** Throws STATE_REFUSED for anything but the first use by the right caller for the same request. */
  claim(state: string | undefined, op: Op, caller: Caller): Kept {
    if (state === undefined) throw refused("answers came without one");
    const ticket = this.#seal.open(state) as Ticket | undefined;
    if (!ticket) throw refused("it was not given by this host");
    const now = steadyNow(this.#clock);
    if (ticket.caller !== caller.id) throw refused("it was given to somebody else");
    if (ticket.request !== digest(op)) throw refused("it was given for another request");
    if (ticket.expires <= now) throw refused("it has expired");
    if (this.#claimed.has(ticket.id)) throw refused("it has been used already");
    this.#forgetExpired(now);
    this.#claimed.set(ticket.id, ticket.expires);
    return ticket.kept;
  }

  /** All live equally long, so they expire in the order they were claimed, or nearly. */
  #forgetExpired(now: number): void {
    for (const [id, expires] of this.#claimed) {
      if (expires > now) return;
      this.#claimed.delete(id);
    }
  }
}

function digest(op: Op): string {
  const { name = "", arguments: args = {} } = op.method === "tools/call" ? op.params : {};
  return createHash("sha256")
    .update(canonicalJson([op.method, name, args]))
    .digest("base64url");
}

function refused(what: string): HostError {
  return new HostError("STATE_REFUSED", { what });
}

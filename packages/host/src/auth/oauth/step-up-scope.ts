/**
 * Tracks which scope the next login has to request. A server may demand more scope than the user has granted
 * (step-up authorization).
 */
import type { OAuth } from "./provider-discovery.ts";

const MAX_SHOWN_LENGTH = 200;

export class StepUpScope {
  /** The scope that the last login requested. */
  #requested: string | undefined;
  /** The scope that the server demands and no login has requested yet. */
  #pending: string | undefined;

  get pending(): string | undefined {
    return this.#pending;
  }

  /**
   * Records that the server demands a scope, and returns that scope for display. Returns undefined if a login has
   * requested that scope before, because requesting it again would not help.
   */
  demand(oauth: OAuth, granted: string | undefined, demanded: string | undefined): string | undefined {
    const pending = oauth.stepUpScope(joinScopes(granted, this.#requested), demanded);
    if (pending === undefined) return undefined;
    this.#pending = pending;
    const validScope = oauth.stepUpScope(undefined, demanded) ?? "";
    return validScope.slice(0, MAX_SHOWN_LENGTH);
  }

  /** Returns the granted, the requested and optionally the pending scope for a new login. Clears the pending scope. */
  take(granted: string | undefined, options: { readonly withPending: boolean }): string | undefined {
    const scope = joinScopes(granted, this.#requested, options.withPending ? this.#pending : undefined);
    this.#pending = undefined;
    return scope;
  }

  recordRequested(scope: string | undefined): void {
    this.#requested = scope;
  }

  clear(): void {
    this.#requested = this.#pending = undefined;
  }
}

function joinScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const all = scopes.flatMap((scope) => scope?.split(" ") ?? []).filter((scope) => scope !== "");
  return all.length === 0 ? undefined : [...new Set(all)].join(" ");
}

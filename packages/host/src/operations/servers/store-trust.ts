/** Stores the user's trust in a project's definition without a host, because the user has just given the definition. */
import { randomUUID } from "node:crypto";
import { HostError, systemClock, toHostError } from "@plugboard/contracts";
import type { Env, SavedServer } from "@plugboard/contracts";
import type { ConfiguredServer } from "@plugboard/config";
import { SharedState } from "../../core/shared-state.ts";
import { pendingServer } from "../../trust/pending-server.ts";

/**
 * Returns the error instead of throwing it, because the definition is already written. Running hosts notice the trust.
 */
export async function storeTrust(server: ConfiguredServer, env: Env): Promise<NonNullable<SavedServer["trust"]>> {
  try {
    await trustDefinition(server, env);
    return { stored: true };
  } catch (thrown) {
    return { stored: false, error: toHostError(thrown).toJSON() };
  }
}

/** Trusts exactly this definition. */
async function trustDefinition(server: ConfiguredServer, env: Env): Promise<void> {
  const pending = pendingServer(server, { lastTrusted: undefined, replaces: undefined });
  if (!pending) throw new HostError("INTERNAL", { reason: "an invalid definition can't be trusted" });
  const state = new SharedState({ env, clock: systemClock, newId: randomUUID, emit: () => {}, persist: true });
  await state.open();
  await state.trust.grant(pending, pending.definition);
}

/** Stores the user's trust in a project's definition without a host, for commands that start no server. */
import { randomUUID } from "node:crypto";
import { HostError, systemClock } from "@plugboard/contracts";
import type { Env } from "@plugboard/contracts";
import type { ConfiguredServer } from "@plugboard/config";
import { SharedState } from "../host/shared-state.ts";
import { pendingServer } from "../trust/pending-server.ts";

/** Trusts exactly this definition. Throws if the trust can't be stored. Running hosts notice the change. */
export async function trustDefinition(server: ConfiguredServer, env: Env): Promise<void> {
  const pending = pendingServer(server, { lastTrusted: undefined, replaces: undefined });
  if (!pending) throw new HostError("INTERNAL", { reason: "an invalid definition can't be trusted" });
  const state = new SharedState({ env, clock: systemClock, newId: randomUUID, emit: () => {}, persist: true });
  await state.open();
  await state.trust.grant(pending, pending.definition);
}

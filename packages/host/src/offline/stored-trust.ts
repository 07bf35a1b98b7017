/** Reads which servers the user trusts, without a host. */
import { randomUUID } from "node:crypto";
import type { Env } from "@plugboard/contracts";
import { systemClock } from "@plugboard/contracts";
import type { IsTrusted } from "@plugboard/config";
import { SharedState } from "../core/shared-state.ts";
import { definitionHash } from "@plugboard/config";

/** Trusts no server if the state folder can't be used. */
export async function readStoredTrust(env: Env): Promise<IsTrusted> {
  const { trust } = await openSharedState(env);
  return (server) => trust.isTrusted({ ...server, hash: definitionHash(server) });
}

/** Opens the shared state. A state folder that can't be used counts as empty, and `openError` is set. */
export async function openSharedState(env: Env): Promise<SharedState> {
  const state = new SharedState({ env, clock: systemClock, newId: randomUUID, emit: () => {}, persist: true });
  await state.open();
  return state;
}

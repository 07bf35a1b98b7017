/** Finds the plain-text secrets of a planned definition, and makes a definition that refers to stored secrets. */
import type * as Clients from "@plugboard/config/clients";
import { HostError } from "@plugboard/contracts";
import type { FoundSecret, ImportPlan, ServerEntry, WorkspaceSecrets } from "@plugboard/contracts";
import type { ConfiguredServer } from "@plugboard/config";
import type { ValidDefinition } from "./describe-plan.ts";

type ClientTransfer = typeof Clients;
type StoreState = Pick<ImportPlan, "secretStoreProblem" | "unencrypted">;

interface PlannedDefinition {
  readonly id: string;
  readonly definition: ValidDefinition;
  /** The definition that the planned one replaces. */
  readonly replaced: ConfiguredServer["definition"] | undefined;
}

export interface FoundSecrets extends StoreState {
  /** The definition that refers to the secrets by name, and its entry. */
  readonly definition: ValidDefinition;
  readonly entry: ServerEntry;
  readonly secrets: readonly (FoundSecret & { readonly value: string })[];
  /** True if the replaced definition already has all these secrets in plain text. */
  readonly alreadyPlain: boolean;
}

/** Returns undefined if the definition has no such secrets. */
export async function findStorableSecrets(
  { id, definition, replaced }: PlannedDefinition,
  secretStore: Pick<WorkspaceSecrets, "list">,
): Promise<FoundSecrets | undefined> {
  const { extractNamedSecrets, readStoredSecrets, SecretNames, toPlainEntry } =
    await import("@plugboard/config/clients");
  const extract = (users: ReadonlyMap<string, readonly string[]>) =>
    extractNamedSecrets(id, definition, replaced, new SecretNames(users));
  // Most definitions have no secrets. Then the secret store need not be opened.
  if (extract(new Map()).secrets.length === 0) return undefined;
  const stored = await readStoredSecrets(secretStore).catch(toStoreProblem);
  const { definition: referring, secrets } = extract("users" in stored ? stored.users : new Map());
  const isReplacing = replaced && !("invalid" in replaced);
  const before = isReplacing ? extractNamedSecrets(id, replaced, undefined, new SecretNames(new Map())).secrets : [];
  const isOld = ({ key, value }: (typeof secrets)[number]) =>
    before.some((other) => other.key === key && other.value === value);
  return {
    definition: referring,
    entry: toPlainEntry(referring),
    secrets,
    alreadyPlain: secrets.every(isOld),
    ...describeStore(stored),
  };
}

/** An invalid or missing config file does not prevent the plan: the definition may be about to create the file. */
function toStoreProblem(thrown: unknown): { readonly problem: string } {
  if (thrown instanceof HostError && thrown.code === "CONFIG_INVALID") return { problem: thrown.message };
  throw thrown;
}

export function describeStore(stored: Awaited<ReturnType<ClientTransfer["readStoredSecrets"]>>): StoreState {
  if ("problem" in stored) return { secretStoreProblem: stored.problem };
  return stored.encrypted ? {} : { unencrypted: true };
}

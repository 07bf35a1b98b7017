/**
 * Plans, tests and saves the definition of a server. Only `plan` takes a definition, and it returns the exact command.
 * `test` and `save` take the id of the plan. So no single request can make the host run a command.
 */
import { cancelled, canonicalJson, EDITABLE_SCOPES, HostError, isJsonObject, toHostError } from "@plugboard/contracts";
import type {
  RegistrySecret,
  HostErrorCode,
  Json,
  PlanServerOptions,
  SavedServer,
  SaveServerOptions,
  ServerDraft,
  ServerEntry,
  ServerPlan,
  ServerTest,
  StorableSecrets,
  WorkspaceSecrets,
} from "@plugboard/contracts";
import { configureEntry, entryIn } from "@plugboard/config/edit";
import { redactedEntry, unmaskedEntry } from "@plugboard/config";
import type { ConfiguredServer } from "@plugboard/config";
import { describeDefinition, describePlannedTarget } from "./describe-plan.ts";
import type { ValidDefinition } from "./describe-plan.ts";
import { findDefinitionFile } from "./find-definition-file.ts";
import type { Plans } from "../plans.ts";
import { restoreMasked } from "./restore-masked.ts";
import { requireSameDestinations } from "./same-destinations.ts";
import { saveServer } from "./save-server.ts";
import { spawnProblems } from "./spawn-problems.ts";
import { findStorableSecrets } from "./storable-secrets.ts";
import type { FoundSecrets } from "./storable-secrets.ts";
import { withSecretValues } from "./with-secret-values.ts";
import type { OpenHost, OperationsPlace } from "../operations-context.ts";

export interface ServerPlansOptions {
  readonly openHost: OpenHost;
  readonly place: OperationsPlace;
  readonly secrets: WorkspaceSecrets;
  readonly plans: Plans<PlannedServer>;
  /** The caller that owns the plans. */
  readonly owner: object;
}

export interface PlannedServer {
  readonly draft: ServerDraft;
  readonly entry: ServerEntry;
  /** The folder of the scope. Relative paths of the entry start there. */
  readonly folder: string;
  /** The secrets that the entry refers to. Secrets with a value are stored when the entry is saved. */
  readonly secrets: readonly RegistrySecret[];
  /** The server's entry in the file at the time of planning. Undefined if there was none. */
  readonly before: Json | undefined;
  /** An alternative entry: it refers to secrets that the planned entry has in plain text. */
  readonly referring?: { readonly entry: ServerEntry; readonly secrets: readonly RegistrySecret[] };
}

export class ServerPlans {
  readonly #options: ServerPlansOptions;

  constructor(options: ServerPlansOptions) {
    this.#options = options;
  }

  /** `secrets` are the secrets that the entry refers to. */
  async plan(
    sent: ServerDraft,
    { findSecrets = true, secrets = [] }: PlanServerOptions & { readonly secrets?: readonly RegistrySecret[] } = {},
  ): Promise<ServerPlan> {
    const { place, secrets: store, plans, owner } = this.#options;
    const draft = parseDraft(sent);
    const { id, scope, replace = false } = draft;
    const { file, folder, existing } = await findDefinitionFile(id, scope, place);
    const old = existing?.layer?.servers.find((server) => server.id === id);
    if (existing && !replace) throw new HostError("SERVER_EXISTS", { server: id, file });
    const replaced = old && !("invalid" in old.definition) ? old.definition : undefined;
    const entry = restoreEntry(draft.entry, replaced);
    const { server, problems } = await configureEntry(id, entry, file, { source: scope, folder });
    const before = existing && entryIn(existing.text!, id);
    const { definition } = server;
    if ("invalid" in definition) throw new HostError("SERVER_INVALID", { server: id, reason: definition.invalid });
    const isTyped = canonicalJson(entry) === canonicalJson(draft.entry);
    if (replaced && !isTyped) requireSameDestinations(definition, replaced);
    const storable = findSecrets
      ? await findStorableSecrets({ id, definition, replaced: old?.definition }, store)
      : undefined;
    const planned = { draft, entry, folder, secrets, before, ...(storable && { referring: storable }) };
    return {
      plan: plans.add(owner, planned),
      id,
      file,
      ...describePlannedTarget(definition, folder, isTyped),
      ...describeDefinition(server, definition, old),
      problems: [...problems, ...(await spawnProblems(server, place.env))],
      ...(secrets.length > 0 && { secrets: secrets.map(({ name, value }) => ({ name, given: value !== undefined })) }),
      ...(storable && { storable: describeStorable(storable, server, old) }),
    };
  }

  /** Throws CANCELLED if the signal is aborted. The server is stopped then, unless another workspace uses it. */
  async test(plan: string, { signal }: { readonly signal?: AbortSignal | undefined } = {}): Promise<ServerTest> {
    const { openHost, place, plans, owner } = this.#options;
    const { draft, entry: planned, folder, secrets } = plans.get(owner, plan);
    const { id } = draft;
    // The secrets are not stored before the definition is saved, so the test gets their values.
    const entry = withSecretValues(planned as Json, secrets) as ServerEntry;
    const startedAt = performance.now();
    const elapsed = () => Math.round(performance.now() - startedAt);
    // The saved server resolves paths in the folder of its scope, and gets the roots of the workspace.
    const roots = entry["roots"] === true && { roots: [place.cwd] };
    const host = await openHost();
    const open = await host.open({ cwd: folder, servers: { [id]: { ...entry, ...roots, enabled: true } } });
    const workspace = host.bind(open, { kind: "program", id: "test" });
    try {
      if (signal?.aborted) throw cancelled();
      await workspace.servers.connect(id, { signal });
      const { offered, serverInfo, era, version, stderr } = await workspace.servers.detail(id);
      return {
        ok: true,
        durationMs: elapsed(),
        tools: offered.map(({ name }) => name),
        ...(serverInfo && { serverInfo }),
        ...(era && { era }),
        ...(version !== undefined && { version }),
        ...(stderr !== undefined && { stderr }),
      };
    } catch (thrown) {
      if (signal?.aborted) throw cancelled();
      const { stderr } = await workspace.servers.detail(id);
      const error = toHostError(thrown);
      const failed = { ok: false, durationMs: elapsed(), tools: [] };
      return stderr
        ? { ...failed, error: withoutStderr(error).toJSON(), stderr }
        : { ...failed, error: error.toJSON() };
    } finally {
      await host.release(open);
    }
  }

  async save(plan: string, { storeSecrets: storing = false }: SaveServerOptions = {}): Promise<SavedServer> {
    const { place, plans, owner } = this.#options;
    return plans.apply(owner, plan, ({ draft, before, referring, ...planned }) => {
      const entry = (storing ? referring?.entry : undefined) ?? planned.entry;
      const secrets = [...planned.secrets, ...(storing ? (referring?.secrets ?? []) : [])];
      return saveServer({ draft, entry, before, storeSecrets: () => this.#store(secrets) }, place);
    });
  }

  async #store(secrets: readonly RegistrySecret[]): Promise<void> {
    const given = secrets.filter(({ value }) => value !== undefined);
    for (const { name, value } of given) await this.#options.secrets.set(name, value!);
  }
}

/** Removes stderr from the error, because the test returns it separately. */
function withoutStderr<Code extends HostErrorCode>(error: HostError<Code>): HostError<Code> {
  return new HostError(error.code, { ...error.details, stderr: undefined }, { cause: error.cause });
}

function parseDraft(draft: ServerDraft): ServerDraft {
  const { id, scope, entry, replace } = draft as { readonly [Key in keyof ServerDraft]: unknown };
  if (typeof id !== "string" || !EDITABLE_SCOPES.some((one) => one === scope) || !isJsonObject(entry))
    throw new HostError("USAGE", { message: "a draft needs an id, a scope and an entry" });
  return { id, scope: scope as ServerDraft["scope"], entry, replace: replace === true };
}

/** Puts the values of the replaced definition back in place of their masks. */
function restoreEntry(entry: ServerEntry, replaced: ValidDefinition | undefined): ServerEntry {
  const [masked, original] = replaced ? [redactedEntry(replaced), unmaskedEntry(replaced)] : [];
  return restoreMasked(entry as Json, masked, original) as ServerEntry;
}

function describeStorable(
  { definition, secrets, alreadyPlain, secretStoreProblem, unencrypted }: FoundSecrets,
  server: ConfiguredServer,
  old: ConfiguredServer | undefined,
): StorableSecrets {
  return {
    ...describeDefinition(server, definition, old),
    found: secrets.map(({ key, name }) => ({ key, name })),
    ...(alreadyPlain && { alreadyPlain }),
    ...(secretStoreProblem !== undefined && { secretStoreProblem }),
    ...(unencrypted && { unencrypted }),
  };
}

/** Implements `Management` for the callers of the running host. */
import { randomUUID } from "node:crypto";
import type { Env, HostInfo, HostOverview, Management, TokenInfo, WorkspaceSpec, Clock } from "@plugboard/contracts";
import { requireScopeFiles } from "@plugboard/config";
import type { FileChange } from "@plugboard/config/clients";
import type { Host } from "@plugboard/host/internal";
import { addNamedToken, deleteNamedToken, readNamedTokens } from "../auth/named-tokens.ts";
import type { NamedToken } from "../auth/named-tokens.ts";
import { ClientConnections } from "./client-connections.ts";
import { listFrontNames } from "./front-names.ts";
import { ImportPlans } from "./import-plans.ts";
import type { PlannedImport } from "./import-plans.ts";
import { listRules, setRule } from "./permission-rules.ts";
import { Plans } from "./plans.ts";
import { effectiveProfiles } from "./effective-profiles.ts";
import { fillRegistryDraft } from "./fill-registry-draft.ts";
import { searchRegistry } from "./search-registry.ts";
import { enableServer, enableTool, listDefinitions, listHiddenTools, removeServer } from "./server-files.ts";
import { ServerPlans } from "./server-plans.ts";
import type { PlannedServer } from "./server-plans.ts";

/** The workspace whose config files are changed. */
export interface ManagedPlace {
  readonly cwd: string;
  readonly env: Env;
  /** The files of `--config`. */
  readonly configFiles: readonly string[];
}

export interface HostManagementOptions {
  readonly host: Pick<Host, "open" | "release" | "bind" | "failedCalls">;
  readonly env: Env;
  readonly clock: Pick<Clock, "now">;
  readonly info: () => HostInfo;
  /** Returns the origin of the sandbox of Apps. Undefined without an open port. */
  readonly sandboxOrigin: () => Promise<string | undefined>;
  /** The path of the script that starts `plugboard`, for the config files of other clients. */
  readonly script: string;
}

export class HostManagement {
  readonly #options: HostManagementOptions;
  readonly #servers: Plans<PlannedServer>;
  readonly #imports: Plans<PlannedImport>;
  readonly #changes: Plans<FileChange>;

  constructor(options: HostManagementOptions) {
    this.#options = options;
    const planOptions = { clock: options.clock, newId: randomUUID };
    this.#servers = new Plans(planOptions);
    this.#imports = new Plans(planOptions);
    this.#changes = new Plans(planOptions);
  }

  /** Returns the methods for one caller and the workspace that it manages. */
  for(owner: object, spec: WorkspaceSpec): Management {
    const { host, env, clock, info, script } = this.#options;
    const place: ManagedPlace = { cwd: spec.cwd, env, configFiles: spec.configFiles ?? [] };
    const servers = new ServerPlans({ host, place, plans: this.#servers, owner });
    const imports = new ImportPlans({ host, place, plans: this.#imports, owner });
    const endpoint = () => info().port?.endpoint;
    const clients = new ClientConnections({ place, plans: this.#changes, owner, script, endpoint });
    return {
      overview: () => this.#overview(place),
      definitions: (id) => listDefinitions(id, place),
      planServer: (draft) => servers.plan(draft),
      testServer: (plan, options) => servers.test(plan, options),
      saveServer: (plan, options) => servers.save(plan, options),
      removeServer: (id, scope) => removeServer(id, scope, place),
      enableServer: (id, enabled) => enableServer(id, enabled, place),
      enableTool: (server, tool, enabled) => enableTool(server, tool, enabled, place),
      hiddenTools: () => listHiddenTools(place),
      frontNames: (server, tool) => listFrontNames({ server, tool }, place),
      rules: (filter) => listRules(place, filter),
      setRule: (rule, effect) => setRule(rule, effect, place),
      callFailure: async (call) => host.failedCalls.find(call),
      planImport: () => imports.plan(),
      importServers: (plan, keys, options) => imports.apply(plan, keys, options),
      searchRegistry: (words) => searchRegistry(words, env),
      planRegistryServer: async (draft) => servers.plan(...(await fillRegistryDraft(draft, env))),
      tokens: async () => (await readNamedTokens(env)).map(withoutDigest),
      createToken: (name, { profile, mayApprove = false } = {}) =>
        addNamedToken(env, { name, profile, mayApprove, now: clock.now() }),
      revokeToken: (name) => deleteNamedToken(env, name),
      clients: () => clients.list(),
      connectInstructions: (client, options) => clients.instructions(client, options),
      planConnect: (client, options) => clients.planConnect(client, options),
      planDisconnect: (client) => clients.planDisconnect(client),
      changeClient: (plan) => clients.applyPlan(plan),
    };
  }

  async #overview(place: ManagedPlace): Promise<HostOverview> {
    const { version, startedAt, port, clients } = this.#options.info();
    const scopes = await Promise.all(
      (["user", "project", "local"] as const).map(async (scope) => {
        const found = await requireScopeFiles(scope, place.cwd, place.env).catch(() => undefined);
        return found ? [{ scope, file: found.files.at(-1)!, folder: found.folder }] : [];
      }),
    );
    const sandboxOrigin = await this.#options.sandboxOrigin();
    return {
      version,
      startedAt,
      folder: place.cwd,
      clients,
      scopes: scopes.flat(),
      profiles: [...(await effectiveProfiles(place)).keys()],
      ...(port && { endpoint: port.endpoint }),
      ...(sandboxOrigin !== undefined && { sandboxOrigin }),
    };
  }
}

function withoutDigest({ name, createdAt, profile, mayApprove }: NamedToken): TokenInfo {
  return { name, createdAt, mayApprove, ...(profile !== undefined && { profile }) };
}

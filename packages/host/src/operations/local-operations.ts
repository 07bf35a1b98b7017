/**
 * Implements all operations of `Operations`: each method calls the function that does the work. Runs in the process of
 * a running host or of a command.
 */
import { EDITABLE_SCOPES, HostError } from "@plugboard/contracts";
import type { Clock, HostInfo, HostOverview, Operations, TokenInfo } from "@plugboard/contracts";
import { VERSION } from "../lib/version.ts";
import { requireScopeFiles } from "@plugboard/config";
import { parseEntryJson } from "@plugboard/config/edit";
import { ensureStateFolder, userKeyRing } from "@plugboard/store";
import type { Host } from "../core/host.ts";
import { addNamedToken, deleteNamedToken, readNamedTokens } from "../tokens/named-tokens.ts";
import type { NamedToken } from "../tokens/named-tokens.ts";
import { ownerToken } from "../tokens/owner-token.ts";
import { ClientConnections } from "./clients/client-connections.ts";
import type { PlannedChange } from "./clients/client-connections.ts";
import { readConfigFacts, redactSecrets } from "./config/config-facts.ts";
import { exportServers } from "./clients/export-servers.ts";
import { listFrontNames } from "./tools/front-names.ts";
import { ImportPlans } from "./clients/import-plans.ts";
import type { PlannedImport } from "./clients/import-plans.ts";
import { permissionDecisions } from "./rules/permission-decisions.ts";
import { addRules, listRules, removeRules } from "./rules/permission-rules.ts";
import { Plans } from "./plans.ts";
import { distrustServers, listPending, trustServer, trustStates } from "./project-trust.ts";
import { effectiveConfig } from "./config/effective-config.ts";
import { effectiveProfiles } from "./config/effective-profiles.ts";
import { checkRegistryValue } from "./registry/check-registry-value.ts";
import { fillRegistryChoice } from "./registry/fill-registry-choice.ts";
import { readRegistryServer } from "./registry/read-registry-server.ts";
import { searchRegistry } from "./registry/search-registry.ts";
import { ShownServers } from "./registry/shown-servers.ts";
import { storedSecrets } from "./stored-secrets.ts";
import { checkConfigFiles, listConfigFiles, openConfigFile } from "./config/config-files.ts";
import { enableTool, listHiddenTools } from "./tools/hidden-tools.ts";
import { listProfiles, removeProfile, setProfile } from "./config/profiles.ts";
import { describeServer, findUnknownServers, listDefinitions, listScope } from "./servers/describe-servers.ts";
import { enableServer } from "./servers/enable-server.ts";
import { removeServers } from "./servers/remove-servers.ts";
import { ServerPlans } from "./servers/server-plans.ts";
import type { PlannedServer } from "./servers/server-plans.ts";
import type { OpenHost, OperationsPlace } from "./operations-context.ts";

export interface LocalOperationsOptions {
  readonly openHost: OpenHost;
  readonly clock: Pick<Clock, "now">;
  readonly newId: () => string;
  /** The path of the script that starts `plugboard`, for the config files of other clients. */
  readonly script: string;
  /** Absent if the operations run in the process of a command. */
  readonly running?: RunningHost | undefined;
}

/** The parts of a running host that are not in its files. */
interface RunningHost {
  info(): HostInfo;
  /** Returns the origin of the sandbox of Apps. Undefined without an open port. */
  sandboxOrigin(): Promise<string | undefined>;
  readonly failedCalls: Pick<Host["failedCalls"], "find">;
  openSecrets: Host["openSecrets"];
  openDecisions: Host["openDecisions"];
}

export class LocalOperations {
  readonly #options: LocalOperationsOptions;
  readonly #servers: Plans<PlannedServer>;
  readonly #imports: Plans<PlannedImport>;
  readonly #changes: Plans<PlannedChange>;
  readonly #shownServers = new ShownServers();

  constructor(options: LocalOperationsOptions) {
    this.#options = options;
    this.#servers = new Plans(options);
    this.#imports = new Plans(options);
    this.#changes = new Plans(options);
  }

  /** Returns the operations of one caller, which owns the plans that it makes. */
  for(owner: object, place: OperationsPlace): Operations {
    const { openHost, clock, running, script } = this.#options;
    const { env } = place;
    const secrets = storedSecrets(place, running);
    const servers = new ServerPlans({ openHost, place, secrets, plans: this.#servers, owner });
    const imports = new ImportPlans({ place, secrets, plans: this.#imports, owner });
    const registryCaller = { owner, place, shown: this.#shownServers };
    const keyRing = userKeyRing(env, clock);
    const port = () => running?.info().port;
    const clients = new ClientConnections({ place, plans: this.#changes, owner, script, clock, port });
    return {
      overview: () => this.#overview(place),
      definitions: (id) => listDefinitions(id, place),
      describeServer: (id, options) => describeServer(id, options, place),
      listScope: (scope) => listScope(scope, place),
      unknownServers: (ids) => findUnknownServers(ids, place),
      parseEntry: async (json) => parseEntryJson(json),
      planServer: (draft, options) => servers.plan(draft, options),
      testServer: (plan, options) => servers.test(plan, options),
      saveServer: (plan, options) => servers.save(plan, options),
      removeServers: (ids, scope) => removeServers(ids, scope, place),
      enableServer: (id, enabled, scope) => enableServer(id, enabled, scope, place),
      configFiles: (options) => listConfigFiles(options, place),
      checkConfig: (file) => checkConfigFiles(file, place),
      openConfigFile: (scope, server) => openConfigFile(scope, server, place),
      // Loads the library for schemas, which no other operation needs.
      configSchema: async () => (await import("@plugboard/config/edit")).configSchema(),
      profiles: () => listProfiles(place),
      setProfile: (name, profile) => setProfile(name, profile, place),
      removeProfile: (name) => removeProfile(name, place),
      enableTool: (server, tool, enabled) => enableTool(server, tool, enabled, place),
      hiddenTools: () => listHiddenTools(place),
      frontNames: (server, tool) => listFrontNames({ server, tool }, place),
      rules: (filter) => listRules(place, filter),
      addRules: (effect, rules, options = {}) => addRules(effect, rules, options, place),
      removeRules: (options) => removeRules(options, place),
      ...permissionDecisions(place, running),
      callFailure: async (call) => running?.failedCalls.find(call) ?? {},
      importFiles: (options) => imports.list(options),
      planImport: (options) => imports.plan(options),
      importServers: (plan, keys, options) => imports.apply(plan, keys, options),
      exportServers: (client, options = {}) => exportServers(client, options, place),
      searchRegistry: (words, options = {}) => searchRegistry(words, options, place),
      registryServer: (name, options = {}) => readRegistryServer(name, options, registryCaller),
      checkRegistryValue: (input, value) => checkRegistryValue(input, value),
      fillRegistryChoice: (filling, { signal } = {}) => fillRegistryChoice(filling, registryCaller, signal),
      planRegistryServer: async ({ scope, ...filling }) => {
        const { entry, secrets: needed } = await fillRegistryChoice(filling, registryCaller);
        return servers.plan({ id: filling.id, scope, entry }, { secrets: needed });
      },
      tokens: async () => (await readNamedTokens(env)).map(withoutDigest),
      createToken: (name, { profile, mayApprove = false } = {}) =>
        addNamedToken(env, { name, profile, mayApprove, now: clock.now() }),
      revokeToken: (name) => deleteNamedToken(env, name),
      ownerToken: () => ownerToken(env),
      keys: () => keyRing.list(),
      rotateKey: async () => {
        await ensureStateFolder(env);
        return keyRing.rotate();
      },
      dropKey: (id) => keyRing.drop(id),
      clients: () => clients.list(),
      connectInstructions: (client, options) => clients.instructions(client, options),
      planConnect: (client, options) => clients.planConnect(client, options),
      planDisconnect: (client, options) => clients.planDisconnect(client, options),
      changeClient: (plan) => clients.applyPlan(plan),
      secrets: () => secrets.list(),
      setSecret: (name, value) => secrets.set(name, value),
      removeSecret: async (name) => {
        if (!(await secrets.remove(name))) throw new HostError("NOT_FOUND", { subject: `stored secret "${name}"` });
      },
      pendingServers: () => listPending(place),
      trustStates: (ids) => trustStates(ids, place),
      trustServer: (id, hash) => trustServer(id, hash, place),
      distrustServers: (ids) => distrustServers(ids, place),
      configProblems: async () => [...(await effectiveConfig(place)).problems],
      configFacts: () => readConfigFacts(place, secrets),
      redactSecrets: (value) => redactSecrets(value, place),
    };
  }

  async #overview(place: OperationsPlace): Promise<HostOverview> {
    const { running } = this.#options;
    const info = running?.info();
    const scopes = await Promise.all(
      EDITABLE_SCOPES.map(async (scope) => {
        const found = await requireScopeFiles(scope, place.cwd, place.env).catch(() => undefined);
        return found ? [{ scope, file: found.files.at(-1)!, folder: found.folder }] : [];
      }),
    );
    const sandboxOrigin = await running?.sandboxOrigin();
    return {
      version: VERSION,
      folder: place.cwd,
      scopes: scopes.flat(),
      profiles: [...(await effectiveProfiles(place)).keys()],
      ...(info && { running: { startedAt: info.startedAt, clients: info.clients } }),
      ...(info?.port && { endpoint: info.port.endpoint }),
      ...(sandboxOrigin !== undefined && { sandboxOrigin }),
    };
  }
}

function withoutDigest({ name, createdAt, profile, mayApprove }: NamedToken): TokenInfo {
  return { name, createdAt, mayApprove, ...(profile !== undefined && { profile }) };
}

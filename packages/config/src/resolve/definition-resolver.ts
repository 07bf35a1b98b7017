/** Resolves one definition into its target, login and roots. Error messages never quote a value. */
import { resolve } from "node:path";
import { HostError } from "@plugboard/contracts";
import type {
  EntryValue,
  Env,
  SandboxPolicy,
  SandboxSetting,
  SecretReference,
  ServerTarget,
  TransportName,
} from "@plugboard/contracts";
import { AUTH_KEY_TYPES } from "../definition/definition.ts";
import type { Auth, ConfiguredServer, ServerDefinition } from "../definition/definition.ts";
import { expandEnvReferences, invalidServerError } from "../lib/expand-env-references.ts";
import { toSnakeCase } from "../lib/key-case.ts";
import { validateHeader } from "../entry/validate-header.ts";
import { validateClientMetadataUrl, validateLoginUrl, validateServerUrl } from "../entry/validate-url.ts";

export type SecretValues = ReadonlyMap<SecretReference, string>;
/** The paths that a host hides from a sandboxed server, and the folder for the packages it downloads. */
export type SandboxPlaces = Pick<SandboxPolicy, "hide" | "cache">;
/** Finds a server that the program runs in its own process. `Target` says how to reach such a server. */
export type FindInProcessServer<Target> = (name: string) => Target | undefined;

type ResolvedFrom = Pick<ConfiguredServer, "id" | "folder" | "sandbox">;

export class DefinitionResolver {
  readonly #server: ResolvedFrom;
  readonly #definition: ServerDefinition;
  readonly #env: Env;
  readonly #secrets: SecretValues;

  constructor(server: ResolvedFrom, definition: ServerDefinition, env: Env, secrets: SecretValues) {
    this.#server = server;
    this.#definition = definition;
    this.#env = env;
    this.#secrets = secrets;
  }

  /** `places` returns the paths that the host adds to a sandbox. */
  target<Target = never>(inProcess?: FindInProcessServer<Target>, places?: () => SandboxPlaces): ServerTarget | Target {
    const { id, folder } = this.#server;
    const definition = this.#definition;
    if (definition.transport === "sdk") {
      const target = inProcess?.(definition.name);
      if (target) return target;
      throw invalidServerError(id, `the program has no server called "${definition.name}" in its process`);
    }
    if (definition.transport !== "stdio") {
      const { transport } = definition;
      const url = this.#validUrl(this.#resolveValue(definition.url), transport);
      const endpoint = { url, headers: this.#resolveHeaders(definition.headers) };
      if (transport !== "claudeai-proxy") return { transport, ...endpoint };
      return { transport, ...endpoint, id: this.#resolveValue(definition.id) };
    }
    const sandbox = this.#sandbox(definition.sandbox);
    return {
      transport: "stdio",
      command: this.#resolveValue(definition.command),
      args: definition.args.map((arg) => this.#resolveValue(arg)),
      cwd: resolve(folder, this.#resolveValue(definition.cwd ?? ".")),
      env: this.#resolveValues(definition.env),
      ...(sandbox && { sandbox: { ...sandbox, ...places?.() } }),
    };
  }

  /** Throws SERVER_INVALID rather than to run a server without the sandbox that its definition demands. */
  #sandbox(setting: SandboxSetting | false | undefined): SandboxPolicy | undefined {
    const { id: server, sandbox } = this.#server;
    if (!sandbox && setting) throw invalidServerError(server, '"sandbox" was not resolved');
    if (sandbox?.unresolved) throw new HostError("SERVER_INVALID", { server, ...sandbox.unresolved });
    return sandbox;
  }

  auth(): Auth<string> {
    if (!("auth" in this.#definition)) return { type: "none" };
    const { type, ...fields } = this.#definition.auth;
    const resolved = Object.entries(fields).map(([key, value]: [string, EntryValue | number]) => {
      if (typeof value === "number") return [key, value];
      const text = this.#resolveValue(value);
      if (key.endsWith("Url")) this.#checkLoginUrl(text, key);
      return [key, AUTH_KEY_TYPES.get(key) === "file" ? resolve(this.#server.folder, text) : text];
    });
    return { type, ...Object.fromEntries(resolved) } as Auth<string>;
  }

  roots(): string[] | undefined {
    const { roots } = this.#definition;
    if (typeof roots !== "object") return undefined;
    return roots.map((folder) => resolve(this.#server.folder, this.#resolveValue(folder)));
  }

  #resolveValue(value: EntryValue): string {
    if (typeof value === "string") return expandEnvReferences(value, this.#env, this.#server.id);
    return this.#secrets.get(value)!;
  }

  #resolveValues(values: { readonly [name: string]: EntryValue }): { [name: string]: string } {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, this.#resolveValue(value)]));
  }

  /** Returns the headers, including the header of an API key. */
  #resolveHeaders(configured: { readonly [name: string]: EntryValue }): { [name: string]: string } {
    const auth = this.auth();
    const headers = this.#resolveValues(configured);
    for (const [name, value] of Object.entries(headers)) this.#checkHeader(name, value, `the header "${name}"`);
    if (auth.type !== "api_key") return headers;
    const { headerName, apiKey } = auth;
    this.#checkHeader(headerName, apiKey, 'the header of "auth"');
    const duplicate = Object.keys(headers).find((name) => name.toLowerCase() === headerName.toLowerCase());
    if (duplicate !== undefined)
      throw invalidServerError(this.#server.id, `"headers" and "auth" both set the header "${duplicate}"`);
    return { ...headers, [headerName]: apiKey };
  }

  #checkHeader(name: string, value: string, label: string): void {
    const problem = validateHeader(name, value);
    if (problem !== undefined) throw invalidServerError(this.#server.id, `${label} ${problem}`);
  }

  #checkLoginUrl(url: string, key: string): void {
    const problem = key === "clientMetadataUrl" ? validateClientMetadataUrl(url) : validateLoginUrl(url);
    if (problem !== undefined) throw invalidServerError(this.#server.id, `"${toSnakeCase(key)}" ${problem}`);
  }

  #validUrl(url: string, transport: TransportName): string {
    const problem = validateServerUrl(url, transport);
    if (problem !== undefined) throw invalidServerError(this.#server.id, `"url" ${problem}`);
    return url;
  }
}

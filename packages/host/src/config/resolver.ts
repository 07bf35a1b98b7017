/** The texts of one definition, resolved, put together to what it names: a target, a login. Errors quote no value. */
import { resolve } from "node:path";
import type { EntryValue, SecretReference, TransportName } from "@plugboard/contracts";
import type { InProcessTarget, Target } from "@plugboard/mcp";
import { AUTH_PATHS } from "./auth-paths.ts";
import type { Auth, ConfiguredServer, ServerDefinition } from "./definition.ts";
import { expand, invalidServer } from "./expand.ts";
import type { Env } from "./expand.ts";
import { wrongHeader } from "./wrong-header.ts";
import { wrongDocumentUrl, wrongLoginUrl, wrongUrl } from "./web-url.ts";

export type Secrets = ReadonlyMap<SecretReference, string>;
export type InProcess = (name: string) => InProcessTarget | undefined;

export class Resolver {
  readonly #server: Pick<ConfiguredServer, "id" | "folder">;
  readonly #definition: ServerDefinition;
  readonly #env: Env;
  readonly #secrets: Secrets;

  constructor(
    server: Pick<ConfiguredServer, "id" | "folder">,
    definition: ServerDefinition,
    env: Env,
    secrets: Secrets,
  ) {
    this.#server = server;
    this.#definition = definition;
    this.#env = env;
    this.#secrets = secrets;
  }

  target(inProcess: InProcess | undefined): Target {
    const { id, folder } = this.#server;
    const definition = this.#definition;
    if (definition.transport === "sdk") {
      const target = inProcess?.(definition.name);
      if (target) return target;
      throw invalidServer(id, `the program has no server called "${definition.name}" in its process`);
    }
    if (definition.transport !== "stdio") {
      const { transport } = definition;
      const url = this.#url(this.#text(definition.url), transport);
      const reach = { url, headers: this.#headers(definition.headers) };
      if (transport !== "claudeai-proxy") return { transport, ...reach };
      return { transport, ...reach, id: this.#text(definition.id) };
    }
    return {
      transport: "stdio",
      command: this.#text(definition.command),
      args: definition.args.map((arg) => this.#text(arg)),
      cwd: resolve(folder, this.#text(definition.cwd ?? ".")),
      env: this.#record(definition.env),
    };
  }

  auth(): Auth<string> {
    if (!("auth" in this.#definition)) return { type: "none" };
    const { type, ...login } = this.#definition.auth;
    const texts = Object.entries(login).map(([key, value]: [string, EntryValue | number]) => {
      if (typeof value === "number") return [key, value];
      const text = this.#text(value);
      if (key.endsWith("Url")) this.#checkLoginUrl(text, key);
      return [key, AUTH_PATHS.has(key) ? resolve(this.#server.folder, text) : text];
    });
    return { type, ...Object.fromEntries(texts) } as Auth<string>;
  }

  roots(): string[] | undefined {
    const { roots } = this.#definition;
    if (typeof roots !== "object") return undefined;
    return roots.map((folder) => resolve(this.#server.folder, this.#text(folder)));
  }

  #text(value: EntryValue): string {
    if (typeof value === "string") return expand(value, this.#env, this.#server.id);
    return this.#secrets.get(value)!;
  }

  #record(values: { readonly [name: string]: EntryValue }): { [name: string]: string } {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, this.#text(value)]));
  }

  /** With the one that a key is sent in. */
  #headers(written: { readonly [name: string]: EntryValue }): { [name: string]: string } {
    const auth = this.auth();
    const headers = this.#record(written);
    for (const [name, value] of Object.entries(headers)) this.#checkHeader(name, value, `the header "${name}"`);
    if (auth.type !== "api_key") return headers;
    const { headerName, apiKey } = auth;
    this.#checkHeader(headerName, apiKey, 'the header of "auth"');
    const twin = Object.keys(headers).find((name) => name.toLowerCase() === headerName.toLowerCase());
    if (twin !== undefined) throw invalidServer(this.#server.id, `"headers" and "auth" both set the header "${twin}"`);
    return { ...headers, [headerName]: apiKey };
  }

  #checkHeader(name: string, value: string, what: string): void {
    const wrong = wrongHeader(name, value);
    if (wrong !== undefined) throw invalidServer(this.#server.id, `${what} ${wrong}`);
  }

  #checkLoginUrl(url: string, key: string): void {
    const wrong = key === "clientMetadataUrl" ? wrongDocumentUrl(url) : wrongLoginUrl(url);
    const written = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    if (wrong !== undefined) throw invalidServer(this.#server.id, `"${written}" ${wrong}`);
  }

  #url(url: string, transport: TransportName): string {
    const wrong = wrongUrl(url, transport);
    if (wrong !== undefined) throw invalidServer(this.#server.id, `"url" ${wrong}`);
    return url;
  }
}

/**
 * Writes the values of one Plugboard entry for another client, and collects notes about values that are lost. The
 * client's `write` takes the keys that its format has. `finish` adds a note about all other keys.
 */
import type { AuthEntry, EntryValue, JsonObject, ServerEntry } from "@plugboard/contracts";
import { maskArguments, maskUrlWithDefaults } from "../../redaction/mask-text.ts";
import type { Dialect } from "../placeholders/dialect.ts";
import { toVariableName } from "../placeholders/read-placeholders.ts";
import { writePlaceholders } from "../placeholders/write-placeholders.ts";
import { isSecretUrl, mayBeExported, secretArguments } from "./is-plain-secret.ts";

export interface EntryWriterOptions {
  readonly label: string;
  /** Returns how the values below a key of the client refer to variables. */
  readonly dialect: (key: string) => Dialect;
  /** If false, secrets in plain text are replaced with placeholders. */
  readonly showSecrets: boolean;
}

type OAuthEntry = Extract<AuthEntry, { type: "oauth" }>;

export class EntryWriter {
  readonly notes: string[] = [];
  /** The names of secrets that the client asks for. */
  readonly inputs = new Set<string>();
  readonly #entry: ServerEntry;
  readonly #remaining: Set<string>;
  readonly #options: EntryWriterOptions;

  constructor(entry: ServerEntry, options: EntryWriterOptions) {
    this.#entry = entry;
    this.#options = options;
    this.#remaining = new Set(Object.keys(entry).filter((key) => key !== "transport" && key !== "enabled"));
  }

  /** Returns the value of a key, which then counts as written. */
  take<Key extends keyof ServerEntry>(key: Key): ServerEntry[Key] {
    this.#remaining.delete(key);
    return this.#entry[key];
  }

  /** Writes a value at a key of the client. `name` is its name in notes. */
  text(key: string, value: EntryValue, name = key): string {
    const { dialect, label } = this.#options;
    const { text, notes, input } = writePlaceholders(value, dialect(key), label, name);
    this.notes.push(...notes);
    if (input !== undefined) this.inputs.add(input);
    return text;
  }

  url(key: string): string {
    const url = this.take("url") ?? "";
    if (this.#options.showSecrets || !isSecretUrl(url)) return this.text(key, url);
    this.#noteHidden("url");
    return this.text(key, maskUrlWithDefaults(url));
  }

  args(key: string): string[] {
    const args = this.take("args") ?? [];
    const hidden = new Set(this.#options.showSecrets ? [] : secretArguments(args));
    const masked = maskArguments(args);
    return args.map((arg, index) => {
      const name = `argument ${index + 1}`;
      if (hidden.has(index)) this.#noteHidden(name);
      return this.text(key, hidden.has(index) ? masked[index]! : arg, name);
    });
  }

  /** Writes the values of `env` or `headers`. */
  record(key: string, values: { readonly [name: string]: EntryValue }): JsonObject {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, this.#namedValue(key, name, value)]),
    );
  }

  /** Returns the headers, including the header of an API key. */
  headers(): { readonly [name: string]: EntryValue } {
    const headers = this.take("headers") ?? {};
    const { auth } = this.#entry;
    if (auth?.type !== "api_key") return headers;
    this.take("auth");
    const { header_name = "X-API-Key", api_key } = auth;
    if (typeof header_name === "string") return { ...headers, [header_name]: api_key };
    this.notes.push("auth: the name of its header is a secret, so it is left out");
    return headers;
  }

  /** Takes the OAuth settings with these keys. Adds a note about all others, because the client has no key for them. */
  oauth<const Key extends Exclude<keyof OAuthEntry, "type">>(keys: readonly Key[]): Pick<OAuthEntry, Key> | undefined {
    const { auth } = this.#entry;
    if (auth?.type !== "oauth") return undefined;
    this.take("auth");
    const { type: _, ...fields } = auth;
    const isKnown = (key: string) => keys.some((known) => known === key);
    const lost = Object.keys(fields).filter((key) => !isKnown(key));
    if (lost.length > 0) this.noteLost(lost.join(", "));
    const known = Object.entries(fields).filter(([key]) => isKnown(key));
    return known.length === 0 ? undefined : (Object.fromEntries(known) as Pick<OAuthEntry, Key>);
  }

  noteLost(keys: string): void {
    this.notes.push(`${this.#options.label} has no setting for ${keys}`);
  }

  /** Adds a note about the keys that the client did not take. Returns all notes. */
  finish(): readonly string[] {
    if (this.#remaining.size > 0) this.noteLost([...this.#remaining].join(", "));
    return this.notes;
  }

  #namedValue(key: string, name: string, value: EntryValue): string {
    if (this.#options.showSecrets || mayBeExported(name, value)) return this.text(key, value, name);
    this.#noteHidden(name);
    const variable = toVariableName(name);
    return this.#options.dialect(key).write({ type: "variable", name: variable }) ?? `\${${variable}}`;
  }

  #noteHidden(name: string): void {
    this.notes.push(`${name}: it looks like a secret and is left out; use --show-secrets to export it`);
  }
}

/**
 * Reads a registry of MCP servers by its API v0.1: searches it, and fetches one server. The answers are untrusted: they
 * are limited in size and time, their fields are checked, and a redirect to another site is an error.
 */
import { HostError } from "@plugboard/contracts";
import { parseSearchPage } from "./parse-search-page.ts";
import { parseServer } from "./parse-server.ts";
import { InvalidField } from "./read-fields.ts";
import type { RegistryServer } from "./registry-server.ts";
import { OFFICIAL_REGISTRY, parseRegistryUrl, searchUrl, versionUrl } from "./registry-url.ts";

/** Sends a request to the registry, and follows no redirect to another site. */
type RegistryFetch = (url: string, request: RegistryRequest) => Promise<RegistryResponse>;

interface RegistryRequest {
  readonly method: "GET";
  readonly headers: { readonly [name: string]: string };
  readonly signal?: AbortSignal;
}

interface RegistryResponse {
  readonly status: number;
  text(): Promise<string>;
}

/** Creates the errors of a registry. */
interface RegistryErrors {
  /** Creates the error for a request without a readable response. */
  failed(reason: string, cause?: unknown): HostError;
  /** Creates the error for a request that must not be sent. */
  unsafe(reason: string): HostError;
}

/** Creates the fetch for the registry at this URL. Called at the first request; the result is reused. */
type CreateRegistryFetch = (url: string, errors: RegistryErrors) => Promise<RegistryFetch>;

interface SearchOptions {
  /** The maximum number of servers. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

interface SearchResult {
  readonly servers: readonly RegistryServer[];
  /** How many servers were left out because their fields are invalid. */
  readonly invalidCount: number;
  /** True if the registry may have more servers that match. */
  readonly hasMore: boolean;
}

const DEFAULT_LIMIT = 20;
/** The servers per page. A page of long entries must stay below the size limit of a response. */
const PAGE_SIZE = 50;
/** Limits the time of a search for several words, of which the registry itself matches only one. */
const MAX_PAGES = 10;

export class RegistryClient {
  readonly url: string;
  readonly #createFetch: CreateRegistryFetch;
  #fetch: RegistryFetch | undefined;

  /** Throws USAGE unless the URL is https, or http on this machine. */
  constructor(createFetch: CreateRegistryFetch, url: string = OFFICIAL_REGISTRY) {
    this.#createFetch = createFetch;
    this.url = parseRegistryUrl(url);
  }

  /**
   * Returns the latest version of each server whose name contains the longest word, and whose name, title or
   * description contains the others.
   */
  async search(words: readonly string[], { limit = DEFAULT_LIMIT, signal }: SearchOptions = {}): Promise<SearchResult> {
    // The registry searches only names, and for one word. The longest probably matches the fewest servers.
    // This code filters by the others.
    const longest = words.reduce((a, b) => (b.length > a.length ? b : a), "");
    const servers: RegistryServer[] = [];
    let invalidCount = 0;
    let cursor: string | undefined;
    for (let pages = 0; pages < MAX_PAGES && servers.length < limit; pages++) {
      const page = await this.#read(searchUrl(this.url, longest, PAGE_SIZE, cursor), parseSearchPage, signal);
      servers.push(...page.servers.filter((server) => server.status !== "deleted" && containsAll(server, words)));
      invalidCount += page.invalidCount;
      // A registry that repeats a cursor would repeat its pages.
      if (page.nextCursor === undefined || page.nextCursor === cursor) {
        return { servers: servers.slice(0, limit), invalidCount, hasMore: servers.length > limit };
      }
      cursor = page.nextCursor;
    }
    return { servers: servers.slice(0, limit), invalidCount, hasMore: true };
  }

  /** Throws NOT_FOUND if the registry does not know the server or has deleted it. */
  async get(name: string, version = "latest", signal?: AbortSignal): Promise<RegistryServer> {
    const url = versionUrl(this.url, name, version);
    const server = await this.#read(
      url,
      (answer) => parseServer(answer, "the answer"),
      signal,
      () => this.#notFound(name, version),
    );
    if (server.status === "deleted") throw this.#notFound(name, version);
    if (server.name !== name) throw this.#invalid("it names another server than the one that was requested");
    return server;
  }

  async #read<T>(
    url: string,
    parse: (answer: unknown) => T,
    signal: AbortSignal | undefined,
    notFound?: () => HostError,
  ): Promise<T> {
    this.#fetch ??= await this.#createFetch(this.url, this.#errors());
    const response = await this.#fetch(url, {
      method: "GET",
      headers: { accept: "application/json" },
      ...(signal && { signal }),
    });
    const { status } = response;
    const text = await response.text();
    if (status === 404 && notFound) throw notFound();
    if (status === 429 || status >= 500) throw this.#unreachable(`it answers with HTTP status ${status}`);
    if (status !== 200) throw this.#invalid(`it has HTTP status ${status}`);
    try {
      return parse(JSON.parse(text));
    } catch (error) {
      if (error instanceof SyntaxError) throw this.#invalid("it is not JSON", error);
      if (error instanceof InvalidField) throw this.#invalid(error.message, error);
      throw error;
    }
  }

  #errors(): RegistryErrors {
    return {
      failed: (reason, cause) => this.#unreachable(reason, cause),
      unsafe: (reason) => this.#unreachable(reason),
    };
  }

  #notFound(name: string, version: string): HostError {
    const subject = version === "latest" ? `server "${name}"` : `version ${version} of the server "${name}"`;
    return new HostError("NOT_FOUND", { subject: `${subject} in the registry ${this.url}` });
  }

  #unreachable(reason: string, cause?: unknown): HostError {
    return new HostError("REGISTRY_UNREACHABLE", { registry: this.url, reason }, { cause });
  }

  #invalid(reason: string, cause?: unknown): HostError {
    return new HostError("REGISTRY_INVALID", { registry: this.url, reason }, { cause });
  }
}

function containsAll({ name, title = "", description }: RegistryServer, words: readonly string[]): boolean {
  const text = `${name} ${title} ${description}`.toLowerCase();
  return words.every((word) => text.includes(word.toLowerCase()));
}

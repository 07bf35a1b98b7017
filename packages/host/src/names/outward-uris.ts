/**
 * The URIs of resources that clients of the gateway see, for all servers together. A URI of its owner stays unchanged.
 * The first of these rules that applies decides which server is the owner:
 *
 * 1. One server lists the URI: this server. If several servers list it, it has no owner.
 * 2. One server has a matching template: this server. If several have one: the first of them that mentions the URI in a
 *    result.
 * 3. Otherwise: the first server that mentions the URI in a result.
 *
 * For all other servers, the URI names the server, such as `plugboard://files/note://a`, so that every URI in a result
 * can be read.
 */
export interface ServerUri {
  readonly server: string;
  readonly uri: string;
}

const PREFIX = "plugboard://";
/** Clients show a user interface only for this scheme, so it must stay in front. */
const UI_SCHEME = "ui://";
const UI_PREFIX = `${UI_SCHEME}plugboard.`;
const MAX_MENTIONED = 10_000;

export class OutwardUris {
  /** The servers that list each URI. */
  #listed: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  #templates: readonly ServerUri[] = [];
  /** The server that first mentioned each unlisted URI. The least recently mentioned URI comes first. */
  readonly #mentioned = new Map<string, string>();

  /** Replaces the URIs that the servers list. */
  setListed(resources: readonly ServerUri[]): void {
    this.#listed = ownersByUri(resources);
  }

  /** Replaces the URI templates that the servers list. */
  setTemplates(templates: readonly ServerUri[]): void {
    this.#templates = templates;
  }

  /** Returns the URI for clients, and remembers that the server mentioned it. */
  outward(server: string, uri: string): string {
    return this.#claim(server, uri) ? uri : qualifiedUri(server, uri);
  }

  /** Returns the URI template for clients. */
  outwardTemplate(server: string, uri: string): string {
    const isShared = this.#templates.some((other) => other.uri === uri && other.server !== server);
    return isShared || isQualified(uri) ? qualifiedUri(server, uri) : uri;
  }

  /** Returns the server and its own URI for a URI or template of a client. Returns undefined if no server owns it. */
  resolve(outward: string): ServerUri | undefined {
    const declared = this.resolveDeclared(outward);
    if (declared) return declared;
    const server = this.#mentioned.get(outward);
    return server !== undefined && this.#mayMention(server, outward) ? { server, uri: outward } : undefined;
  }

  /** Like `resolve`, but ignores what servers mention in results. */
  resolveDeclared(outward: string): ServerUri | undefined {
    const qualified = parseQualified(outward);
    if (qualified) return qualified;
    const [server, ...others] = this.#declaredBy(outward);
    return server === undefined || others.length > 0 ? undefined : { server, uri: outward };
  }

  /** Returns whether the server owns the URI. If no server lists the URI, records the mention by its owner. */
  #claim(server: string, uri: string): boolean {
    if (isQualified(uri)) return false;
    const listedBy = this.#listed.get(uri);
    if (listedBy) return listedBy.size === 1 && listedBy.has(server);
    if (!this.#mayMention(server, uri)) return false;
    // A mention does not count any more after another server has declared the URI.
    const mentionedBy = this.#mentioned.get(uri);
    if (mentionedBy !== undefined && mentionedBy !== server && this.#mayMention(mentionedBy, uri)) return false;
    this.#mentioned.delete(uri);
    this.#mentioned.set(uri, server);
    const [oldest] = this.#mentioned.size > MAX_MENTIONED ? this.#mentioned.keys() : [];
    if (oldest !== undefined) this.#mentioned.delete(oldest);
    return true;
  }

  /** Returns whether a mention by this server counts. It does if the server declares the URI, or if no server does. */
  #mayMention(server: string, uri: string): boolean {
    const declaredBy = this.#declaredBy(uri);
    return declaredBy.size === 0 || declaredBy.has(server);
  }

  /**
   * Returns the servers that list the URI. If none lists it, returns the servers with an equal or matching template.
   */
  #declaredBy(uri: string): ReadonlySet<string> {
    const matching = () =>
      this.#templates.filter((template) => template.uri === uri || matchesTemplate(template.uri, uri));
    return this.#listed.get(uri) ?? new Set(matching().map(({ server }) => server));
  }
}

function ownersByUri(resources: readonly ServerUri[]): Map<string, Set<string>> {
  const owners = new Map<string, Set<string>>();
  for (const { server, uri } of resources) {
    const servers = owners.get(uri);
    if (servers) servers.add(server);
    else owners.set(uri, new Set([server]));
  }
  return owners;
}

function qualifiedUri(server: string, uri: string): string {
  return uri.startsWith(UI_SCHEME)
    ? `${UI_PREFIX}${server}/${uri.slice(UI_SCHEME.length)}`
    : `${PREFIX}${server}/${uri}`;
}

function parseQualified(outward: string): ServerUri | undefined {
  const isUi = outward.startsWith(UI_PREFIX);
  if (!isUi && !outward.startsWith(PREFIX)) return undefined;
  const start = (isUi ? UI_PREFIX : PREFIX).length;
  const slash = outward.indexOf("/", start);
  if (slash < 0) return undefined;
  const uri = outward.slice(slash + 1);
  return { server: outward.slice(start, slash), uri: isUi ? `${UI_SCHEME}${uri}` : uri };
}

/**
 * Returns true for a URI in the form of this gateway. A server that is itself a Plugboard gateway may use such URIs.
 */
function isQualified(uri: string): boolean {
  return uri.startsWith(PREFIX) || uri.startsWith(UI_PREFIX);
}

/** Treats each expression of the template as any text. Takes linear time. */
function matchesTemplate(template: string, uri: string): boolean {
  const [first = "", ...literals] = template.split(/\{[^{}]*\}/);
  const last = literals.pop();
  if (last === undefined || !uri.startsWith(first)) return false;
  let position = first.length;
  for (const literal of literals) {
    const found = uri.indexOf(literal, position);
    if (found < 0) return false;
    position = found + literal.length;
  }
  return uri.length - last.length >= position && uri.endsWith(last);
}

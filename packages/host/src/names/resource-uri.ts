/**
 * The outward form of resource URIs: bare while one server owns it, else
 * `plugboard://server/…` around it. A bare one that several own stands for
 * none of them: a second server must not draw reads of the first to itself.
 */
const SCHEME = "plugboard://";
const WRAPPED = /^plugboard:\/\/([a-zA-Z0-9_-]{1,64})\/(.*)$/s;
/** Marks a template. It is kept as it is, for whoever fills it in must find its variables. */
const VERBATIM = "+";

export interface OwnedUri {
  readonly server: string;
  readonly uri: string;
}

export class ResourceUris {
  readonly #owners = new Map<string, Set<string>>();
  readonly #listed = new Map<string, readonly string[]>();

  /** What a server lists now: its resources' URIs, or its templates; nothing if it is gone. */
  update(server: string, uris: readonly string[]): void {
    for (const uri of this.#listed.get(server) ?? []) {
      const owners = this.#owners.get(uri);
      owners?.delete(server);
      if (owners?.size === 0) this.#owners.delete(uri);
    }
    this.#listed.set(server, uris);
    for (const uri of uris) {
      const owners = this.#owners.get(uri);
      if (owners) owners.add(server);
      else this.#owners.set(uri, new Set([server]));
    }
  }

  /** Whose a bare URI is, for somebody who has to say between whom to choose. */
  owners(uri: string): string[] {
    return [...(this.#owners.get(uri) ?? [])];
  }

  outward(server: string, uri: string): string {
    const others = this.owners(uri).some((owner) => owner !== server);
    return others || uri.startsWith(SCHEME) ? wrapUri(server, uri) : uri;
  }

  outwardTemplate(server: string, template: string): string {
    const others = this.owners(template).some((owner) => owner !== server);
    return others || template.startsWith(SCHEME) ? `${SCHEME}${server}/${VERBATIM}${template}` : template;
  }

  /** Nothing for a bare URI that no server, or more than one, has listed. */
  resolve(outward: string): OwnedUri | undefined {
    const wrapped = unwrapUri(outward);
    if (wrapped || outward.startsWith(SCHEME)) return wrapped;
    const [server, ...others] = this.owners(outward);
    return server === undefined || others.length > 0 ? undefined : { server, uri: outward };
  }
}

/** Encoded whole, so that a client that tidies URIs up does not change the one inside. */
export function wrapUri(server: string, uri: string): string {
  // A lone surrogate can't be encoded; the server will not know the URI that comes back, and will say so.
  return `${SCHEME}${server}/${encodeURIComponent(uri.replace(/\p{Surrogate}/gu, "\ufffd"))}`;
}

export function unwrapUri(outward: string): OwnedUri | undefined {
  const [, server, rest] = WRAPPED.exec(outward) ?? [];
  if (server === undefined || rest === undefined) return undefined;
  if (rest.startsWith(VERBATIM)) return { server, uri: rest.slice(VERBATIM.length) };
  try {
    return { server, uri: decodeURIComponent(rest) };
  } catch {
    // Not one of ours: what was encoded can be decoded.
    return undefined;
  }
}

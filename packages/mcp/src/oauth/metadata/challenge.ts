/**
 * What a server says with `WWW-Authenticate` about how to log in. Written by the
 * server, so read leniently, and believed only as far as it can be checked later.
 */

export interface Challenge {
  /** In lower case: `bearer`, or `dpop`. */
  readonly scheme?: string;
  readonly error?: string;
  /** What a token needs for the request that was refused. */
  readonly scope?: string;
  /** Where the resource describes itself; as it was written. */
  readonly resourceMetadata?: string;
}

/** Nobody writes more; what is beyond it is not read. */
const MAX_HEADER_LENGTH = 16 * 1024;

/** A parameter of the scheme before it, else the name of the next scheme. */
const PARAMETER_OR_SCHEME = /[\s,]*(?:([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))|([^\s,="]+)|.)/gsy;

/** Of several ways to log in, the one that is asked about; else another. */
export function parseChallenge(header: string | undefined, preferredScheme: "bearer" | "dpop" = "bearer"): Challenge {
  const found = new Map<string, Map<string, string>>();
  let parameters: Map<string, string> | undefined;
  for (const [, name, quoted, plain, scheme] of (header ?? "")
    .slice(0, MAX_HEADER_LENGTH)
    .matchAll(PARAMETER_OR_SCHEME)) {
    if (scheme !== undefined) {
      const named = scheme.toLowerCase();
      parameters = found.get(named) ?? new Map<string, string>();
      found.set(named, parameters);
    } else if (name !== undefined && parameters && !parameters.has(name.toLowerCase())) {
      parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/gs, "$1") ?? plain ?? "");
    }
  }
  for (const scheme of [preferredScheme, "bearer", "dpop"]) {
    const schemeParameters = found.get(scheme);
    if (schemeParameters) return { scheme, ...pickParameters(schemeParameters) };
  }
  return {};
}

function pickParameters(parameters: ReadonlyMap<string, string>): Challenge {
  const error = parameters.get("error");
  const scope = parameters.get("scope");
  const resourceMetadata = parameters.get("resource_metadata");
  return { ...(error && { error }), ...(scope && { scope }), ...(resourceMetadata && { resourceMetadata }) };
}

/**
 * Parses the `WWW-Authenticate` header of an MCP server. Tolerates syntax errors. The values are not trusted; later
 * steps check them.
 */

export interface Challenge {
  /** In lower case: `bearer` or `dpop`. */
  readonly scheme?: string;
  readonly error?: string;
  /** The scope that the rejected request needs. */
  readonly scope?: string;
  /** The URL of the resource metadata, as sent. */
  readonly resourceMetadata?: string;
}

/** The rest of a longer header is ignored. */
const MAX_HEADER_LENGTH = 16 * 1024;

/**
 * Matches a parameter of the current scheme, or the name of the next scheme. Groups: the name of the parameter, its
 * quoted value, its plain value, the scheme. Any other character is matched alone and ignored.
 */
const PARAMETER_OR_SCHEME = /[\s,]*(?:([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))|([^\s,="]+)|.)/gsy;

/** Returns the challenge of the preferred scheme, or else of another one. */
export function parseChallenge(header: string | undefined, preferredScheme: "bearer" | "dpop" = "bearer"): Challenge {
  const schemes = new Map<string, Map<string, string>>();
  const text = (header ?? "").slice(0, MAX_HEADER_LENGTH);
  let parameters: Map<string, string> | undefined;
  for (const [, name, quoted, plain, scheme] of text.matchAll(PARAMETER_OR_SCHEME)) {
    if (scheme !== undefined) {
      const schemeName = scheme.toLowerCase();
      parameters = schemes.get(schemeName) ?? new Map<string, string>();
      schemes.set(schemeName, parameters);
    } else if (name !== undefined && parameters && !parameters.has(name.toLowerCase())) {
      parameters.set(name.toLowerCase(), quoted?.replace(/\\(.)/gs, "$1") ?? plain ?? "");
    }
  }
  for (const scheme of [preferredScheme, "bearer", "dpop"]) {
    const schemeParameters = schemes.get(scheme);
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

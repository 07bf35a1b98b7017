/** The well-known URLs of metadata documents. Pure. */

/** For a resource (RFC 9728): with its path, then at the root. */
export function resourceMetadataUrls(server: string): string[] {
  const { origin, pathname, search } = new URL(server);
  const root = `${origin}/.well-known/oauth-protected-resource`;
  const path = withoutTrailingSlash(pathname);
  return path === "" && search === "" ? [root] : [`${root}${path}${search}`, root];
}

/**
 * For an authorization server: RFC 8414, then OpenID, both with the issuer's path at the end. Then OpenID below the
 * path.
 */
export function serverMetadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = withoutTrailingSlash(pathname);
  const inserted = ["oauth-authorization-server", "openid-configuration"].map(
    (name) => `${origin}/.well-known/${name}${path}`,
  );
  return path === "" ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

function withoutTrailingSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

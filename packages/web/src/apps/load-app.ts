/** Reads the view of an App from its server, and what it declares. */
import { APP_SANDBOX_PATH, checkAppOrigins, findAppHtml, HostError, parseAppDeclaration } from "@plugboard/contracts";
import type { AppDeclaration, AppOrigins, JsonObject, RefusedOrigin, Workspace } from "@plugboard/contracts";

export interface LoadedApp {
  readonly html: string;
  readonly declaration: AppDeclaration;
  /** The origins that the App may use. */
  readonly allowed: AppOrigins;
  readonly refused: readonly RefusedOrigin[];
}

/** `sandboxOrigin`: the origin that shows the App. An App may use neither this origin nor that of the page. */
export async function loadApp(
  workspace: Workspace,
  { server, uri, sandboxOrigin }: { readonly server: string; readonly uri: string; readonly sandboxOrigin: string },
): Promise<LoadedApp> {
  const found = findAppHtml(await workspace.resources.read(server, uri));
  if (!found) {
    const reason = `${uri} has no content of the type text/html;profile=mcp-app`;
    throw new HostError("UNEXPECTED_RESPONSE", { server, reason });
  }
  const declaration = parseAppDeclaration(found.meta);
  const ownPorts = [location.port, new URL(sandboxOrigin).port].map(Number);
  return { html: found.html, declaration, ...checkAppOrigins(declaration.origins, ownPorts) };
}

export function usesOrigins({ connect, resources, frames, baseUris }: AppOrigins): boolean {
  return connect.length + resources.length + frames.length + baseUris.length > 0;
}

/** The URL of the document that shows an App with these origins. */
export function sandboxUrl(sandboxOrigin: string, origins: AppOrigins): string {
  const query = new URLSearchParams();
  for (const [use, list] of Object.entries(origins) as [string, readonly string[]][]) {
    for (const origin of list) query.append(use, origin);
  }
  return `${sandboxOrigin}${APP_SANDBOX_PATH}?${query.toString()}`;
}

/** The origins as the specification names them. */
export function toCspDeclaration({ connect, resources, frames, baseUris }: AppOrigins): JsonObject {
  return {
    connectDomains: [...connect],
    resourceDomains: [...resources],
    frameDomains: [...frames],
    baseUriDomains: [...baseUris],
  };
}

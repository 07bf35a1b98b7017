/** The list of all methods of `Management`. The daemon's routes and the methods of a remote host are derived from it. */
import { flag, object, oneOf, optional, options, text, texts } from "../methods/argument-checks.ts";
import type { ArgumentCheck } from "../methods/argument-checks.ts";
import { CLIENT_NAMES } from "./client-names.ts";
import type { Management, RegistryDraft, ServerDraft } from "./management.ts";
import type { SpecOf } from "../methods/method-spec.ts";

/** The name of a method on the wire, such as `manage.planServer`. */
export type ManagementMethodPath = `manage.${keyof Management}`;

type ManagementMethodTable = { readonly [Name in keyof Management as `manage.${Name}`]: SpecOf<Management[Name]> };

const scope = oneOf("user", "project", "local");
const client = oneOf(...CLIENT_NAMES);

export const MANAGEMENT_METHODS: ManagementMethodTable = {
  "manage.overview": { right: "manage", params: [] },
  "manage.definitions": { right: "manage", params: [text] },
  // The daemon checks the content of the draft.
  "manage.planServer": { right: "manage", params: [object as ArgumentCheck<unknown> as ArgumentCheck<ServerDraft>] },
  "manage.testServer": { right: "manage", params: [text, options({})], signal: true },
  "manage.saveServer": { right: "manage", params: [text, options({ storeSecrets: flag })] },
  "manage.removeServer": { right: "manage", params: [text, scope] },
  "manage.enableServer": { right: "manage", params: [text, flag] },
  "manage.enableTool": { right: "manage", params: [text, text, flag] },
  "manage.hiddenTools": { right: "manage", params: [] },
  "manage.frontNames": { right: "manage", params: [text, text] },
  "manage.rules": { right: "manage", params: [options({ server: text, tool: text })] },
  "manage.setRule": { right: "manage", params: [text, optional(oneOf("allow", "ask", "deny"))] },
  "manage.callFailure": { right: "manage", params: [text] },
  "manage.planImport": { right: "manage", params: [] },
  "manage.importServers": { right: "manage", params: [text, texts, options({ plainSecrets: texts })] },
  "manage.searchRegistry": { right: "manage", params: [text] },
  "manage.planRegistryServer": {
    right: "manage",
    params: [object as ArgumentCheck<unknown> as ArgumentCheck<RegistryDraft>],
  },
  "manage.tokens": { right: "manage", params: [] },
  "manage.createToken": { right: "manage", params: [text, options({ profile: text, mayApprove: flag })] },
  "manage.revokeToken": { right: "manage", params: [text] },
  "manage.clients": { right: "manage", params: [] },
  "manage.connectInstructions": { right: "manage", params: [client, options({ profile: text })] },
  "manage.planConnect": { right: "manage", params: [client, options({ profile: text })] },
  "manage.planDisconnect": { right: "manage", params: [client] },
  "manage.changeClient": { right: "manage", params: [text] },
};

export function isManagementMethodPath(path: string): path is ManagementMethodPath {
  return Object.hasOwn(MANAGEMENT_METHODS, path);
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** Builds an object whose method at each path is the result of `methodAt(path)`. */
export function buildManagement(methodAt: (path: ManagementMethodPath) => Method): Management {
  const paths = Object.keys(MANAGEMENT_METHODS) as ManagementMethodPath[];
  return Object.fromEntries(paths.map((path) => [nameOf(path), methodAt(path)])) as unknown as Management;
}

export async function callManagementMethod(
  management: Management,
  path: ManagementMethodPath,
  args: readonly unknown[],
): Promise<unknown> {
  return (management[nameOf(path)] as Method)(...args);
}

function nameOf(path: ManagementMethodPath): keyof Management {
  return path.slice("manage.".length) as keyof Management;
}

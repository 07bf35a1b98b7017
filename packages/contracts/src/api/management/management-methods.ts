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
  "manage.overview": { params: [] },
  "manage.definitions": { params: [text] },
  // The daemon checks the content of the draft.
  "manage.planServer": { params: [object as ArgumentCheck<unknown> as ArgumentCheck<ServerDraft>] },
  "manage.testServer": { params: [text, options({})], signal: true },
  "manage.saveServer": { params: [text, options({ storeSecrets: flag })] },
  "manage.removeServer": { params: [text, scope] },
  "manage.enableServer": { params: [text, flag] },
  "manage.enableTool": { params: [text, text, flag] },
  "manage.hiddenTools": { params: [] },
  "manage.frontNames": { params: [text, text] },
  "manage.rules": { params: [options({ server: text, tool: text })] },
  "manage.setRule": { params: [text, optional(oneOf("allow", "ask", "deny"))] },
  "manage.callFailure": { params: [text] },
  "manage.planImport": { params: [] },
  "manage.importServers": { params: [text, texts, options({ plainSecrets: texts })] },
  "manage.searchRegistry": { params: [text] },
  "manage.planRegistryServer": { params: [object as ArgumentCheck<unknown> as ArgumentCheck<RegistryDraft>] },
  "manage.tokens": { params: [] },
  "manage.createToken": { params: [text, options({ profile: text, mayApprove: flag })] },
  "manage.revokeToken": { params: [text] },
  "manage.clients": { params: [] },
  "manage.connectInstructions": { params: [client, options({ profile: text })] },
  "manage.planConnect": { params: [client, options({ profile: text })] },
  "manage.planDisconnect": { params: [client] },
  "manage.changeClient": { params: [text] },
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

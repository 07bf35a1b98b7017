/** Checks how an entry says to log in. Loads zod. */
import type { EntryValue, TransportName } from "@plugboard/contracts";
import { AUTH_TYPES } from "./auth-fields.ts";
import type { AuthType } from "./auth-fields.ts";
import type { Auth } from "../definition/definition.ts";
import { explainIssue } from "../parse/explain-issue.ts";
import type { EntryIssue } from "../parse/explain-issue.ts";
import { quoteJson } from "../parse/diagnostics.ts";
import { envReferencesIn } from "../../lib/env-references.ts";
import { toCamelKeys } from "../../lib/key-case.ts";
import { validateHeader } from "./validate-header.ts";

type CheckedAuth =
  /** With the header it sets, if that is known already. */
  { readonly auth: Auth<EntryValue>; readonly headerName?: string } | { readonly mistake: EntryIssue };

export function checkAuth(auth: unknown, transport: TransportName): CheckedAuth {
  if (auth === undefined) return { auth: { type: "none" } };
  const mistake = (what: string, ...path: string[]) => ({ mistake: { path: ["auth", ...path], what } });
  if (typeof auth !== "object" || auth === null || Array.isArray(auth)) return mistake("must be an object");
  const type = "type" in auth ? auth.type : undefined;
  const known = Object.keys(AUTH_TYPES).join(", ");
  if (type === undefined) return mistake(`is missing; it is one of ${known}`, "type");
  if (!isAuthType(type)) return mistake(`is ${quoteJson(type)}; it must be one of ${known}`, "type");
  if (type !== "none" && (transport === "stdio" || transport === "sdk")) {
    return mistake(`has no meaning for a ${transport} server; give it what it needs in its "env"`);
  }
  const read = AUTH_TYPES[type].safeParse(auth);
  if (!read.success) {
    const { path, what } = explainIssue(read.error.issues[0]!, { ...auth }, `"${type}"`);
    return mistake(what, ...path);
  }
  const checked = toCamelKeys(read.data) as unknown as Auth<EntryValue>;
  if (checked.type === "none") return { auth: checked };
  if (checked.type !== "api_key") return { auth: checked, headerName: "Authorization" };
  const { headerName } = checked;
  if (typeof headerName !== "string" || envReferencesIn(headerName).length > 0) return { auth: checked };
  const wrong = validateHeader(headerName);
  return wrong === undefined ? { auth: checked, headerName } : mistake(wrong, "header_name");
}

function isAuthType(type: unknown): type is AuthType {
  return typeof type === "string" && Object.hasOwn(AUTH_TYPES, type);
}

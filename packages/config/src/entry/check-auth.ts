/** Validates the `auth` of an entry. Loading zod is slow, so this module is imported dynamically. */
import { AUTH_TYPES, hasUrl } from "@plugboard/contracts";
import type { AuthType, EntryValue, TransportName } from "@plugboard/contracts";
import { authSchemaOf } from "./auth-fields.ts";
import type { Auth } from "../definition/definition.ts";
import { explainIssue } from "../parse/explain-issue.ts";
import type { EntryIssue } from "../parse/explain-issue.ts";
import { quoteJson } from "../parse/diagnostics.ts";
import { envReferencesIn } from "../lib/env-references.ts";
import { toCamelKeys } from "../lib/key-case.ts";
import { validateHeader } from "./validate-header.ts";

type CheckedAuth =
  /** `headerName` is the header that the login sets. Undefined if it depends on a variable or a secret. */
  { readonly auth: Auth<EntryValue>; readonly headerName?: string } | { readonly issues: readonly EntryIssue[] };

export function checkAuth(auth: unknown, transport: TransportName): CheckedAuth {
  if (auth === undefined) return { auth: { type: "none" } };
  const issue = (message: string, ...path: string[]) => ({ issues: [{ path: ["auth", ...path], message }] });
  if (typeof auth !== "object" || auth === null || Array.isArray(auth)) return issue("must be an object");
  const type = "type" in auth ? auth.type : undefined;
  const types = Object.keys(AUTH_TYPES).join(", ");
  if (type === undefined) return issue(`is missing; it must be one of ${types}`, "type");
  if (!isAuthType(type)) return issue(`is ${quoteJson(type)}; it must be one of ${types}`, "type");
  if (type !== "none" && !hasUrl(transport)) {
    return issue(`is not allowed for a ${transport} server; pass credentials in "env"`);
  }
  const parsed = authSchemaOf(type).safeParse(auth);
  if (!parsed.success) {
    const issues = parsed.error.issues.flatMap((found) => explainIssue(found, { ...auth }, `"${type}"`));
    return { issues: issues.map(({ path, message }) => ({ path: ["auth", ...path], message })) };
  }
  const found: Pick<Auth<EntryValue>, "type"> = { ...toCamelKeys(parsed.data), type };
  const checked = found as Auth<EntryValue>;
  if (checked.type === "none") return { auth: checked };
  if (checked.type !== "api_key") return { auth: checked, headerName: "Authorization" };
  const { headerName } = checked;
  if (typeof headerName !== "string" || envReferencesIn(headerName).length > 0) return { auth: checked };
  const headerError = validateHeader(headerName);
  return headerError === undefined ? { auth: checked, headerName } : issue(headerError, "header_name");
}

function isAuthType(type: unknown): type is AuthType {
  return typeof type === "string" && Object.hasOwn(AUTH_TYPES, type);
}

/** The zod schemas of the login types. Loading zod is slow, so this module is imported dynamically. */
import * as z from "zod/mini";
import { authRows } from "@plugboard/contracts";
import type { AuthKey, AuthKeys, AuthType } from "@plugboard/contracts";
import { urlValue, entryValue } from "./entry-fields.ts";
import { validateClientMetadataUrl, validateLoginUrl } from "./validate-url.ts";

const PORT_MESSAGE = "must be a number from 1 to 65535";

const FIELDS: { readonly [Type in AuthKeys[AuthKey]["type"]]: z.ZodMiniType } = {
  url: urlValue(validateLoginUrl),
  metadata_url: urlValue(validateClientMetadataUrl),
  file: entryValue,
  secret: entryValue,
  id: entryValue,
  name: entryValue,
  port: z.int(PORT_MESSAGE).check(z.minimum(1, PORT_MESSAGE), z.maximum(65_535, PORT_MESSAGE)),
};

/** Returns the field of a key that is optional, or has a default. */
export function optionalAuthField({ type, default: value }: ReturnType<typeof authRows>[number][1]): z.ZodMiniType {
  return value === undefined ? z.optional(FIELDS[type]) : z._default(FIELDS[type], value);
}

/** Returns the schema of `auth` with this type. */
export function authSchemaOf(type: AuthType) {
  const fields = authRows().flatMap(([key, row]) => {
    const presence = row.of[type];
    return presence === undefined ? [] : [[key, presence === "required" ? FIELDS[row.type] : optionalAuthField(row)]];
  });
  const shape: { [key: string]: z.ZodMiniType } = Object.fromEntries(fields);
  return z.strictObject({ type: z.literal(type), ...shape }).check(...(CONDITIONS[type] ?? []).map(toCheck));
}

interface Condition {
  readonly holds: (isSet: (key: AuthKey) => boolean) => boolean;
  readonly message: string;
}

const CLIENT_SECRETS: readonly AuthKey[] = ["client_secret", "private_key_file", "assertion_file"];

/** The conditions that concern several keys of a type. */
const CONDITIONS: { readonly [Type in AuthType]?: readonly Condition[] } = {
  oauth: [
    {
      holds: (isSet) => !isSet("client_secret") || isSet("client_id"),
      message: 'has a "client_secret" but no "client_id"',
    },
  ],
  client_credentials: [
    {
      holds: (isSet) => CLIENT_SECRETS.some(isSet),
      message: 'needs one of "client_secret", "private_key_file" or "assertion_file"',
    },
    {
      holds: (isSet) => CLIENT_SECRETS.filter(isSet).length <= 1,
      message: 'has more than one of "client_secret", "private_key_file" and "assertion_file"; keep one',
    },
  ],
};

function toCheck({ holds, message }: Condition) {
  return z.refine<{ readonly [key: string]: unknown }>((auth) => holds((key) => auth[key] !== undefined), message);
}

/** The zod schemas of the login types. Loading zod is slow, so this module is imported dynamically. */
import * as z from "zod/mini";
import { urlValue, entryValue } from "./entry-fields.ts";
import { validateClientMetadataUrl, validateLoginUrl } from "./validate-url.ts";

const optionalLoginUrl = z.optional(urlValue(validateLoginUrl));
const optionalValue = z.optional(entryValue);
const PORT_MESSAGE = "must be a number from 1 to 65535";
const port = z.int(PORT_MESSAGE).check(z.minimum(1, PORT_MESSAGE), z.maximum(65_535, PORT_MESSAGE));

export const AUTH_TYPES = {
  none: z.strictObject({ type: z.literal("none") }),
  api_key: z.strictObject({
    type: z.literal("api_key"),
    header_name: z._default(entryValue, "X-API-Key"),
    api_key: entryValue,
  }),
  token_file: z.strictObject({ type: z.literal("token_file"), token_path: entryValue }),
  oauth: z
    .strictObject({
      type: z.literal("oauth"),
      authorization_url: optionalLoginUrl,
      token_url: optionalLoginUrl,
      registration_url: optionalLoginUrl,
      client_id: optionalValue,
      client_secret: optionalValue,
      scope: optionalValue,
      client_metadata_url: z.optional(urlValue(validateClientMetadataUrl)),
      callback_port: z.optional(port),
    })
    .check(
      z.refine(
        ({ client_id, client_secret }) => client_secret === undefined || client_id !== undefined,
        'has a "client_secret" but no "client_id"',
      ),
    ),
  client_credentials: z
    .strictObject({
      type: z.literal("client_credentials"),
      token_url: optionalLoginUrl,
      client_id: entryValue,
      client_secret: optionalValue,
      private_key_file: optionalValue,
      assertion_file: optionalValue,
      scope: optionalValue,
    })
    .check(
      z.refine(
        (auth) => clientCredentialsOf(auth).length > 0,
        'needs one of "client_secret", "private_key_file" or "assertion_file"',
      ),
      z.refine(
        (auth) => clientCredentialsOf(auth).length <= 1,
        'has more than one of "client_secret", "private_key_file" and "assertion_file"; keep one',
      ),
    ),
  enterprise: z.strictObject({
    type: z.literal("enterprise"),
    token_url: optionalLoginUrl,
    client_id: entryValue,
    client_secret: optionalValue,
    idp_token_url: urlValue(validateLoginUrl),
    idp_client_id: entryValue,
    idp_client_secret: optionalValue,
    id_token_file: entryValue,
    scope: optionalValue,
  }),
};

export type AuthType = keyof typeof AUTH_TYPES;

/** Returns the credentials that are set. */
function clientCredentialsOf(auth: {
  client_secret?: unknown;
  private_key_file?: unknown;
  assertion_file?: unknown;
}): unknown[] {
  return [auth.client_secret, auth.private_key_file, auth.assertion_file].filter(
    (credential) => credential !== undefined,
  );
}

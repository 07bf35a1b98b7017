/** The ways to log in that an entry can name, and what each needs. Loads zod. */
import * as z from "zod/mini";
import { address, value } from "./entry-fields.ts";
import { wrongDocumentUrl, wrongLoginUrl } from "./web-url.ts";

const optionalUrl = z.optional(address(wrongLoginUrl));
const optionalValue = z.optional(value);
const PORT = "must be a number from 1 to 65535";
const port = z.int(PORT).check(z.minimum(1, PORT), z.maximum(65_535, PORT));

export const AUTH_TYPES = {
  none: z.strictObject({ type: z.literal("none") }),
  api_key: z.strictObject({
    type: z.literal("api_key"),
    header_name: z._default(value, "X-API-Key"),
    api_key: value,
  }),
  token_file: z.strictObject({ type: z.literal("token_file"), token_path: value }),
  oauth: z
    .strictObject({
      type: z.literal("oauth"),
      authorization_url: optionalUrl,
      token_url: optionalUrl,
      registration_url: optionalUrl,
      client_id: optionalValue,
      client_secret: optionalValue,
      scope: optionalValue,
      client_metadata_url: z.optional(address(wrongDocumentUrl)),
      callback_port: z.optional(port),
    })
    .check(
      z.refine(
        ({ client_id, client_secret }) => client_secret === undefined || client_id !== undefined,
        'has a "client_secret" and no "client_id"',
      ),
    ),
  client_credentials: z
    .strictObject({
      type: z.literal("client_credentials"),
      token_url: optionalUrl,
      client_id: value,
      client_secret: optionalValue,
      private_key_file: optionalValue,
      assertion_file: optionalValue,
      scope: optionalValue,
    })
    .check(
      z.refine(
        (auth) => provenBy(auth).length > 0,
        'needs one of "client_secret", "private_key_file" and "assertion_file"',
      ),
      z.refine(
        (auth) => provenBy(auth).length <= 1,
        'has more than one of "client_secret", "private_key_file" and "assertion_file"; keep one',
      ),
    ),
  enterprise: z.strictObject({
    type: z.literal("enterprise"),
    token_url: optionalUrl,
    client_id: value,
    client_secret: optionalValue,
    idp_token_url: address(wrongLoginUrl),
    idp_client_id: value,
    idp_client_secret: optionalValue,
    id_token_file: value,
    scope: optionalValue,
  }),
};

export type AuthType = keyof typeof AUTH_TYPES;

/** By what a program proves who it is. */
function provenBy(auth: { client_secret?: unknown; private_key_file?: unknown; assertion_file?: unknown }): unknown[] {
  return [auth.client_secret, auth.private_key_file, auth.assertion_file].filter((one) => one !== undefined);
}

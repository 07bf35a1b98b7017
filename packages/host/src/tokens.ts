/** The tokens of the owner and of gateway clients. */
export { clientTokenName, findClientToken, revokeClientToken } from "./tokens/client-token.ts";
export { digestOf, shortDigest } from "./tokens/digest.ts";
export {
  addNamedToken,
  deleteNamedToken,
  isTokenPrincipal,
  principalOf,
  readNamedTokens,
  replaceNamedToken,
  tokenFilePath,
} from "./tokens/named-tokens.ts";
export type { NamedToken } from "./tokens/named-tokens.ts";
export { ownerToken } from "./tokens/owner-token.ts";

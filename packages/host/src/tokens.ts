/** Exports for the daemon: the tokens of the owner and of gateway clients. */
export { digestOf, shortDigest } from "./tokens/digest.ts";
export {
  addNamedToken,
  deleteNamedToken,
  isTokenPrincipal,
  principalOf,
  readNamedTokens,
  tokenFilePath,
} from "./tokens/named-tokens.ts";
export type { NamedToken } from "./tokens/named-tokens.ts";
export { ownerToken } from "./tokens/owner-token.ts";

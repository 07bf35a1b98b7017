/**
 * The named tokens of clients, in `tokens.json` of the state folder. The file has only digests, so a token is shown
 * once, when it is created. Several processes may change the file.
 */
import { join } from "node:path";
import { HostError, isJsonObject, OWNER } from "@plugboard/contracts";
import type { Env, JsonObject, Principal, TokenInfo } from "@plugboard/contracts";
import { StateFile, ensureStateFolder, stateFolder } from "@plugboard/store";
import { digestOf, shortDigest } from "./digest.ts";
import { newToken } from "./owner-token.ts";

export interface NamedToken extends TokenInfo {
  /** The SHA-256 of the token, in hexadecimal. */
  readonly digest: string;
}

interface NewTokenOptions {
  readonly name: string;
  readonly profile?: string | undefined;
  readonly mayApprove: boolean;
  readonly now: number;
}

/** Returns the file of the named tokens. */
export function tokenFilePath(env: Env): string {
  return join(stateFolder(env), "tokens.json");
}

/** Creates a token and returns it. Throws USAGE if the name is invalid or taken. */
export async function addNamedToken(env: Env, options: NewTokenOptions): Promise<string> {
  const token = newToken();
  await storeToken(env, token, options, async (tokens) => {
    if (!tokens.some(({ name }) => name === options.name)) return tokens;
    const message = `there is already a token "${options.name}"; run \`plugboard token revoke ${options.name}\` first, or choose another name`;
    throw new HostError("USAGE", { message, omitHelp: true });
  });
  return token;
}

/**
 * Makes `token` valid in place of the old token with the same name, after `write` has written it to the file of its
 * client. If that fails, the old token stays valid.
 */
export async function replaceNamedToken(
  env: Env,
  token: string,
  options: NewTokenOptions,
  write: () => Promise<void>,
): Promise<void> {
  await storeToken(env, token, options, async (tokens) => {
    await write();
    return tokens.filter(({ name }) => name !== options.name);
  });
}

/** Returns the entry of a token that a client sends. Returns undefined if it is no valid named token. */
export async function findNamedToken(env: Env, token: string): Promise<NamedToken | undefined> {
  const digest = digestOf(token);
  return (await readNamedTokens(env)).find((stored) => stored.digest === digest);
}

/** Stores the new token. `prepare` gets the stored tokens and returns the tokens that stay. */
async function storeToken(
  env: Env,
  token: string,
  { name, profile, mayApprove, now }: NewTokenOptions,
  prepare: (tokens: readonly StoredToken[]) => Promise<readonly StoredToken[]>,
): Promise<void> {
  if (!isValidName(name)) throw new HostError("USAGE", { message: `the name of a token ${NAME_RULE}`, omitHelp: true });
  await ensureStateFolder(env);
  const optional = profile === undefined ? {} : { profile };
  const entry = { name, digest: digestOf(token), created_at: now, may_approve: mayApprove, ...optional };
  await tokenFile(env).update(async ({ tokens }) => ({ tokens: [...(await prepare(tokens)), entry] }));
}

export async function readNamedTokens(env: Env): Promise<readonly NamedToken[]> {
  return (await tokenFile(env).read()).tokens.map(toNamedToken);
}

/** Removes a token, which ends its sessions in a running host. Throws NOT_FOUND if there is no token of that name. */
export async function deleteNamedToken(env: Env, name: string): Promise<void> {
  await ensureStateFolder(env);
  await tokenFile(env).update(({ tokens }) => {
    const remaining = tokens.filter((token) => token.name !== name);
    if (remaining.length === tokens.length) throw new HostError("NOT_FOUND", { subject: `token "${name}"` });
    return { tokens: remaining };
  });
}

/** Returns the holder of the token. A new token with the name of a revoked token is another holder. */
export function principalOf({ name, digest, mayApprove }: NamedToken): Principal {
  return { id: `${ID_PREFIX}${shortDigest(digest)}`, name, mayApprove };
}

/** Returns whether a principal with this id holds a named token. */
export function isTokenPrincipal(id: string): boolean {
  return id.startsWith(ID_PREFIX);
}

const ID_PREFIX = "token:";

/** The content of the file. Its keys are in snake_case, as in all state files. */
interface TokenFileContent {
  readonly tokens: readonly StoredToken[];
}

interface StoredToken {
  readonly name: string;
  readonly digest: string;
  readonly created_at: number;
  readonly profile?: string;
  readonly may_approve: boolean;
}

function tokenFile(env: Env): StateFile<TokenFileContent> {
  return new StateFile(tokenFilePath(env), { initial: { tokens: [] }, parse: parseContent });
}

function parseContent({ tokens }: JsonObject): TokenFileContent | undefined {
  if (!Array.isArray(tokens)) return undefined;
  const stored: readonly unknown[] = tokens;
  return stored.every(isStoredToken) ? { tokens: stored } : undefined;
}

/** A damaged entry makes the whole file invalid: a token that has lost its limits must not be accepted. */
function isStoredToken(value: unknown): value is StoredToken {
  if (!isJsonObject(value)) return false;
  const { name, digest, created_at: createdAt, profile, may_approve: mayApprove } = value;
  return (
    typeof name === "string" &&
    isValidName(name) &&
    typeof digest === "string" &&
    typeof createdAt === "number" &&
    (profile === undefined || typeof profile === "string") &&
    typeof mayApprove === "boolean"
  );
}

function toNamedToken({ created_at: createdAt, may_approve: mayApprove, ...token }: StoredToken): NamedToken {
  return { ...token, createdAt, mayApprove };
}

/** Has no colon. Names of OAuth subjects contain one, so no token can be mistaken for a subject. */
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/;
const NAME_RULE = `consists of at most 64 letters, digits, dots, dashes and underscores, begins with a letter or digit, and is not "${OWNER.name}"`;

function isValidName(name: string): boolean {
  return NAME.test(name) && name !== OWNER.name;
}

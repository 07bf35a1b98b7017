/**
 * Fetches the secrets that a definition refers to. Never stores or logs them. Errors name the reference, not the
 * value.
 */
import { resolve } from "node:path";
import { HostError, isHostError } from "@plugboard/contracts";
import type { SecretReference, Env } from "@plugboard/contracts";
import type { ConfiguredServer } from "../definition/definition.ts";
import { expandEnvReferences } from "../lib/expand-env-references.ts";
import { readBounded } from "@plugboard/store";
import { describeReference } from "../definition/secret-reference.ts";

export interface SecretPorts {
  /** Reads a secret by its name. Resolves with undefined if there is none. */
  readonly secrets?: (name: string) => Promise<string | undefined>;
  /** Runs a program. Resolves with its output, or with the reason of the failure. */
  readonly runCommand?: (
    argv: readonly [string, ...string[]],
    cwd: string,
  ) => Promise<{ readonly stdout: string } | { readonly failed: string }>;
}

const MAX_SECRET_BYTES = 64 * 1024;

/** Throws SERVER_INVALID if a secret can't be fetched. */
export async function fetchSecrets(
  references: readonly SecretReference[],
  server: Pick<ConfiguredServer, "id" | "folder">,
  env: Env,
  ports: SecretPorts,
): Promise<ReadonlyMap<SecretReference, string>> {
  const fetchOne = async (reference: SecretReference): Promise<[SecretReference, string]> => {
    const result = await fetchSecret(reference, server, env, ports);
    if ("value" in result && result.value) return [reference, result.value];
    const { reason, ...missing } = "reason" in result ? result : { reason: "it is empty" };
    const problem = `${describeReference(reference)} can't be read: ${reason}`;
    throw new HostError("SERVER_INVALID", { server: server.id, reason: problem, ...missing });
  };
  return new Map(await Promise.all(references.map(fetchOne)));
}

type SecretResult = { readonly value: string } | { readonly reason: string; readonly missingSecret?: string };

async function fetchSecret(
  reference: SecretReference,
  { id, folder }: Pick<ConfiguredServer, "id" | "folder">,
  env: Env,
  { secrets, runCommand }: SecretPorts,
): Promise<SecretResult> {
  if ("$file" in reference) return readSecretFile(resolve(folder, expandEnvReferences(reference.$file, env, id)));
  if ("$secret" in reference) {
    if (!secrets) return { reason: "no keyring is available" };
    return readStoredSecret(secrets, reference.$secret);
  }
  if (!runCommand) return { reason: "this host runs no programs" };
  const argv = reference.$cmd.map((argument) => expandEnvReferences(argument, env, id));
  try {
    const result = await runCommand(argv as [string, ...string[]], folder);
    return "failed" in result ? { reason: result.failed } : { value: result.stdout.trim() };
  } catch {
    return { reason: "the program failed" };
  }
}

/** Drops the message of an unknown error, because it may quote the secret. */
async function readStoredSecret(secrets: NonNullable<SecretPorts["secrets"]>, name: string): Promise<SecretResult> {
  try {
    const value = await secrets(name);
    return value === undefined ? { reason: "there is no secret of that name", missingSecret: name } : { value };
  } catch (thrown) {
    const known = isHostError(thrown) && (thrown.code === "KEYRING_UNAVAILABLE" || thrown.code === "STORE_UNREADABLE");
    return { reason: known ? thrown.details.reason : "the keyring failed" };
  }
}

async function readSecretFile(file: string): Promise<SecretResult> {
  try {
    const read = await readBounded(file, MAX_SECRET_BYTES);
    if ("reason" in read) return read;
    return {
      value: Buffer.from(read)
        .toString("utf8")
        .replace(/^\ufeff/, "")
        .trim(),
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { reason: code === "ENOENT" ? "the file does not exist" : `it can't be read (${code})` };
  }
}

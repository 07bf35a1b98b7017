/**
 * Fetches the secrets that a definition refers to. What was fetched is handed on
 * and neither kept nor told: errors name the reference, never a value.
 */
import { resolve } from "node:path";
import { isHostError } from "@plugboard/contracts";
import type { SecretReference, Env } from "@plugboard/contracts";
import type { ConfiguredServer } from "../definition/definition.ts";
import { expandEnvReferences, invalidServerError } from "./expand-env-references.ts";
import { readBounded } from "../../store/read-bounded.ts";
import { describeReference } from "../definition/secret-reference.ts";

export interface SecretPorts {
  /** From the keyring; nothing if it has none of that name. */
  readonly secrets?: (name: string) => Promise<string | undefined>;
  /** What a program writes, or in words why it could not be had. */
  readonly runCommand?: (
    argv: readonly [string, ...string[]],
    cwd: string,
  ) => Promise<{ readonly stdout: string } | { readonly failed: string }>;
}

const MAX_BYTES = 64 * 1024;

/** Throws SERVER_INVALID for one that can't be had. */
export async function fetchSecrets(
  references: readonly SecretReference[],
  server: Pick<ConfiguredServer, "id" | "folder">,
  env: Env,
  ports: SecretPorts,
): Promise<ReadonlyMap<SecretReference, string>> {
  const fetchOne = async (reference: SecretReference): Promise<[SecretReference, string]> => {
    const result = await fetchSecret(reference, server, env, ports);
    const value = "value" in result ? result.value : undefined;
    const why = "why" in result ? result.why : "it is empty";
    if (value) return [reference, value];
    throw invalidServerError(server.id, `${describeReference(reference)} can't be had: ${why}`);
  };
  return new Map(await Promise.all(references.map(fetchOne)));
}

type SecretResult = { readonly value: string } | { readonly why: string };

async function fetchSecret(
  reference: SecretReference,
  { id, folder }: Pick<ConfiguredServer, "id" | "folder">,
  env: Env,
  { secrets, runCommand }: SecretPorts,
): Promise<SecretResult> {
  if ("$file" in reference) return readSecretFile(resolve(folder, expandEnvReferences(reference.$file, env, id)));
  if ("$secret" in reference) {
    return secrets ? readFromKeyring(secrets, reference.$secret) : { why: "there is no keyring here" };
  }
  if (!runCommand) return { why: "no programs are run here" };
  const argv = reference.$cmd.map((word) => expandEnvReferences(word, env, id));
  try {
    const result = await runCommand(argv as [string, ...string[]], folder);
    return "failed" in result ? { why: result.failed } : { value: result.stdout.trim() };
  } catch {
    return { why: "the program failed" };
  }
}

/** What a port throws may quote what it was about to hand out; only why there is no keyring is told. */
async function readFromKeyring(secrets: NonNullable<SecretPorts["secrets"]>, name: string): Promise<SecretResult> {
  try {
    const value = await secrets(name);
    return value === undefined ? { why: "the keyring has no secret of that name" } : { value };
  } catch (thrown) {
    const unavailable = isHostError(thrown) && thrown.code === "KEYRING_UNAVAILABLE";
    return { why: unavailable ? thrown.details.reason : "the keyring failed" };
  }
}

async function readSecretFile(file: string): Promise<SecretResult> {
  try {
    const read = await readBounded(file, MAX_BYTES);
    if ("why" in read) return read;
    return {
      value: Buffer.from(read)
        .toString("utf8")
        .replace(/^\ufeff/, "")
        .trim(),
    };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { why: code === "ENOENT" ? "there is no such file" : `it can't be read (${code})` };
  }
}

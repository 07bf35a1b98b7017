/** Checks the shape of a `ChatSpec` from a client. The host checks its values. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { ChatSpec, Json } from "@plugboard/contracts";
import { parseWorkspaceSpec } from "./parse-workspace-spec.ts";

/** Uses `defaultCwd` if the spec has no `cwd`. Throws USAGE if a field is unknown or has the wrong type. */
export function parseChatSpec(body: unknown, defaultCwd: string | undefined): ChatSpec {
  if (!isJsonObject(body)) throw usageError("a chat must be an object");
  const { profile, model, system, nativeTools, temporary, limits, ...workspace } = body;
  return {
    ...parseWorkspaceSpec(workspace, defaultCwd),
    ...textOption("profile", profile),
    ...textOption("model", model),
    ...textOption("system", system),
    ...flagOption("nativeTools", nativeTools),
    ...flagOption("temporary", temporary),
    ...(isAbsent(limits) ? {} : { limits: parseLimits(limits) }),
  };
}

const LIMITS = ["steps", "tokens"];

function parseLimits(limits: Json): NonNullable<ChatSpec["limits"]> {
  const isLimit = ([key, value]: [string, unknown]) =>
    LIMITS.includes(key) && Number.isInteger(value) && Number(value) > 0;
  if (isJsonObject(limits) && Object.entries(limits).every(isLimit)) return limits;
  throw usageError('"limits" must be an object with positive whole numbers in "steps" and "tokens"');
}

function textOption<Key extends string>(key: Key, value: Json | undefined): { readonly [K in Key]?: string } {
  if (isAbsent(value)) return {};
  if (typeof value !== "string") throw usageError(`"${key}" must be a string`);
  return { [key]: value } as { readonly [K in Key]?: string };
}

function flagOption<Key extends string>(key: Key, value: Json | undefined): { readonly [K in Key]?: boolean } {
  if (isAbsent(value)) return {};
  if (typeof value !== "boolean") throw usageError(`"${key}" must be true or false`);
  return { [key]: value } as { readonly [K in Key]?: boolean };
}

function isAbsent(value: Json | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function usageError(message: string): HostError {
  return new HostError("USAGE", { message });
}

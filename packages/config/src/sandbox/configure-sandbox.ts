/**
 * Finds out what the sandbox of each stdio server allows: what its entry says, but for a server of a project no more than
 * `sandbox_default` of the user and of the administrator.
 */
import { join, resolve } from "node:path";
import { HostError, NATIVE_SERVER_ID, SANDBOX_PRESETS } from "@plugboard/contracts";
import type { ConfigProblem, Env, SandboxAccess, SandboxSetting } from "@plugboard/contracts";
import { isInsideFolder } from "@plugboard/store";
import type { ConfiguredSandbox, ConfiguredServer } from "../definition/definition.ts";
import { isProjectSource } from "../definition/project-limits.ts";
import { expandEnvReferences, invalidServerError } from "../lib/expand-env-references.ts";
import { exceedsLimit, intersectAccess } from "./intersect-access.ts";

/** A `sandbox_default`, and the file that has it. */
export interface SandboxDefault {
  readonly setting: SandboxSetting;
  readonly file: string;
}

export interface SandboxContext {
  readonly defaults: readonly SandboxDefault[];
  readonly env: Env;
  readonly home: string;
  /** The folder in which the workspace was opened. */
  readonly cwd: string;
}

/** Returns the server with its sandbox, and a problem if its entry asks for more than a default allows. */
export function configureSandbox(
  server: ConfiguredServer,
  context: SandboxContext,
): { readonly server: ConfiguredServer; readonly problem?: ConfigProblem } {
  const { id, source, file, definition, enabledBy } = server;
  if ("invalid" in definition || definition.transport !== "stdio") return { server };
  // A server that a project only enables keeps the definition of its own file.
  const defaults = isProjectSource(source) && enabledBy === undefined ? context.defaults : [];
  const { sandbox: setting } = definition;
  if (!setting && defaults.length === 0) return { server };
  const asWritten = setting || defaults[0]!.setting;
  try {
    const own = setting ? resolveSetting(setting, server, context, "sandbox") : undefined;
    const limit = defaults
      .map((one) => resolveSetting(one.setting, server, context, "sandbox_default"))
      .reduce<SandboxAccess | undefined>((all, one) => (all ? intersectAccess(all, one) : one), undefined);
    if (!limit) return { server: { ...server, sandbox: own! } };
    const access = own ? intersectAccess(own, limit) : limit;
    const configured = { ...server, sandbox: { ...access, limit: { read: limit.read, write: limit.write } } };
    const asksForMore = setting !== undefined && (!own || exceedsLimit(own, limit));
    if (!asksForMore) return { server: configured };
    const files = defaults.map((one) => one.file).join(" and ");
    const message = `"sandbox" asks for more than "sandbox_default" in ${files} allows; only what both allow applies`;
    return { server: configured, problem: { severity: "warning", file, server: id, message } };
  } catch (error) {
    return { server: { ...server, sandbox: unresolved(asWritten, error) } };
  }
}

/** Returns what all settings allow. Expects at least one. */
export function configureTerminal(settings: readonly SandboxDefault[], context: SandboxContext): ConfiguredSandbox {
  const place = { id: NATIVE_SERVER_ID, source: "user", folder: context.home } as const;
  try {
    const all = settings.map(({ setting }) => resolveSetting(setting, place, context, "terminal_sandbox"));
    return all.reduce(intersectAccess);
  } catch (error) {
    return unresolved(settings[0]!.setting, error);
  }
}

/** Describes the sandbox of a server that can't start. Rethrows errors other than SERVER_INVALID. */
function unresolved(setting: SandboxSetting, error: unknown): ConfiguredSandbox {
  if (!(error instanceof HostError && error.code === "SERVER_INVALID")) throw error;
  const { reason, variable } = error.details as HostError<"SERVER_INVALID">["details"];
  const { read = [], write = [], network = true } = typeof setting === "object" ? setting : {};
  return { read, write, network, unresolved: { reason, ...(variable !== undefined && { variable }) } };
}

/** Throws SERVER_INVALID for a variable that is not set, and for a preset without a project. */
function resolveSetting(
  setting: SandboxSetting,
  { id, source, folder }: Pick<ConfiguredServer, "id" | "source" | "folder">,
  { env, home, cwd }: SandboxContext,
  key: string,
): SandboxAccess {
  if (setting === true) return { read: [], write: [], network: true };
  if (typeof setting === "string") {
    const { workspace: level, network } = SANDBOX_PRESETS[setting];
    const workspace = isProjectSource(source) ? folder : cwd;
    if (level !== "none" && isInsideFolder(workspace, home))
      throw invalidServerError(
        id,
        `"${key}" is "${setting}", but ${workspace} is not a project, because it contains your home folder; open a project, or name folders in "read" and "write" instead`,
      );
    return { read: level === "read" ? [workspace] : [], write: level === "write" ? [workspace] : [], network };
  }
  const absolute = (path: string) => {
    const expanded = expandEnvReferences(path, env, id);
    return /^~(?:$|[\\/])/.test(expanded) ? join(home, expanded.slice(1)) : resolve(folder, expanded);
  };
  const { read = [], write = [], network = true } = setting;
  return { read: read.map(absolute), write: write.map(absolute), network };
}

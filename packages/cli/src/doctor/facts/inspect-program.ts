/** Looks at the program of a server: whether it can be started, which package it downloads, and which Node runs it. */
import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Env, InspectedProgram } from "@plugboard/contracts";
import { findSpawnProblem } from "@plugboard/mcp/process";
import { nearestCommand } from "../../checks/nearest-command.ts";
import { npxPackage } from "./npx-package.ts";
import { findInstalledPackage } from "./find-installed-package.ts";
import type { NodeVersions } from "./node-versions.ts";
import { readPackage } from "./read-package.ts";

export interface ProgramFacts {
  /** Why the program can't be started. */
  readonly problem?: string;
  /** A program on PATH with a similar name. */
  readonly similar?: string;
  /** The package that npx runs. */
  readonly npx?: { readonly name: string; readonly installed: boolean };
  /** The version of the `node` that runs the server. Absent if it does not run on Node. */
  readonly node?: string;
  /** The `engines.node` of the server's package. */
  readonly engines?: string;
}

export async function inspectProgram(program: InspectedProgram, env: Env, nodes: NodeVersions): Promise<ProgramFacts> {
  const { command, args, cwd, path } = program;
  const variables = path === undefined ? {} : { PATH: path };
  const problem = await findSpawnProblem({ command, cwd, env: variables });
  if (problem !== undefined) {
    const similar = await nearestCommand(command, { ...env, ...variables });
    return { problem, ...(similar !== undefined && { similar }) };
  }
  const wanted = npxPackage(command, args);
  const installed = wanted && (await findInstalledPackage(wanted, cwd, env));
  // Only for plain `node`: a path such as `./node` may be another program, which must not be run.
  const script = command === "node" ? args.find((arg) => !arg.startsWith("-")) : undefined;
  const engines = installed?.engines ?? (script && (await enginesOfScript(resolve(cwd, script))));
  const node = wanted || script ? await nodes.onPath(cwd, path) : undefined;
  return {
    ...(wanted && { npx: { name: wanted.name, installed: installed !== undefined } }),
    ...(node !== undefined && { node }),
    ...(engines && { engines }),
  };
}

const MAX_PARENTS = 6;

/** Reads `engines.node` of the package that a script belongs to. */
async function enginesOfScript(script: string, parents = MAX_PARENTS): Promise<string | undefined> {
  const folder = dirname(script);
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => undefined);
  if (text !== undefined) return readPackage(text).engines;
  return parents === 0 || folder === script || !isAbsolute(folder) ? undefined : enginesOfScript(folder, parents - 1);
}

/**
 * Plans the removal of everything that Plugboard has stored on this machine. Writes nothing. It is no method of the
 * control API, because a host can't remove the folder that it uses: a command runs the steps in its own process.
 */
import { existsSync, lstatSync } from "node:fs";
import { userConfigPath } from "@plugboard/config";
import { stateFolder } from "@plugboard/store";
import { basename, dirname, join } from "node:path";
import type { Keyring } from "../../auth/vault/keyring.ts";
import { systemKeyring } from "../../auth/vault/system-keyring.ts";
import { cacheFolder } from "../../lib/cache-folder.ts";
import type { OperationsPlace } from "../operations-context.ts";
import { planDisconnections } from "./plan-disconnections.ts";
import { planForgottenKeys } from "./plan-forgotten-keys.ts";
import type { PurgeStep } from "./purge-step.ts";
import { removeFile, removeFolder, removeStateFolder } from "./remove-folder.ts";

export interface PurgeOptions {
  /** True to remove the user's config file, too. */
  readonly config: boolean;
  readonly now: () => number;
  /** By default the keyring of the system. */
  readonly keyring?: Keyring;
}

export interface PurgePlan {
  /** Disconnects the clients. These steps come first, because the backups of their files are in the state folder. */
  readonly clients: readonly PurgeStep[];
  /** Removes keys, folders and files. These steps come last, when no host runs. */
  readonly files: readonly PurgeStep[];
  /** The config files that stay. */
  readonly kept: readonly string[];
  /** What the user has to do by hand. */
  readonly notes: readonly string[];
}

export async function planPurge(place: OperationsPlace, options: PurgeOptions): Promise<PurgePlan> {
  const { env } = place;
  const { config, now, keyring = systemKeyring({ env }) } = options;
  const { steps: clients, notes } = await planDisconnections(place, now);
  const { path: configFile, named } = userConfigPath(env);
  const state = stateFolder(env);
  const [code, packages] = ["code", "sandbox"].map((name) => join(cacheFolder(env), name)) as [string, string];
  const removals: Removal[] = [
    {
      kind: "remove",
      path: state,
      link: findLink(state),
      text: `remove ${state} (logins, secrets, tokens, permissions, chats and logs)`,
      after: "stop",
      run: (failed) => removeStateFolder(state, failed),
    },
    {
      kind: "remove",
      path: packages,
      link: findLink(packages),
      text: `remove ${packages} (packages of sandboxed servers)`,
      after: "stop",
      run: () => removeFolder(packages, { parent: true }),
    },
    {
      kind: "remove",
      path: code,
      link: findLink(code),
      text: `remove ${code} (compiled code)`,
      run: () => removeFolder(code, { parent: true }),
    },
    {
      kind: "remove",
      path: configFile,
      // A file that is a link itself is no danger: only the link is removed.
      link: named ? undefined : findLink(dirname(configFile)),
      text: `remove ${configFile} (your servers, rules and profiles)`,
      // The folder of a file that the user has named is not Plugboard's.
      run: () => removeFile(configFile, { parent: !named }),
    },
  ];
  const found = removals.filter(({ path }) => existsSync(path) && (config || path !== configFile));
  return {
    clients,
    files: [...(await planForgottenKeys(state, keyring)), ...found.filter(({ link }) => link === undefined)],
    kept: !config && existsSync(configFile) ? [configFile] : [],
    notes: [...notes, ...found.flatMap(({ path, link }) => (link === undefined ? [] : [linkNote(path, link)]))],
  };
}

interface Removal extends PurgeStep {
  readonly path: string;
  /** The folder of the path that is a link. Files of the user may be behind it, so nothing is removed. */
  readonly link: string | undefined;
}

function linkNote(path: string, link: string): string {
  return `${path} stays, because ${link} is a link to another folder. Remove by hand what is Plugboard's there, and the link.`;
}

/**
 * Returns the first folder that is a link, from this one up to the folder `plugboard`. Links further up are no danger: a
 * folder of that name is Plugboard's wherever they lead.
 */
function findLink(folder: string): string | undefined {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return folder;
  const parent = dirname(folder);
  return basename(folder) === "plugboard" || parent === folder ? undefined : findLink(parent);
}

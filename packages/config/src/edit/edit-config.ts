/**
 * Edits a config file on disk. Keeps comments, key order, indentation, line endings, byte-order mark, mode, owner
 * and a symbolic link. Rejects a link that leads out of a project. Processes that edit at the same time wait for each
 * other. A file that can't be parsed is not changed.
 */
import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { ConfigProblem, Json, ConfigSource } from "@plugboard/contracts";
import { withLock, realPathOf, ioErrorCode, unwritableError, writeAtomically } from "@plugboard/store";
import { applyChange, EMPTY_CONFIG } from "./apply-change.ts";
import type { ConfigChange } from "./apply-change.ts";
import { MAX_CONFIG_BYTES } from "../files/read-config-file.ts";
import { configureEntry } from "../inspect/configure-entry.ts";
import { readLayerFromText } from "../read/read-layer.ts";
import { validateServerId } from "../entry/validate-server-id.ts";
import { serializeJson } from "../parse/serialize-json.ts";
import { rejectLinkOutOfProject, rejectReplacedByLink } from "./reject-link-out-of-project.ts";
import { makeConfigFolder, newFileMode } from "./create-config-file.ts";

export interface ConfigEdit {
  /** The real path of the file, with symbolic links resolved. */
  readonly file: string;
  /** Whether the file was written. */
  readonly changed: boolean;
  /**
   * The changed part before and after: the server's entry, the list of rules, or the profile. Undefined if the file has
   * none.
   */
  readonly before?: Json;
  readonly after?: Json;
  /** Warnings about the new entry. */
  readonly problems: readonly ConfigProblem[];
}

interface EditOptions {
  /**
   * Called after the change was checked against the file, while other processes can't edit the file. If it rejects,
   * nothing is written.
   */
  readonly beforeWrite?: (() => Promise<void>) | undefined;
}

const BOM = "\ufeff";

/** `source` is the layer of the file, because some keys are allowed only in some layers. */
export async function editConfig(
  file: string,
  change: ConfigChange,
  source: ConfigSource = "user",
  { beforeWrite }: EditOptions = {},
): Promise<ConfigEdit> {
  const idError = "id" in change ? validateServerId(change.id) : undefined;
  if (idError !== undefined) throw new HostError("USAGE", { message: idError });
  const problems = await validateChange(file, change, source);
  const realPath = await realPathOf(file).catch((error: unknown) => {
    throw unwritableError(file, error);
  });
  await rejectLinkOutOfProject(file, realPath, source);
  // The lock needs the folder of the file. A change that only removes something does not create the folder or the file.
  if ((await readText(realPath)) === undefined) {
    const { text, ...beforeAndAfter } = applyChange(realPath, EMPTY_CONFIG, change);
    if (text === EMPTY_CONFIG) return { file: realPath, changed: false, ...beforeAndAfter, problems };
    await makeConfigFolder(realPath, source);
  }
  return withLock(realPath, async () => {
    // Reads the file again, because another process may have changed it before the lock was taken.
    const existing = await readText(realPath);
    const text = existing ?? EMPTY_CONFIG;
    const bom = text.startsWith(BOM) ? BOM : "";
    const { text: newText, ...beforeAndAfter } = applyChange(realPath, text.slice(bom.length), change);
    const changed = bom + newText !== text;
    if (changed) rejectLargeText(realPath, bom + newText);
    await beforeWrite?.();
    if (changed) {
      const copyModeFrom = existing === undefined ? undefined : await stat(realPath);
      await rejectReplacedByLink(realPath);
      await writeAtomically(realPath, bom + newText, { copyModeFrom, mode: newFileMode(source) });
    }
    return { file: realPath, changed, ...beforeAndAfter, problems };
  });
}

/** Throws CONFIG_INVALID for a text that would be too large to be read again. */
function rejectLargeText(file: string, text: string): void {
  if (Buffer.byteLength(text) <= MAX_CONFIG_BYTES) return;
  throw new HostError("CONFIG_INVALID", { file, reason: `it would be larger than ${MAX_CONFIG_BYTES} bytes` });
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch (error) {
    const code = ioErrorCode(error);
    if (code === "ENOENT") return undefined;
    const reason = code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "it is not UTF-8" : `it can't be read (${code})`;
    throw new HostError("CONFIG_INVALID", { file, reason }, { cause: error });
  }
}

/** Returns the warnings about the new entry. Throws for an invalid entry or profile. */
async function validateChange(file: string, change: ConfigChange, source: ConfigSource): Promise<ConfigProblem[]> {
  if (change.type === "set_server") {
    const { problems } = await configureEntry(change.id, change.entry, file, { source, folder: dirname(file) });
    return [...problems];
  }
  if (change.type === "set_profile") await validateNewProfile(file, change);
  return [];
}

/** Throws USAGE for an invalid profile. Reads it as the only part of a config file, so that the usual checks apply. */
async function validateNewProfile(file: string, { profile, view }: Extract<ConfigChange, { view: unknown }>) {
  const text = serializeJson(file, { mcp: { profiles: { [profile]: view } } });
  const { problems } = await readLayerFromText(file, text, { source: "user", folder: dirname(file) });
  const [problem] = problems;
  if (problem) throw new HostError("USAGE", { message: problem.message });
}

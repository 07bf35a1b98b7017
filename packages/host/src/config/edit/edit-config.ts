/**
 * Edits a config file on disk and keeps what is the user's: comments, order,
 * indentation, line ends, byte-order mark, mode and owner, and a link to it.
 * Processes that edit at once do so one after another; a file that can't be
 * read whole is not touched.
 */
import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { ConfigProblem, Json, ConfigSource } from "@plugboard/contracts";
import { withLock } from "../../store/file-lock.ts";
import { realPathOf } from "../../store/real-path.ts";
import { ioErrorCode, unwritableError } from "../../store/io-error.ts";
import { writeAtomically } from "../../store/write-atomically.ts";
import { applyChange, EMPTY_CONFIG } from "./apply-change.ts";
import type { ConfigChange } from "./apply-change.ts";
import { readLayerFromText } from "../read/read-layer.ts";
import { validateServerId } from "../read/read-servers.ts";
import { serializeJson } from "../parse/serialize-json.ts";
import { makeFolder } from "../../store/make-folder.ts";

export interface ConfigEdit {
  /** Where it was written in the end, links followed. */
  readonly file: string;
  /** Whether anything was written. */
  readonly changed: boolean;
  /** The server's entry, or the rules of that effect, as they were and as they are; absent where there are none. */
  readonly before?: Json;
  readonly after?: Json;
  /** What whoever reads the new entry will be warned of. */
  readonly problems: readonly ConfigProblem[];
}

const BOM = "\ufeff";

/** `source` is the layer that the file is; some things may be written in some layers only. */
export async function editConfig(
  file: string,
  change: ConfigChange,
  source: ConfigSource = "user",
): Promise<ConfigEdit> {
  const wrongId = "id" in change ? validateServerId(change.id) : undefined;
  if (wrongId !== undefined) throw new HostError("USAGE", { message: wrongId });
  const problems = change.type === "set_server" ? await validateNewEntry(file, change, source) : [];
  const realPath = await realPathOf(file).catch((error: unknown) => {
    throw unwritableError(file, error);
  });
  if ((await readText(realPath)) === undefined) {
    const { text, ...entry } = applyChange(realPath, EMPTY_CONFIG, change);
    if (text === EMPTY_CONFIG) return { file: realPath, changed: false, ...entry, problems };
    await makeParentFolder(realPath);
  }
  return withLock(realPath, async () => {
    const existing = await readText(realPath);
    const text = existing ?? EMPTY_CONFIG;
    const bom = text.startsWith(BOM) ? BOM : "";
    const { text: next, ...entry } = applyChange(realPath, text.slice(bom.length), change);
    const changed = bom + next !== text;
    if (changed)
      await writeAtomically(realPath, bom + next, {
        copyModeFrom: existing === undefined ? undefined : await stat(realPath),
      });
    return { file: realPath, changed, ...entry, problems };
  });
}

async function makeParentFolder(file: string): Promise<void> {
  try {
    await makeFolder(dirname(file));
  } catch (error) {
    throw unwritableError(file, error);
  }
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

type SetServerChange = Extract<ConfigChange, { type: "set_server" }>;

/** By the eyes that will read it: what they refuse is not written. */
async function validateNewEntry(
  file: string,
  { id, entry }: SetServerChange,
  source: ConfigSource,
): Promise<ConfigProblem[]> {
  const text = serializeJson(file, { mcp: { servers: { [id]: entry } } });
  const { problems } = await readLayerFromText(file, text, { source, folder: dirname(file) });
  const error = problems.find(({ severity }) => severity === "error");
  if (error) throw new HostError("SERVER_INVALID", { server: id, reason: error.message });
  // Where in the file it will stand is not known yet.
  return problems.map(({ severity, message }) => ({ severity, file, server: id, message }));
}

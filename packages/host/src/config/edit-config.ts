/**
 * Edits a config file on disk and keeps what is the user's: comments, order,
 * indentation, line ends, byte-order mark, mode and owner, and a link to it.
 * Processes that edit at once do so one after another; a file that can't be
 * read whole is not touched.
 */
import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { HostError } from "@plugboard/contracts";
import type { ConfigProblem, Json, Source } from "@plugboard/contracts";
import { withLock } from "../store/file-lock.ts";
import { realPathOf } from "../store/real-path.ts";
import { ioCode, unwritable } from "../store/unwritable.ts";
import { writeAtomically } from "../store/write-atomically.ts";
import { changeText, NEW_CONFIG } from "./edit-change.ts";
import type { ConfigChange } from "./edit-change.ts";
import { readConfigText } from "./read-layer.ts";
import { checkId } from "./read-servers.ts";
import { toJsonText } from "./to-json-text.ts";
import { makeFolder } from "../store/make-folder.ts";

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
export async function editConfig(file: string, change: ConfigChange, source: Source = "user"): Promise<ConfigEdit> {
  const wrongId = "id" in change ? checkId(change.id) : undefined;
  if (wrongId !== undefined) throw new HostError("USAGE", { what: wrongId });
  const problems = change.type === "set_server" ? await check(file, change, source) : [];
  const real = await realPathOf(file).catch((error: unknown) => {
    throw unwritable(file, error);
  });
  if ((await readText(real)) === undefined) {
    const { text, ...entry } = changeText(real, NEW_CONFIG, change);
    if (text === NEW_CONFIG) return { file: real, changed: false, ...entry, problems };
    await makeFolderOf(real);
  }
  return withLock(real, async () => {
    const existing = await readText(real);
    const text = existing ?? NEW_CONFIG;
    const mark = text.startsWith(BOM) ? BOM : "";
    const { text: next, ...entry } = changeText(real, text.slice(mark.length), change);
    const changed = mark + next !== text;
    if (changed)
      await writeAtomically(real, mark + next, { like: existing === undefined ? undefined : await stat(real) });
    return { file: real, changed, ...entry, problems };
  });
}

async function makeFolderOf(file: string): Promise<void> {
  try {
    await makeFolder(dirname(file));
  } catch (error) {
    throw unwritable(file, error);
  }
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch (error) {
    const code = ioCode(error);
    if (code === "ENOENT") return undefined;
    const what = code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "it is not UTF-8" : `it can't be read (${code})`;
    throw new HostError("CONFIG_INVALID", { file, what }, { cause: error });
  }
}

type ServerSet = Extract<ConfigChange, { type: "set_server" }>;

/** By the eyes that will read it: what they refuse is not written. */
async function check(file: string, { id, entry }: ServerSet, source: Source): Promise<ConfigProblem[]> {
  const alone = toJsonText(file, { mcp: { servers: { [id]: entry } } });
  const { problems } = await readConfigText(file, alone, { source, folder: dirname(file) });
  const wrong = problems.find(({ severity }) => severity === "error");
  if (wrong) throw new HostError("SERVER_INVALID", { server: id, what: wrong.message });
  // Where in the file it will stand is not known yet.
  return problems.map(({ severity, message }) => ({ severity, file, server: id, message }));
}

/** Limits the roots of a gateway client to the roots of the workspace. */
import { fileURLToPath, pathToFileURL } from "node:url";
import { canonicalJson, parseUrl } from "@plugboard/contracts";
import type { Root } from "@plugboard/contracts";
import { isInsideFolder, realPathOf } from "@plugboard/store";

/**
 * Returns the roots that are inside an allowed root, because a client must not give a server more folders than the
 * workspace does. Their URIs name the real folders, so that a server can't understand them in another way. Returns
 * undefined if no root is left, or if the roots are the allowed ones.
 */
export async function narrowRoots(
  roots: readonly Root[],
  allowed: readonly Root[],
): Promise<readonly Root[] | undefined> {
  const [paths, folders] = await Promise.all([roots, allowed].map((list) => Promise.all(list.map(folderOf))));
  const isInside = (path: string | undefined) =>
    path !== undefined && folders!.some((folder) => folder !== undefined && isInsideFolder(folder, path));
  const narrowed = roots.flatMap(({ name }, index) => {
    const path = paths![index];
    if (!isInside(path)) return [];
    return [{ uri: pathToFileURL(path!).href, ...(name !== undefined && { name }) }];
  });
  const isSame = canonicalJson(paths!.map(String)) === canonicalJson(folders!.map(String));
  return narrowed.length === 0 || isSame ? undefined : narrowed;
}

/** Returns the folder without symbolic links, or undefined if the root is no local folder. */
async function folderOf({ uri }: Root): Promise<string | undefined> {
  const url = parseUrl(uri);
  if (url?.protocol !== "file:" || url.host !== "") return undefined;
  try {
    return await realPathOf(fileURLToPath(url));
  } catch {
    // The URL has an encoded slash, or a link can't be followed.
    return undefined;
  }
}

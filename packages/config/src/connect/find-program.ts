/** Looks for programs on the PATH, and for applications of macOS. */
import { access, constants, stat } from "node:fs/promises";
import { posix, win32 } from "node:path";
import type { ClientPlaces } from "../clients/formats/client.ts";
import { joinPath } from "../clients/formats/client-folders.ts";

type Places = Pick<ClientPlaces, "env" | "platform" | "home">;

/** Returns the path of the first program that exists. */
export async function findProgram(names: readonly string[], places: Places): Promise<string | undefined> {
  const { env, platform } = places;
  const { delimiter } = platform === "win32" ? win32 : posix;
  const endings = platform === "win32" ? (env["PATHEXT"] ?? ".COM;.EXE;.BAT;.CMD").toLowerCase().split(";") : [""];
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const name of names)
    for (const folder of folders)
      for (const ending of endings) {
        const path = joinPath(places, folder, name + ending);
        if (await isProgram(path)) return path;
      }
  return undefined;
}

/** Returns the path of the first application that exists. Only macOS has such folders. */
export async function findApp(names: readonly string[], places: Places): Promise<string | undefined> {
  if (places.platform !== "darwin") return undefined;
  for (const name of names)
    for (const folder of ["/Applications", joinPath(places, places.home, "Applications")]) {
      const path = joinPath(places, folder, `${name}.app`);
      if (await exists(path)) return path;
    }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

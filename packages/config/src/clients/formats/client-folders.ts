/** The folders in which clients keep their config files. */
import { posix, win32 } from "node:path";
import type { ClientPlaces } from "./client.ts";

/** Joins a path with the separators of the platform. */
export function joinPath({ platform }: Pick<ClientPlaces, "platform">, ...parts: readonly string[]): string {
  return (platform === "win32" ? win32 : posix).join(...parts);
}

/** Returns the folder of application data: `%APPDATA%`, `~/Library/Application Support` or `~/.config`. */
export function appDataFolder(places: ClientPlaces): string {
  const { home, env, platform } = places;
  if (platform === "win32") return env["APPDATA"] || joinPath(places, home, "AppData", "Roaming");
  return platform === "darwin" ? joinPath(places, home, "Library", "Application Support") : xdgFolder(places);
}

/** Returns `$XDG_CONFIG_HOME` if it is absolute, else `~/.config`. */
export function xdgFolder(places: ClientPlaces): string {
  const given = places.env["XDG_CONFIG_HOME"];
  return given?.startsWith("/") ? given : joinPath(places, places.home, ".config");
}

/** Where the administrator's config file is. No variable moves it: whoever is bound by it could set that. */
import { posix, win32 } from "node:path";

export function defaultManagedConfigPath(platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32") return win32.join("C:\\ProgramData", "plugboard", "config.json");
  const folder = platform === "darwin" ? "/Library/Application Support" : "/etc";
  return posix.join(folder, "plugboard", "config.json");
}

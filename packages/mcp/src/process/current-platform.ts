/** The platform that this process runs on. */
import type { Platform } from "./platform.ts";
import { posix } from "./posix.ts";
import { windows } from "./windows.ts";

export const currentPlatform: Platform = process.platform === "win32" ? windows : posix;

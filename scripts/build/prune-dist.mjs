// @ts-check
/** Removes build output without a source file, which `tsc -b` does not delete and tests would still import. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** @param {string} packages the folder that holds the packages */
export function pruneDist(packages) {
  for (const name of readdirSync(packages)) {
    const [dist, src] = [join(packages, name, "dist"), join(packages, name, "src")];
    if (!existsSync(dist)) continue;
    for (const file of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
      const stem = /^(.*)\.(?:js|d\.ts|js\.map)$/.exec(file)?.[1];
      if (stem === undefined || stem.startsWith("bundle")) continue;
      const hasSource = [".ts", ".tsx"].some((extension) => existsSync(join(src, stem + extension)));
      if (!hasSource) rmSync(join(dist, file));
    }
  }
}

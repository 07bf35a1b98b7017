/** Finds the folder with PostgreSQL's programs. Debian keeps each version in a folder outside of the PATH. */
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

const DEBIAN = "/usr/lib/postgresql";

export function postgresPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(DEBIAN, version, "bin")),
    ...(process.env["PATH"] ?? "").split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "psql")));
}

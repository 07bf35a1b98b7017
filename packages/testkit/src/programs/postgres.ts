/** Starts a PostgreSQL server for one test, with the programs of the system's package. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFixture, type ProcessUser } from "../fixture-process.ts";
import { postgresPrograms } from "./postgres-programs.ts";
import { freePort } from "../free-port.ts";

export interface Postgres {
  readonly url: string;
  /** Runs statements as the owner of the database. */
  run(sql: string): void;
  close(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;

export async function startPostgres(): Promise<Postgres> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error("PostgreSQL is not installed");
  const program = (name: string) => join(programs, name);
  const user = postgresUser();
  // The server refuses to run as root or in a folder of another user.
  const folder = await mkdtemp(join(tmpdir(), "plugboard-postgres-"));
  if (user) await chown(folder, user.uid, user.gid);
  await chmod(folder, 0o700);
  const data = join(folder, "data");
  const port = await freePort();

  const initdb = ["-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"];
  execFileSync(program("initdb"), initdb, { cwd: folder, stdio: ["ignore", "ignore", "inherit"], ...user });
  const args = ["-D", data, "-h", "127.0.0.1", "-p", String(port), "-k", folder, "-F"];
  const server = startFixture({ command: program("postgres"), args }, process.env, user);
  await server.stderr.waitFor("ready to accept connections", START_TIMEOUT_MS);

  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`;
  return {
    url,
    run: (sql) => void execFileSync(program("psql"), ["-q", "-v", "ON_ERROR_STOP=1", "-c", sql, url], { cwd: folder }),
    async close() {
      // PostgreSQL's signal for an immediate shutdown.
      await server.close("SIGQUIT");
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the user to run as. Root uses the account that the package created. */
function postgresUser(): ProcessUser | undefined {
  if (process.getuid?.() !== 0 || !existsSync("/etc/passwd")) return undefined;
  const line = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8"));
  if (!line) throw new Error("there is no user postgres");
  return { uid: Number(line[1]), gid: Number(line[2]) };
}

/**
 * Installs packed packages as a user does, without a network: their third-party dependencies come from a package
 * registry on loopback, which serves the packages that are installed in the workspace.
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname, join } from "node:path";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const installed = join(root, "node_modules");
const TARBALL = ".tgz";

/** Runs `npm install` with the first Node in `path`, in a cache of its own. */
export async function npmInstall(
  args: readonly string[],
  { cwd, path = process.env["PATH"] ?? "" }: { readonly cwd: string; readonly path?: string },
): Promise<void> {
  const registry = await startRegistry();
  const options = [`--registry=${registry.url}`, `--cache=${join(cwd, "npm-cache")}`, "--no-audit", "--no-fund"];
  try {
    await promisify(execFile)("npm", ["install", ...options, ...args], { cwd, env: { ...process.env, PATH: path } });
  } finally {
    await registry.close();
  }
}

async function startRegistry() {
  const paths = installedPaths();
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url!.slice(1));
    const isTarball = path.endsWith(TARBALL);
    const name = isTarball ? path.slice(0, -TARBALL.length) : path;
    if (!existsSync(join(installed, name, "package.json"))) return void response.writeHead(404).end();
    if (!isTarball) return void response.end(JSON.stringify(describePackage(name, paths, url)));
    void packInstalled(name).then((tarball) => response.end(tarball));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    close: () => {
      server.closeAllConnections();
      return promisify(server.close.bind(server))();
    },
  };
}

/** Describes a package with all its installed versions. There are several if packages need different versions of it. */
function describePackage(name: string, installedPaths: readonly string[], url: string): object {
  const paths = installedPaths.filter((path) => path === name || path.endsWith(`/node_modules/${name}`));
  const manifests = paths.map((path) => {
    const manifest = JSON.parse(readFileSync(join(installed, path, "package.json"), "utf8")) as { version: string };
    return { ...manifest, dist: { tarball: `${url}${path}${TARBALL}` } };
  });
  const latest = manifests[paths.indexOf(name)]?.version;
  const versions = Object.fromEntries(manifests.map((manifest) => [manifest.version, manifest]));
  return { name, "dist-tags": { latest }, versions };
}

/** Returns the paths of all installed packages below `node_modules`. */
function installedPaths(): string[] {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as { packages: object };
  return Object.keys(packages)
    .filter((key) => key.startsWith("node_modules/") && existsSync(join(root, key, "package.json")))
    .map((key) => key.slice("node_modules/".length));
}

/** Returns an uncompressed tar file, which npm reads, too. Compressing would take most of the time. */
async function packInstalled(name: string): Promise<Buffer> {
  const folder = join(installed, name);
  const options = { encoding: "buffer", maxBuffer: 64 * 1024 * 1024 } as const;
  const args = ["--exclude=node_modules", "-cf", "-", "-C", dirname(folder), basename(folder)];
  const { stdout } = await promisify(execFile)("tar", args, options);
  return stdout;
}

/**
 * Serves the files of a document, such as the page. They are built and compressed by `scripts/build/bundle-page.mjs`.
 */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

interface PageFile {
  readonly headers: { readonly [name: string]: string };
  readonly body: Buffer;
  readonly digest: string;
  /** The compressed forms by the name of their encoding, the smallest first. */
  readonly compressed: ReadonlyMap<string, Buffer>;
}

/** The encodings and the endings of their files, the smallest files first. */
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

const TYPES: { readonly [extension: string]: string } = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

export interface SecurityHeaders {
  readonly "content-security-policy": string;
  readonly [name: string]: string;
}

export class PageFiles {
  readonly #folder: string;
  #files: Promise<ReadonlyMap<string, PageFile>> | undefined;

  /** `name` is a folder beside the bundle. */
  constructor(name: "page" | "sandbox") {
    this.#folder = fileURLToPath(new URL(`./${name}/`, import.meta.url));
  }

  /** Returns false if there is no such file. Reads all files on first use. */
  async send(
    pathname: string,
    request: IncomingMessage,
    response: ServerResponse,
    security: SecurityHeaders,
  ): Promise<boolean> {
    this.#files ??= readFiles(this.#folder);
    const file = (await this.#files).get(pathname);
    if (!file) return false;
    // Another policy makes another document, so that a browser never uses a stored one with an old policy.
    const etag = digestOf(file.digest + security["content-security-policy"]);
    const headers = { ...file.headers, ...security, vary: "accept-encoding", etag };
    if (request.headers["if-none-match"] === etag) response.writeHead(304, headers).end();
    else sendBody(file, headers, request, response);
    return true;
  }
}

function sendBody(
  file: PageFile,
  headers: PageFile["headers"],
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const accepted = request.headers["accept-encoding"]?.split(/\s*,\s*/);
  const encoding = [...file.compressed.keys()].find((name) => accepted?.includes(name));
  const body = (encoding && file.compressed.get(encoding)) ?? file.body;
  response.writeHead(200, {
    ...headers,
    ...(encoding && { "content-encoding": encoding }),
    "content-length": body.length,
  });
  // Node sends no body in the answer to HEAD.
  response.end(body);
}

/** A build without a page has no files. */
async function readFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const names = await readdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const files = new Map<string, PageFile>();
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const path = `/${name.replaceAll("\\", "/")}`;
    files.set(path === "/index.html" ? "/" : path, await readPageFile(folder, name, type, names));
  }
  return files;
}

async function readPageFile(folder: string, name: string, type: string, names: readonly string[]): Promise<PageFile> {
  const body = await readFile(join(folder, name));
  const compressed = new Map<string, Buffer>();
  for (const [encoding, suffix] of ENCODINGS) {
    if (names.includes(name + suffix)) compressed.set(encoding, await readFile(join(folder, name + suffix)));
  }
  // The build puts a hash of the content into the names of all files in `assets`.
  const isHashed = name.startsWith("assets");
  const caching = isHashed ? "public, max-age=31536000, immutable" : "no-cache";
  return { body, digest: digestOf(body), compressed, headers: { "content-type": type, "cache-control": caching } };
}

function digestOf(content: string | Buffer): string {
  return `"${createHash("sha256").update(content).digest("base64url")}"`;
}

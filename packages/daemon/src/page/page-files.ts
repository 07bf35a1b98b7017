/** Serves the files of the page. They are built and compressed by `scripts/bundle-page.mjs`. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";

interface PageFile {
  readonly headers: { readonly [name: string]: string };
  readonly body: Buffer;
  /** The compressed forms by the name of their encoding. */
  readonly compressed: ReadonlyMap<string, Buffer>;
}

/** The smallest first. */
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

/** No inline script, no other host, no frame around the page. Images and audio of results are data. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const COMMON_HEADERS = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  vary: "accept-encoding",
};

/** The folder beside the bundle. */
const PAGE_FOLDER = fileURLToPath(new URL("./page/", import.meta.url));

export class PageFiles {
  readonly #folder: string;
  #files: Promise<ReadonlyMap<string, PageFile>> | undefined;

  constructor(folder: string = PAGE_FOLDER) {
    this.#folder = folder;
  }

  /** Returns false if there is no such file. Reads all files on first use. */
  async send(pathname: string, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    this.#files ??= readFiles(this.#folder);
    const file = (await this.#files).get(pathname);
    if (!file) return false;
    if (request.headers["if-none-match"] === file.headers["etag"]) {
      response.writeHead(304, file.headers).end();
      return true;
    }
    const accepted = (request.headers["accept-encoding"] ?? "").split(/\s*,\s*/);
    const encoding = ENCODINGS.map(([name]) => name).find(
      (name) => accepted.includes(name) && file.compressed.has(name),
    );
    const body = (encoding && file.compressed.get(encoding)) ?? file.body;
    response.writeHead(200, {
      ...file.headers,
      ...(encoding && { "content-encoding": encoding }),
      "content-length": body.length,
    });
    response.end(request.method === "HEAD" ? undefined : body);
    return true;
  }
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
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  // The names of all other files contain a hash of their content.
  const isHashed = name.startsWith("assets");
  const caching = isHashed ? "public, max-age=31536000, immutable" : "no-cache";
  return { body, compressed, headers: { ...COMMON_HEADERS, "content-type": type, "cache-control": caching, etag } };
}

/** Tests that the links and file names in the documentation exist. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const pages = [
  ...[
    root,
    join(root, "docs"),
    ...["architecture", "decisions", "evidence"].map((name) => join(root, "docs", name)),
  ].flatMap(markdownIn),
  ...foldersIn(join(root, "packages")).flatMap((name) => markdownIn(join(root, "packages", name))),
];
const architecture = join(root, "docs", "architecture");
const house = join(architecture, "1-the-house.md");

it.each(pages.map((page) => relative(root, page)))("all links in %s exist", (name) => {
  const page = join(root, name);
  const links = [...textWithoutCode(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
  expect(links.filter((link) => !linkExists(link, page))).toEqual([]);
});

const naming = [join(root, "CONTRIBUTING.md"), ...[architecture, join(root, "docs", "decisions")].flatMap(markdownIn)];
it.each(naming.map((page) => relative(root, page)))("%s names only existing files", (name) => {
  const sources = sourcesIn(join(root, "packages"));
  const named = [...textWithoutCode(join(root, name)).matchAll(/`([\w-][\w/.-]*\.(?:tsx?|css))`/g)].map(
    ([, file]) => file!,
  );
  expect(named.filter((file) => !sources.some((source) => source.endsWith(`/${file}`)))).toEqual([]);
});

it("docs/architecture/README.md lists every page in order", () => {
  const listed = [...textWithoutCode(join(architecture, "README.md")).matchAll(/^\d\. \[.*?\]\((\d-[\w-]+\.md)\)/gm)];
  const existing = readdirSync(architecture).filter((name) => name !== "README.md");
  expect(listed.map(([, file]) => file!)).toEqual(existing.toSorted());
});

it("docs/architecture/1-the-house.md names every package, and the packages that it may import", () => {
  const rows = [...readFileSync(house, "utf8").matchAll(/^\| `(\w+)` \| .* \| (.*) \|$/gm)];
  const imports = rows.map(([, name, may]) => [name!, [...may!.matchAll(/[a-z]+(?:\/[a-z-]+)?/g)].flat()] as const);
  const { folders } = JSON.parse(readFileSync(join(root, "boundaries.json"), "utf8")) as {
    folders: { readonly [folder: string]: readonly string[] };
  };
  const packages = foldersIn(join(root, "packages"));
  const allowed = packages.map((name) => {
    const own = folders[`packages/${name}/src`]!.filter((imported) => imported.startsWith("@plugboard/"));
    return [name, own.map((imported) => imported.slice("@plugboard/".length)).toSorted()];
  });
  const named = imports.map(([name, may]) => [name, may.filter((word) => word !== "nothing").toSorted()]);
  expect(Object.fromEntries(named)).toEqual(Object.fromEntries(allowed));
});

it.each(foldersIn(join(root, "packages")))("docs/architecture/1-the-house.md names every folder of %s", (name) => {
  const [, section = ""] = readFileSync(house, "utf8").split(`\n## Folders of ${name}\n`);
  const rows = section.split("\n## ")[0]!.matchAll(/^\| ((?:`[\w-]+\/`(?:, )?)+) \|/gm);
  const folders = [...rows].flatMap(([, cell]) => [...cell!.matchAll(/`([\w-]+)\/`/g)].map(([, folder]) => folder!));
  expect(folders.toSorted()).toEqual(foldersIn(join(root, "packages", name, "src")));
});

it("docs/decisions/README.md lists every decision", () => {
  const folder = join(root, "docs", "decisions");
  const listed = [...textWithoutCode(join(folder, "README.md")).matchAll(/\]\(([\w-]+\.md)\)/g)].map(
    ([, file]) => file!,
  );
  const existing = readdirSync(folder).filter((name) => name !== "README.md");
  expect(listed.toSorted()).toEqual(existing.toSorted());
});

function linkExists(link: string, from: string): boolean {
  // The pages of packages are shown elsewhere, so they link to this repository by its URL.
  const inRepository = /^https:\/\/github\.com\/plugboard-dev\/plugboard\/(?:blob|tree)\/main\/(.*)/.exec(link)?.[1];
  if (inRepository === undefined && /^https?:/.test(link)) return true;
  const [path, heading] = (inRepository ?? link).split("#") as [string, string?];
  const to = path === "" ? from : resolve(inRepository === undefined ? dirname(from) : root, path);
  // The page of a folder shows its README.md, below the anchor `readme`.
  if (existsSync(to) && statSync(to).isDirectory() && heading === "readme") return existsSync(join(to, "README.md"));
  if (!existsSync(to)) return false;
  return heading === undefined || headingsOf(to).includes(heading);
}

/** Returns the anchors of a page as GitHub generates them. */
function headingsOf(page: string): string[] {
  const headings = [...textWithoutCode(page).matchAll(/^#+ (.*)$/gm)].map(([, text]) => text!);
  return headings.map((text) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

function textWithoutCode(page: string): string {
  return readFileSync(page, "utf8").replaceAll(/^```.*?^```/gms, "");
}

function markdownIn(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".md"));
  return names.map((name) => join(folder, name));
}

function foldersIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => statSync(join(folder, name)).isDirectory());
}

function sourcesIn(packages: string): string[] {
  return foldersIn(packages).flatMap((name) =>
    readdirSync(join(packages, name), { recursive: true, encoding: "utf8" })
      .filter((file) => /^(src|test)\b.*\.(tsx?|css)$/.test(file))
      .map((file) => `/${name}/${file}`),
  );
}
